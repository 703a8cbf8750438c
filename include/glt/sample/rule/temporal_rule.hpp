// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/pick/pick.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/times.hpp>

namespace glt {

/// Preference of a temporal draw among the edges that are old enough.
enum class temporal_strategy {
  uniform, ///< all alike
  last     ///< the latest `fanout` edges
};

/// Draws among the edges of a row that are not later than the request, or `strictly_before` it; rows are ordered by time.
///
/// A request carries the time of its seed, which all hops of the seed's tree inherit, so that no later data leaks into
/// the sample. Without replacement `temporal_strategy::last` takes the latest `fanout` edges in row order, without
/// random numbers; with replacement it draws `fanout` times among them.
///
/// @shape  times [E], by edge position, ascending within a row, as in a data set, or after `sort_rows_by_time`
/// @cost   O(log degree) to find the edges that are old enough, then as `pick_positions`
/// @source Rossi et al., "Temporal graph networks for deep learning on dynamic graphs", arXiv 2006.10637,
///         2020
template <memory_space Space>
struct temporal_rule {
  using query_type = std::int64_t; ///< the time of the seed
  static constexpr bool all_in_order = true;
  static constexpr bool allows_exclusion = true;

  array_view<Space, std::int64_t const> times;
  temporal_strategy strategy = temporal_strategy::uniform;
  /// If true, edges of the seed's time are left out: then a seed that is an edge or event does not see itself.
  bool strictly_before = false;

  template <class Self>
  [[nodiscard]] static constexpr auto members(Self& self) noexcept {
    return std::tie(self.times);
  }

  /// @throws precondition_error  if times does not have one element per edge
  template <class Graph>
  void check(Graph const& graph, hop_options) const {
    detail::check_num_times(times.size(), graph.num_edges());
  }

  /// Checks the order of times in the rows of a host, as recipes do when they are made.
  ///
  /// @throws precondition_error  if an earlier time follows a later one in a row
  template <class Graph>
  void check_rows(Graph const& graph) const {
    if constexpr (Graph::space == Space && detail::host_accessible(Space)) {
      if (times.size() == graph.num_edges()) {
        validate(graph, times);
      }
    }
  }

  /// Prefetches the first two times that a search in the row will compare.
  template <class Graph>
  GLT_HOST_DEVICE void prefetch(Graph const& graph, std::int64_t row) const noexcept {
    auto const* const first = times.data() + graph.offset(row);
    std::int64_t const degree = graph.degree(row);
    detail::prefetch(first + degree / 2);
    detail::prefetch(first + degree / 4);
    detail::prefetch(first + degree - degree / 4);
  }

  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t count(Graph const& graph, std::int64_t row, std::int64_t time,
                                                             hop_options options, random_key,
                                                             std::uint64_t) const noexcept {
    return count_found(num_eligible(graph, row, time), options);
  }

  /// Returns the number of edges of a row that are old enough, for hosts, which search once.
  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t find(Graph const& graph, std::int64_t row,
                                                            std::int64_t time) const noexcept {
    return num_eligible(graph, row, time);
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t count_found(std::int64_t found,
                                                                   hop_options options) const noexcept {
    return detail::num_picked(preferred(found, options), options);
  }

  template <class Graph, class Position>
  GLT_HOST_DEVICE constexpr void pick(Graph const& graph, std::int64_t row, std::int64_t time, hop_options options,
                                      random_key key, std::uint64_t subject, std::int64_t count,
                                      Position* out) const noexcept {
    pick_found(graph, row, known_eligible(graph, row, time, options, count), options, key, subject, count, out);
  }
  /// Does the work of `pick` if `found` of the row's edges are old enough.
  template <class Graph, class Position>
  GLT_HOST_DEVICE constexpr void pick_found(Graph const&, std::int64_t, std::int64_t found, hop_options options,
                                            random_key key, std::uint64_t subject, std::int64_t count,
                                            Position* out) const noexcept {
    std::int64_t const chosen = preferred(found, options);
    detail::pick_positions(random_stream(key, subject), chosen, options, out);
    for (std::int64_t i = 0; i < count && chosen < found; ++i) {
      out[i] = static_cast<Position>(out[i] + (found - chosen));
    }
  }

  [[nodiscard]] static constexpr bool shares_row(hop_options options) noexcept {
    return uniform_rule::shares_row(options);
  }
  template <class Team, class Graph, class Position, class Emit>
  GLT_HOST_DEVICE constexpr void pick_by(Team const& team, Graph const& graph, std::int64_t row, std::int64_t time,
                                         hop_options options, random_key key, std::uint64_t subject, std::int64_t count,
                                         Position* out, Emit emit) const noexcept {
    std::int64_t const eligible = known_eligible(graph, row, time, options, count);
    std::int64_t const chosen = preferred(eligible, options);
    detail::pick_positions_by(team, random_stream(key, subject), chosen, options, out,
                              [&](std::int64_t i, std::int64_t position) { emit(i, position + eligible - chosen); });
  }

private:
  // Returns `num_eligible` for a row that gives `count` edges.
  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t known_eligible(Graph const& graph, std::int64_t row,
                                                                      std::int64_t time, hop_options options,
                                                                      std::int64_t count) const noexcept {
    bool const all_eligible_taken = !options.replace && (options.fanout < 0 || count < options.fanout);
    return all_eligible_taken ? count : num_eligible(graph, row, time);
  }
  // Returns the number of edges of a row that are old enough; they come first.
  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t num_eligible(Graph const& graph, std::int64_t row,
                                                                    std::int64_t time) const noexcept {
    auto const edge = graph.edges_of(row);
    std::int64_t eligible = 0;
    for (std::int64_t rest = graph.degree(row); rest > 0;) {
      std::int64_t const half = rest / 2;
      std::int64_t const edge_time = times[edge(eligible + half)];
      bool const old_enough = edge_time < time || (edge_time == time && !strictly_before);
      eligible = old_enough ? eligible + half + 1 : eligible;
      rest = old_enough ? rest - half - 1 : half;
    }
    return eligible;
  }

  // Returns how many of the eligible edges, the last ones, may be drawn.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t preferred(std::int64_t eligible,
                                                                 hop_options options) const noexcept {
    bool const some = strategy == temporal_strategy::last && options.fanout >= 0 && options.fanout < eligible;
    return some ? options.fanout : eligible;
  }
};

} // namespace glt
