// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/view.hpp>
#include <glt/exec/detail/team.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

/// Names of vertices in the random numbers: their original ids, or the row numbers if vertices were not renumbered.
template <memory_space Space>
using original_ids = array_view<Space, global_id const>;

/// Request of one hop: the rows to expand, and the options of the draw. Data about the graph may be in another memory
/// space than the request.
///
/// @shape  rows [S] · original [graph.num_rows()] or empty · queries [S], or empty if the rule has none
/// @units  rows are row numbers of the graph, in any order
template <memory_space Space, class Row, class Rule = uniform_rule, memory_space GraphSpace = Space>
struct hop_request {
  static constexpr memory_space space = Space;

  array_view<Space, Row const> rows;
  original_ids<GraphSpace> original;
  hop_options options;
  random_key key;
  Rule rule{};
  array_view<Space, typename Rule::query_type const> queries{};

  /// Returns the name of the random stream of request i.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::uint64_t subject(std::int64_t i) const noexcept {
    return static_cast<std::uint64_t>(original.empty() ? std::int64_t{rows[i]} : original[rows[i]]);
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr auto query(std::int64_t i) const noexcept {
    if constexpr (has_query<Rule>) {
      return queries[i];
    } else {
      return no_query{};
    }
  }
  /// Returns the requests of `count` rows from `first` on.
  [[nodiscard]] constexpr hop_request subrequest(std::int64_t first, std::int64_t count) const {
    auto part = *this;
    part.rows = rows.subview(first, count);
    if constexpr (has_query<Rule>) {
      part.queries = queries.subview(first, count);
    }
    return part;
  }
};

/// Frontier of a type in a hop, by sizes in memory of `Space`.
template <memory_space Space>
struct known_frontier {
  bounded_size<Space> begin;
  bounded_size<Space> end;

  /// Returns the position of its first vertex in the nodes of the type.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t first() const noexcept { return begin(); }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t size() const noexcept { return end() - begin(); }
};

/// Place in the batch of the edges that a hop draws over one edge type.
template <memory_space Space>
struct hop_place {
  known_frontier<Space> frontier; ///< of the destination type
  bounded_size<Space> edges;      ///< of this type, before the hop
  bounded_size<Space> expanded;   ///< vertices expanded over this type before the hop
};

// Writes the numbers of edges and of expanded vertices after a hop; without offsets nothing was drawn.
template <memory_space Space>
struct end_of_draws {
  hop_place<Space> place;
  array_view<Space, edge_offset const> drawn;
  array_view<Space, std::int64_t> edges;
  array_view<Space, std::int64_t> expanded;
  GLT_HOST_DEVICE void operator()(std::int64_t) const {
    edges[0] = place.edges() + (drawn.empty() ? 0 : drawn[drawn.size() - 1]);
    expanded[0] = place.expanded() + place.frontier.size();
  }
};

/// Writes the destinations of the edges of frontier vertex i, and the end of its edges.
template <memory_space Space>
struct write_destinations {
  hop_place<Space> place;
  array_view<Space, edge_offset const> drawn; // offsets of the hop; empty if nothing was drawn
  array_view<Space, local_id> col;            // of the batch
  array_view<Space, edge_offset> offsets;     // of the batch

  GLT_HOST_DEVICE void operator()(std::int64_t i) const { (*this)(serial_team<>{}, i); }

  template <class Team>
  GLT_HOST_DEVICE void operator()(Team const& team, std::int64_t i) const {
    if (i >= place.frontier.size()) {
      return;
    }
    auto const begin = drawn.empty() ? 0 : drawn[i];
    auto const end = drawn.empty() ? 0 : drawn[i + 1];
    auto* const of_row = col.data() + place.edges() + begin;
    auto const destination = static_cast<local_id>(place.frontier.first() + i);
    team.for_each(end - begin, [&](std::int64_t e) { of_row[e] = destination; });
    team.once([&] { offsets[place.expanded() + i + 1] = place.edges() + end; });
  }
};

} // namespace glt::detail
