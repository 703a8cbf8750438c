// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/io/progress.hpp>
#include <glt/memory/memory.hpp>
#include <glt/outofcore/detail/all_types.hpp>
#include <glt/outofcore/detail/hotness_estimate_options.hpp>
#include <glt/outofcore/detail/hotness_spread.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>
#include <glt/outofcore/detail/row_slices.hpp>
#include <glt/outofcore/detail/shuffle_rounds.hpp>
#include <glt/sample/hotness/detail/hotness_walk.hpp>
#include <glt/sample/hotness/detail/log_miss.hpp>
#include <glt/sample/hotness/hotness.hpp>
#include <glt/sample/options.hpp>

namespace glt::io::detail {

/// State of hotness estimates for several lists of seeds, one a column, of a graph whose edges stay on disk.
///
/// Every rank adds up the contributions of its slices of the edges, and completes its slice of the vertices.
template <communicator Comm>
class hotness_walk_on_disk {
  using log_miss = glt::detail::log_miss;

public:
  /// Returns the number of columns for which all ranks have memory; at least 1, for which `for_vertices` suffices.
  ///
  /// @comm   collective; one reduction of a number
  static std::int64_t agree_on_columns(Comm& comm, std::int64_t num_vertices, std::int64_t wanted,
                                       memory_plan const& plan) {
    auto const slice = slice_of(num_vertices, comm.size(), 0).last;
    auto const held = 4 * num_vertices + 4 * slice; // parts, degrees
    auto const column = std::max<std::int64_t>(16 * num_vertices + 8 * slice, 1);
    auto const fit = (plan.for_vertices + plan.for_edges / 2 - held) / column;
    auto columns = std::clamp<std::int64_t>(fit, 1, std::max<std::int64_t>(wanted, 1));
    comm.all_reduce(std::span(&columns, 1), reduction::min);
    return columns;
  }

  /// @shape  in_degrees [V]
  /// @pre    edges and options were checked; not checked
  /// @throws precondition_error  if a vertex has 2³² in-edges or more
  /// @comm   none
  hotness_walk_on_disk(Comm comm, all_types const& graph, host_view<std::int64_t const> in_degrees,
                       std::int64_t columns, std::int64_t rows_a_round, hotness_estimate_options const& options)
      : comm_(comm), graph_(graph), options_(options), most_columns_(columns),
        slices_(comm, graph.num_vertices(), columns, rows_a_round), own_(slices_.own()),
        sums_(graph.num_vertices() * columns), values_(graph.num_vertices() * columns),
        touched_((own_.last - own_.first) * columns) {
    degrees_.reserve(static_cast<std::size_t>(own_.last - own_.first));
    for (auto v = own_.first; v < own_.last; ++v) {
      degrees_.push_back(glt::detail::narrow<std::uint32_t>(in_degrees[v], "number of edges into a vertex"));
    }
  }

  [[nodiscard]] std::int64_t most_columns() const noexcept { return most_columns_; }

  /// Starts an estimate from other seeds: each_seed(give) calls give(vertex, column) for all of them.
  ///
  /// @pre    vertices are in [0, V), columns in [0, columns), and columns up to most_columns(); not checked
  /// @comm   collective; per hop a header exchange and two variable exchanges, the second in rounds
  /// @throws collective_error  on every rank, as `spread_own_edges`, or if `on_progress` throws on a rank
  template <class EachSeed>
  void estimate(std::int64_t columns, EachSeed each_seed) {
    columns_ = columns;
    start(each_seed);
    auto const hops = options_.hotness.neighbors.fanouts.size();
    for (std::size_t hop = 0; hop < hops; ++hop) {
      slices_.hand_round(values(), columns_);
      auto const failure = glt::detail::failure_of([&] { spread(); });
      glt::detail::agree(
          comm_, {.what = glt::detail::operation::estimate_hotness, .hop = static_cast<std::int32_t>(hop)}, failure);
      slices_.add_up(sums(), columns_, [](log_miss& sum, log_miss other) { glt::detail::add_capped(sum, other); });
      settle(hop);
    }
  }

  /// Returns the estimates for the seeds of a column.
  ///
  /// @shape  → [rows of slice_of(V, ranks, rank)]
  [[nodiscard]] host_view<double const> hotness(std::int64_t column) const {
    auto const rows = own_.last - own_.first;
    return touched_.view().subview(column * rows, rows);
  }

private:
  [[nodiscard]] host_view<log_miss> sums() { return sums_.view().subview(0, graph_.num_vertices() * columns_); }
  [[nodiscard]] host_view<log_miss> values() { return values_.view().subview(0, graph_.num_vertices() * columns_); }
  [[nodiscard]] double& touched(std::int64_t row, std::int64_t column) {
    return touched_[column * (own_.last - own_.first) + row];
  }

  template <class Work>
  void for_own_rows(Work work) {
    options_.policy.executor().for_each(own_.last - own_.first, [&](std::int64_t row) {
      for (std::int64_t c = 0; c < columns_; ++c) {
        work(row, c, (own_.first + row) * columns_ + c);
      }
    });
  }
  void expand(std::int64_t row, std::int64_t place, double frontier, std::size_t hop) {
    values_[place] = glt::detail::edge_value(frontier, degrees_[static_cast<std::size_t>(row)],
                                             glt::detail::hop_of(options_.hotness.neighbors, hop));
  }

  template <class EachSeed>
  void start(EachSeed each_seed) {
    std::ranges::fill(sums(), 0);
    std::vector<std::int64_t> num_seeds(static_cast<std::size_t>(columns_), 0);
    each_seed([&](global_id vertex, std::int64_t column) {
      ++num_seeds[static_cast<std::size_t>(column)];
      if (vertex >= own_.first && vertex < own_.last) {
        ++sums_[vertex * columns_ + column];
      }
    });
    for_own_rows([&](std::int64_t row, std::int64_t c, std::int64_t place) {
      touched(row, c) = glt::detail::seed_probability(sums_[place], num_seeds[static_cast<std::size_t>(c)],
                                                      options_.hotness.batch_size);
      expand(row, place, touched(row, c), 0);
    });
  }

  void spread() {
    std::ranges::fill(sums(), 0);
    spread_own_edges(graph_, comm_.size(), comm_.rank(), values(), sums(), columns_, options_.policy,
                     options_.on_progress);
  }

  void settle(std::size_t hop) {
    auto const& neighbors = options_.hotness.neighbors;
    for_own_rows([&](std::int64_t row, std::int64_t c, std::int64_t place) {
      auto const frontier = glt::detail::settle_touched(touched(row, c), sums_[place], neighbors.expand);
      if (hop + 1 < neighbors.fanouts.size()) {
        expand(row, place, frontier, hop + 1);
      }
    });
  }

  Comm comm_;
  all_types const& graph_;
  hotness_estimate_options const& options_;
  std::int64_t most_columns_;
  std::int64_t columns_ = 0;
  row_slices<Comm, log_miss> slices_;
  item_range own_;                       // rows
  buffer<device::cpu, log_miss> sums_;   // [V, columns]
  buffer<device::cpu, log_miss> values_; // [V, columns]: values that the edges of a row add
  buffer<device::cpu, double> touched_;  // [columns, rows of this rank]
  std::vector<std::uint32_t> degrees_;   // [rows of this rank]
};

} // namespace glt::io::detail
