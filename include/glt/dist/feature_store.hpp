// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/detail/store_agreement.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

namespace glt::dist {

/// Features and labels of all vertices; every rank owns the rows of its part.
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  local() has one row per vertex of this part
template <device_policy Policy, bytes_copyable T>
class feature_store {
public:
  using policy_type = Policy;
  using value_type = T;

  /// Takes over this rank's rows and agrees with the other ranks on their shape.
  ///
  /// @comm   collective; two header exchanges and a reduction
  /// @throws collective_error  on every rank, if a rank does not have one row per vertex of its part, or its columns,
  ///                           elements, scales, labels or book differ from rank 0
  template <communicator Comm>
  feature_store(Comm& comm, partition_book book, glt::feature_store<Policy, T>&& local)
      : book_(std::move(book)), local_(std::move(local)) {
    detail::agree_on_matrix(comm, detail::fault_of_rows(comm, book_, this->local().num_vertices()), book_,
                            this->local(), local_.policy());
    agree_on_labels(comm);
  }

  template <communicator Comm, class Reason = detail::rows_are_taken_over_so_move_them>
  feature_store(Comm&, partition_book const&, glt::feature_store<Policy, T> const&) = delete;

  [[nodiscard]] partition_book const& book() const noexcept { return book_; }
  [[nodiscard]] feature_view<Policy::space, T> local() const { return local_.view(); }
  [[nodiscard]] std::int64_t num_columns() const { return local().num_columns(); }
  /// Returns true if vertices have labels.
  [[nodiscard]] bool has_labels() const noexcept { return has_labels_; }
  /// Returns views of the rows that collectors of this store read in place; without entries if there are no such rows.
  [[nodiscard]] node_views<feature_view<Policy::space, T>> const& neighborhood() const noexcept {
    return neighborhood_;
  }

private:
  template <device_policy, vertex_id>
  friend class data_set; // shares memory

  // A rank without vertices cannot tell whether there are labels; it follows the other ranks.
  template <communicator Comm>
  void agree_on_labels(Comm& comm) {
    bool const labelled = !local().labels.empty();
    bool const unlabelled = !labelled && local().num_vertices() > 0;
    std::array<std::int64_t, 2> first{labelled ? comm.rank() : comm.size(), unlabelled ? comm.rank() : comm.size()};
    detail::host_comm(comm).all_reduce(std::span<std::int64_t>(first), reduction::min);
    if (first[0] < comm.size() && first[1] < comm.size()) {
      bool const odd_one_lacks = first[0] < first[1];
      throw glt::detail::agreed(
          comm, static_cast<int>(std::max(first[0], first[1])),
          detail::message("has ", odd_one_lacks ? "no labels" : "labels", ", unlike rank ",
                          glt::detail::world_rank(comm, static_cast<int>(std::min(first[0], first[1]))),
                          "; give labels on all ranks or on none"));
    }
    has_labels_ = first[0] < comm.size();
  }

  partition_book book_;
  glt::feature_store<Policy, T> local_;
  bool has_labels_ = false;
  node_views<feature_view<Policy::space, T>> neighborhood_;
};

} // namespace glt::dist
