// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/dist/detail/store_agreement.hpp>
#include <glt/feature/edge_feature_table.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/book.hpp>

#include <utility>

namespace glt::dist {

/// Several feature tensors of all edges, by name, of which every rank owns the rows of the edges into the vertices of
/// its part.
///
/// Concurrent calls: const members may run concurrently.
template <device_policy Policy>
class named_edge_features {
public:
  using policy_type = Policy;

  /// Takes over this rank's rows and agrees with the other ranks on what they are made of. The book is that of
  /// the vertices.
  ///
  /// @comm   collective; two header exchanges and two broadcasts
  /// @throws collective_error  on every rank, if the book of a rank is for other ranks, or its book, or the names,
  ///                           order, elements, columns or scales of its tensors are not those of rank 0
  template <communicator Comm>
  named_edge_features(Comm& comm, partition_book book, edge_feature_table<Policy> local)
      : book_(std::move(book)), local_(std::move(local)) {
    detail::agree_on_table(comm, detail::fault_of_parts(comm, "edge features", book_), book_, local_.rows().tensors(),
                           local_.rows().policy());
  }

  /// Which rank owns which vertices, and so the edges into them.
  [[nodiscard]] partition_book const& book() const noexcept { return book_; }
  [[nodiscard]] edge_feature_table<Policy> const& local() const noexcept { return local_; }

private:
  partition_book book_;
  edge_feature_table<Policy> local_;
};

} // namespace glt::dist
