// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/detail/store_agreement.hpp>
#include <glt/dist/shared/shared_table.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

namespace glt::dist {

/// Named feature tensors of all vertices, or of all edges. Every rank owns the rows of the vertices of its part, or of
/// the edges into them. Labels may be one of the tensors.
///
///     table.add("title", std::move(halves)); // [rows of the part, 300] float16
///     table.add("label", std::move(classes)); // [rows of the part, 1] int64
///     glt::dist::named_features const features(comm, book, std::move(table));
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  local() has one row per vertex of this part, or rows of edges
template <device_policy Policy>
class named_features {
public:
  using policy_type = Policy;

  /// Takes over this rank's rows and agrees with the other ranks on names, elements, columns and scales of the tensors.
  ///
  /// @comm   collective; two header exchanges and two broadcasts
  /// @throws collective_error  on every rank, if a rank does not have one row per vertex of its part, its book is for
  ///                           another number of ranks, or if its book, or the keys, names, order, elements, columns
  ///                           or scales of its tensors differ from rank 0
  template <communicator Comm>
  named_features(Comm& comm, partition_book book, feature_table<Policy> local)
      : book_(std::move(book)), local_(std::move(local)) {
    detail::agree_on_table(comm,
                           of_edges() ? detail::fault_of_parts(comm, "edge features", book_)
                                      : detail::fault_of_rows(comm, book_, local_.num_rows()),
                           book_, local_);
  }

  /// Returns the partition of the vertices, which tells the owners of vertices and of the edges into them.
  [[nodiscard]] partition_book const& book() const noexcept { return book_; }
  [[nodiscard]] feature_table<Policy> const& local() const noexcept { return local_; }
  /// Returns true if the rows are of edges, and false if they are of vertices.
  [[nodiscard]] bool of_edges() const noexcept { return local_.of_edges(); }
  /// Returns views of the tables that collectors of these features read in place; without entries if there is no such
  /// table.
  [[nodiscard]] node_views<typename feature_table<Policy>::view_type> const& neighborhood() const noexcept {
    return neighborhood_;
  }

private:
  template <device_policy, vertex_id>
  friend class data_set; // shares memory

  // Moves the table to node-shared memory. Collective; see `share`.
  template <node_memory Node>
  void share(Node& node) {
    auto shared = dist::share(node, local_, local_.policy());
    local_ = std::move(shared.own);
    neighborhood_ = std::move(shared.neighborhood);
  }

  partition_book book_;
  feature_table<Policy> local_;
  node_views<detail::table_view<Policy::space>> neighborhood_;
};

} // namespace glt::dist
