// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/ordering.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/pick/team_pick.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt {

namespace detail {

/// Returns the uniform 64-bit number that all rows of a hop share for a source, named by its original id.
///
/// @source output `source` of SplitMix64, Steele, Lea & Flood, OOPSLA 2014, with the key as its seed
[[nodiscard]] GLT_HOST_DEVICE constexpr std::uint64_t labor_variate(random_key key, global_id source) noexcept {
  return detail::mix64(key.bits() + static_cast<std::uint64_t>(source) * 0x9e3779b97f4a7c15ULL);
}

} // namespace detail

/// Layer-neighbour sampling (LABOR): every edge of a row is as likely as in uniform sampling. Rows that share
/// neighbours take the same ones, so that a batch visits fewer vertices.
///
/// The edge from s to v is taken if the variate of s is below fanout / degree(v); rows of at most `fanout` edges are
/// taken whole. Picks are in row order.
///
/// Parallel edges share the variate of their source. They are taken together, each with the right probability. With
/// `exact` they are cut off in row order, so that earlier ones are more likely than later ones. Call
/// `name_parallel_edges` first if the graph has parallel edges. Then all sets of `fanout` edges are equally likely.
///
/// With `across_hops` the variates use `batch_key` instead of the hop's key, so that hops share them too. Then give the
/// sampler a rule with a new key before every batch, the same on all ranks.
///
/// @shape  sources [E], original id of the source of every edge, by position; empty if the graph's ids are original
///         ones. In a part of a graph, `dist::make_source_values` returns it.
/// @cost   a few cycles for every edge of the row, twice without `exact` if offsets are needed before picks:
///         on devices and across ranks; no memory
/// @source Balin & Çatalyürek, "Layer-neighbor sampling – defusing neighborhood explosion in GNNs", NeurIPS
///         2023; exact counts by Ohlsson, "Sequential Poisson sampling", J. Official Statistics 14(2), 1998
template <memory_space Space>
struct labor_rule {
  using query_type = no_query;
  static constexpr bool may_exceed_fanout = true; ///< rows may give more than `fanout` edges
  static constexpr bool all_in_order = true;
  static constexpr bool allows_exclusion = true;

  array_view<Space, global_id const> sources;
  /// If true, rows of more than `fanout` edges give `fanout` of them, whose sources have the smallest variates: sequential
  /// Poisson sampling. If false, they give `fanout` on average: LABOR-0.
  bool exact = false;
  bool across_hops = false;
  random_key batch_key{0};

  template <class Self>
  [[nodiscard]] static constexpr auto members(Self& self) noexcept {
    return std::tie(self.sources);
  }

