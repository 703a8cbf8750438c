// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/dist/detail/store_agreement.hpp>
#include <glt/feature/edge_features.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

#include <utility>

namespace glt::dist {

/// Features of all edges; every rank owns the rows of the edges into vertices of its part.
///
/// Concurrent calls: const members may run concurrently.
template <device_policy Policy, bytes_copyable T>
class edge_features {
public:
  using policy_type = Policy;
  using value_type = T;

  /// Takes over this rank's rows and agrees with the other ranks on their columns, elements and scales. The book is the
  /// book of the vertices.
  ///
  /// @comm   collective; two header exchanges
  /// @throws collective_error  on every rank, if the book of a rank is for another number of ranks, or its columns,
  ///                           elements, scales or book differ from rank 0
  template <communicator Comm>
  edge_features(Comm& comm, partition_book book, glt::edge_features<Policy, T> local)
      : book_(std::move(book)), local_(std::move(local)) {
    detail::agree_on_matrix(comm, detail::fault_of_parts(comm, "edge features", book_), "edge features",
                            "columns of edges", book_, local_.rows(), local_.policy());
  }

  /// Returns the partition, which tells the owner of every vertex and of the edges into it.
  [[nodiscard]] partition_book const& book() const noexcept { return book_; }
  [[nodiscard]] glt::edge_features<Policy, T> const& local() const noexcept { return local_; }
  [[nodiscard]] std::int64_t num_columns() const { return local_.num_columns(); }

private:
  partition_book book_;
  glt::edge_features<Policy, T> local_;
};

} // namespace glt::dist
