// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/builder/detail/rows_to_first.hpp>
#include <glt/graph/csr.hpp>
#include <glt/io/progress.hpp>
#include <glt/memory/memory.hpp>
#include <glt/outofcore/detail/all_types.hpp>
#include <glt/outofcore/detail/edge_shuffle.hpp>
#include <glt/outofcore/detail/edge_spill.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>

#include <filesystem>

namespace glt::io::detail {

/// Stream of the rows of a graph on disk to rank 0, ordered by id, any number of times. Each rank sorts its share of
/// the rows on disk; ranges of rows follow each other.
template <communicator Comm>
class row_stream {
public:
  /// @comm   collective; as `count_in_edges`
  row_stream(Comm comm, all_types const& graph, memory_plan const& plan, std::filesystem::path scratch,
             progress::callback on_progress)
      : comm_(std::move(comm)), graph_(graph), plan_(plan), scratch_(std::move(scratch)),
        on_progress_(std::move(on_progress)), in_degrees_(count_in_edges(comm_, graph)) {
    append_bounds(in_degrees_, 0, graph.num_vertices(), edges_of_range(plan), bounds_);
    bounds_.push_back(graph.num_vertices());
    auto first_own = num_ranges();
    for (std::int64_t range = 0; range < num_ranges(); ++range) {
      if (rank_of_range(range) == comm_.rank()) {
        first_own = std::min(first_own, range);
        own_bounds_.push_back(bounds_[static_cast<std::size_t>(range)]);
      }
    }
    own_bounds_.push_back(own_bounds_.empty() ? 0 : bounds_[static_cast<std::size_t>(first_own) + own_bounds_.size()]);
    if (own_bounds_.size() == 1) {
      own_bounds_.push_back(own_bounds_.front());
    }
  }

  /// Returns the number of edges into every vertex; equal on all ranks.
  ///
  /// @shape  [V of all types]
  [[nodiscard]] host_view<std::int64_t const> in_degrees() const noexcept { return in_degrees_; }

  /// Calls take(first, rows) on rank 0 with all rows, range after range.
  ///
  /// @comm   collective; the rounds of `spill_edges`, and of `rows_to_first` one per range
  /// @throws collective_error  on every rank, as `spill_edges`, and in the next round if `failure` is not empty; an
  ///                           exception of `take` becomes the failure
  template <class Take>
  void pass(std::string& failure, Take take) {
    edge_spill spill(scratch_, own_bounds_, plan_.for_edges / 8);
    spill_edges(
        comm_, graph_, plan_, on_progress_,
        [this](global_id row) { return rank_of_range(std::ranges::upper_bound(bounds_, row) - bounds_.begin() - 1); },
        spill);
    auto const num_own = own_bounds_.front() < own_bounds_.back() ? std::ssize(own_bounds_) - 1 : 0;
    range_rows rows;
    glt::detail::rows_to_first(
        comm_, graph_.num_vertices(), num_own, failure,
        [&](std::int64_t range) {
          rows = {};
          auto const taken = spill.take(static_cast<int>(range));
          rows = compress_range(taken.view(), spill.begin(static_cast<int>(range)), spill.end(static_cast<int>(range)));
          return csr_view<memory_space::host, global_id>(graph_.num_vertices(), std::as_const(rows.offsets).view(),
                                                         std::as_const(rows.columns).view());
        },
        take);
  }

private:
  [[nodiscard]] std::int64_t num_ranges() const noexcept { return std::ssize(bounds_) - 1; }
  [[nodiscard]] int rank_of_range(std::int64_t range) const {
    return static_cast<int>(range * comm_.size() / num_ranges());
  }

  Comm comm_;
  all_types const& graph_;
  memory_plan plan_;
  std::filesystem::path scratch_;
  progress::callback on_progress_;
  std::vector<std::int64_t> in_degrees_;
  std::vector<global_id> bounds_;
  std::vector<global_id> own_bounds_; // of the ranges that this rank sorts
};

} // namespace glt::io::detail