  /// @throws precondition_error  if sources is neither empty nor one per edge, or the options ask for replacement
  template <class Graph>
  void check(Graph const& graph, hop_options options) const {
    if (!sources.empty() && sources.size() != graph.num_edges()) {
      throw precondition_error(detail::message("LABOR sampling with ", sources.size(), " original ids of sources for ",
                                               graph.num_edges(), " edges; give one per edge or none"));
    }
    if (options.replace) {
      throw precondition_error("LABOR sampling with replacement; it takes an edge once or not at all, so turn "
                               "replacement off");
    }
  }

  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t count(Graph const& graph, std::int64_t row, no_query,
                                                             hop_options options, random_key key,
                                                             std::uint64_t) const noexcept {
    std::int64_t const degree = graph.degree(row);
    if (auto const known = known_count(degree, options); known >= 0) {
      return known;
    }
    auto const taken = smaller_variates(graph, row, options, key);
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < degree; ++i) {
      count += taken(i) ? 1 : 0;
    }
    return count;
  }

  template <class Graph, class Position>
  GLT_HOST_DEVICE constexpr void pick(Graph const& graph, std::int64_t row, no_query, hop_options options,
                                      random_key key, std::uint64_t, std::int64_t count, Position* out) const noexcept {
    std::int64_t const degree = graph.degree(row);
    variates<Graph> const variate{graph, sources, key_of(key), graph.edges_of(row)};
    if (takes_all(degree, options)) {
      for (std::int64_t i = 0; i < count; ++i) {
        out[i] = static_cast<Position>(i);
      }
    } else if (exact) {
      detail::pick_smallest(variate, degree, count, out);
    } else {
      std::uint64_t const bound = share_of(options.fanout, degree);
      for (std::int64_t i = 0, taken = 0; taken < count; ++i) {
        if (variate(i) < bound) {
          out[taken++] = static_cast<Position>(i);
        }
      }
    }
  }

  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t work(Graph const& graph, std::int64_t row) const noexcept {
    return graph.degree(row);
  }
  template <class Team, class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t count_by(Team const& team, Graph const& graph, std::int64_t row,
                                                                no_query, hop_options options, random_key key,
                                                                std::uint64_t) const noexcept {
    std::int64_t const degree = graph.degree(row);
    auto const known = known_count(degree, options);
    return known >= 0 ? known : team.count_if(degree, smaller_variates(graph, row, options, key));
  }
  template <class Team, class Graph, class Position, class Emit>
  GLT_HOST_DEVICE constexpr void pick_by(Team const& team, Graph const& graph, std::int64_t row, no_query,
                                         hop_options options, random_key key, std::uint64_t, std::int64_t count,
                                         Position* out, Emit emit) const noexcept {
    std::int64_t const degree = graph.degree(row);
    if (takes_all(degree, options)) {
      team.for_each(count, [&](std::int64_t i) { emit(i, i); });
    } else if (exact) {
      variates<Graph> const variate{graph, sources, key_of(key), graph.edges_of(row)};
      detail::pick_smallest_by(team, variate, degree, count, out);
      team.for_each(count, [&](std::int64_t i) { emit(i, out[i]); });
    } else {
      team.select_if(degree, count, smaller_variates(graph, row, options, key), emit);
    }
  }

  /// Does the work of `count` and `pick` in one pass over the edges; returns the count.
  ///
  /// @shape  out [graph.degree(row)]; the returned number of them is written
  template <class Graph, class Position>
  GLT_HOST_DEVICE constexpr std::int64_t count_and_pick(Graph const& graph, std::int64_t row, no_query query,
                                                        hop_options options, random_key key, std::uint64_t subject,
                                                        Position* out) const noexcept {
    std::int64_t const degree = graph.degree(row);
    if (takes_all(degree, options) || exact) {
      auto const taken = count(graph, row, query, options, key, subject);
      pick(graph, row, query, options, key, subject, taken, out);
      return taken;
    }
    std::uint64_t const bound = share_of(options.fanout, degree);
    variates<Graph> const variate{graph, sources, key_of(key), graph.edges_of(row)};
    std::int64_t taken = 0;
    for (std::int64_t i = 0; i < degree; ++i) { // without a branch
      out[taken] = static_cast<Position>(i);
      taken += variate(i) < bound ? 1 : 0;
    }
    return taken;
  }

  /// Names the edges of every row for `sources` so that parallel edges have different variates.
  ///
  /// The first edge from a source keeps the id of the source. The next edges from it get names that all rows share, so
  /// rows still take the same neighbours. Draws from rows without parallel edges do not change.
  ///
  ///     std::vector<global_id> names(graph.sources().begin(), graph.sources().end()); // or make_source_values
  ///     labor_rule<memory_space::host>::name_parallel_edges(graph, names);
  ///     labor_rule<memory_space::host> const rule{.sources = names, .exact = true};
  ///
  /// @shape  ids [E], original ids on entry, names afterwards
  /// @throws precondition_error  if ids.size() != graph.num_edges()
  /// @cost   O(E · log(degree)) once; memory for the longest row
  template <vertex_id Vertex>
  static void name_parallel_edges(csr_view<memory_space::host, Vertex> graph, host_view<global_id> ids) {
    if (ids.size() != graph.num_edges()) {
      throw precondition_error(detail::message("name_parallel_edges of ", ids.size(), " original ids of sources for ",
                                               graph.num_edges(), " edges; give one per edge"));
    }
    std::vector<std::pair<global_id, edge_offset>> row;
    for (std::int64_t r = 0; r < graph.num_rows(); ++r) {
      row.clear();
      for (auto edge = graph.offset(r); edge < graph.offset(r + 1); ++edge) {
        row.emplace_back(ids[edge], edge);
      }
      std::ranges::sort(row);
      std::uint64_t earlier = 0; // edges from the same source
      for (std::size_t i = 1; i < row.size(); ++i) {
        auto const [source, edge] = row[i];
        earlier = source == row[i - 1].first ? earlier + 1 : 0;
        if (earlier > 0) {
          ids[edge] = static_cast<global_id>(random_key(static_cast<std::uint64_t>(source)).fold(earlier).bits());
        }
      }
    }
  }

private:
  template <class Graph>
  struct variates {
    Graph graph;
    array_view<Space, global_id const> sources;
    random_key key;
    decltype(std::declval<Graph const&>().edges_of(0)) edges;
    [[nodiscard]] GLT_HOST_DEVICE constexpr std::uint64_t operator()(std::int64_t position) const noexcept {
      auto const edge = edges(position);
      return detail::labor_variate(key, sources.empty() ? static_cast<global_id>(graph.source(edge)) : sources[edge]);
    }
  };

  // Returns a functor that tells which edges are taken, for a row that is not taken whole.
  template <class Graph>
  [[nodiscard]] GLT_HOST_DEVICE constexpr auto smaller_variates(Graph const& graph, std::int64_t row,
                                                                hop_options options, random_key key) const noexcept {
    variates<Graph> const variate{graph, sources, key_of(key), graph.edges_of(row)};
    return
        [variate, bound = share_of(options.fanout, graph.degree(row))](std::int64_t i) { return variate(i) < bound; };
  }

  [[nodiscard]] GLT_HOST_DEVICE constexpr random_key key_of(random_key hop) const noexcept {
    return across_hops ? batch_key : hop;
  }

  [[nodiscard]] static GLT_HOST_DEVICE constexpr bool takes_all(std::int64_t degree, hop_options options) noexcept {
    return options.fanout < 0 || degree <= options.fanout;
  }

  // Returns the count of a row if it needs no pass over the edges, else −1.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t known_count(std::int64_t degree,
                                                                   hop_options options) const noexcept {
    return takes_all(degree, options) ? degree : exact ? options.fanout : -1;
  }

  // Returns part / whole of all variates, for 0 < part < whole; the quotient stays below 1 while whole is below 2⁵³.
  [[nodiscard]] static GLT_HOST_DEVICE constexpr std::uint64_t share_of(std::int64_t part,
                                                                        std::int64_t whole) noexcept {
    return static_cast<std::uint64_t>(static_cast<double>(part) / static_cast<double>(whole) * 0x1.0p64);
  }
};

} // namespace glt
