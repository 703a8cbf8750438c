// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/dist/detail/store_agreement.hpp>
#include <glt/feature/edge_feature_table.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

#include <utility>

namespace glt::dist {

/// Named feature tensors of all edges; every rank owns the rows of the edges into vertices of its part.
///
/// Concurrent calls: const members may run concurrently.
template <device_policy Policy>
class named_edge_features {
public:
  using policy_type = Policy;

  /// Takes over this rank's rows and agrees with the other ranks on names, elements, columns and scales of the tensors.
  /// The book is the book of the vertices.
  ///
  /// @comm   collective; two header exchanges and two broadcasts
  /// @throws collective_error  on every rank, if the book of a rank is for another number of ranks, or if its book, or
  ///                           the names, order, elements, columns or scales of its tensors differ from rank 0
  template <communicator Comm>
  named_edge_features(Comm& comm, partition_book book, edge_feature_table<Policy> local)
      : book_(std::move(book)), local_(std::move(local)) {
    detail::agree_on_table(comm, detail::fault_of_parts(comm, "edge features", book_), book_, local_.rows().tensors(),
                           local_.rows().policy());
  }

  /// Returns the partition, which tells the owner of every vertex and of the edges into it.
  [[nodiscard]] partition_book const& book() const noexcept { return book_; }
  [[nodiscard]] edge_feature_table<Policy> const& local() const noexcept { return local_; }

private:
  partition_book book_;
  edge_feature_table<Policy> local_;
};

} // namespace glt::dist
