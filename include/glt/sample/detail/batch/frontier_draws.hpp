// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/detail/batch/row_draws.hpp>
#include <glt/sample/detail/batch/team_draws.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

/// Draws of a hop for the frontier of a batch; vertex i of it is found from sizes in memory of the policy.
template <class Graph, class Rule, memory_space Space>
struct frontier_request {
  using graph_type = Graph;
  using vertex = typename Graph::vertex_type;
  using query_type = typename Rule::query_type;

  Graph graph;
  Rule rule;
  hop_options options;
  random_key key;
  original_ids<Graph::space> original;
  known_frontier<Space> frontier;
  array_view<Space, vertex const> nodes;
  array_view<Space, local_id const> trees;
  array_view<Space, query_type const> queries; // of the seeds

  [[nodiscard]] GLT_HOST_DEVICE std::int64_t row(std::int64_t i) const { return nodes[frontier.first() + i]; }
  [[nodiscard]] GLT_HOST_DEVICE query_type query(std::int64_t i) const {
    if constexpr (has_query<Rule>) {
      return queries[trees[frontier.first() + i]];
    } else {
      return {};
    }
  }
  [[nodiscard]] GLT_HOST_DEVICE std::uint64_t subject(std::int64_t row) const {
    return static_cast<std::uint64_t>(original.empty() ? row : original[row]);
  }
  // A seed that is not a vertex has no edges; it is reported when the batch is complete.
  [[nodiscard]] GLT_HOST_DEVICE bool has_row(std::int64_t i) const {
    return i < frontier.size() && row(i) >= 0 && row(i) < graph.num_rows();
  }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t count(std::int64_t i) const {
    return has_row(i) ? rule.count(graph, row(i), query(i), options, key, subject(row(i))) : 0;
  }
  template <class Team>
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t count_by(Team const& team, std::int64_t i) const {
    return has_row(i) ? rule.count_by(team, graph, row(i), query(i), options, key, subject(row(i))) : 0;
  }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t work(std::int64_t i) const {
    return has_row(i) ? rule.work(graph, row(i)) : 0;
  }
  GLT_HOST_DEVICE void pick(std::int64_t i, std::int64_t count, vertex* out, edge_id* edge_ids) const {
    auto const r = row(i);
    rule.pick(graph, r, query(i), options, key, subject(r), count, out);
    read_picked_together(graph, r, count, out, edge_ids);
  }
  template <class Team>
  GLT_HOST_DEVICE void pick_by(Team const& team, std::int64_t i, std::int64_t count, vertex* out,
                               edge_id* edge_ids) const {
    auto const r = row(i);
    rule.pick_by(team, graph, r, query(i), options, key, subject(r), count, out,
                 read_edge<Graph>{graph, graph.offset(r), out, edge_ids});
  }
};

/// Returns the most edges that rows give; every number above `enough` means many.
template <class Rule>
[[nodiscard]] constexpr std::int64_t edges_bound(std::int64_t num_rows, hop_options options,
                                                 std::int64_t enough) noexcept {
  auto const each = largest_count<Rule>(options);
  return num_rows > 0 && (each < 0 || each > enough) ? enough + 1 : num_rows * each;
}

// Count of a row, for a scan that computes it on the fly.
template <class Request>
struct count_frontier {
  Request request;
  GLT_HOST_DEVICE edge_offset operator()(std::int64_t i) const { return request.count(i); }
};

template <class Request, memory_space Space>
struct count_frontier_by_team {
  Request request;
  array_view<Space, edge_offset> counts;
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t size(std::int64_t i) const { return request.work(i); }
  template <class Team>
  GLT_HOST_DEVICE void operator()(Team const& team, std::int64_t i) const {
    auto const count = request.count_by(team, i);
    team.once([&] { counts[i] = count; });
  }
};

template <class Request, memory_space Space>
struct draw_frontier {
  Request request;
  write_destinations<Space> write;
  array_view<Space, typename Request::vertex> sources; // of the hop
  array_view<Space, edge_id> edge_ids;                 // of the batch
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const first = write.drawn[i];
    auto const count = write.drawn[i + 1] - first;
    if (count > 0) {
      request.pick(i, count, sources.data() + first, ids_of(first));
    }
    write(i);
  }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t size(std::int64_t i) const { return request.work(i); }
  template <class Team>
  GLT_HOST_DEVICE void operator()(Team const& team, std::int64_t i) const {
    auto const first = write.drawn[i];
    auto const count = write.drawn[i + 1] - first;
    if (count > 0) {
      request.pick_by(team, i, count, sources.data() + first, ids_of(first));
    }
    write(team, i);
  }

private:
  [[nodiscard]] GLT_HOST_DEVICE edge_id* ids_of(edge_offset first) const {
    return edge_ids.empty() ? nullptr : edge_ids.data() + write.place.edges() + first;
  }
};

// Copies edge e of a hop whose rows give all their edges in order: one thread per edge, for any length of rows.
template <class Request, memory_space Space>
struct read_whole_rows {
  Request request;
  write_destinations<Space> write;
  array_view<Space, typename Request::vertex> sources; // of the hop
  array_view<Space, edge_id> edge_ids;                 // of the batch
  GLT_HOST_DEVICE void operator()(std::int64_t e) const {
    auto const i = row_of_edge(write.drawn, e);
    auto const& graph = request.graph;
    auto const before = write.place.edges();
    read_edge<typename Request::graph_type> const read{graph, graph.offset(request.row(i)), sources.data(),
                                                       edge_ids.empty() ? nullptr : edge_ids.data() + before};
    read(e, e - write.drawn[i]);
    write.col[before + e] = static_cast<local_id>(write.place.frontier.first() + i);
  }
};

// Writes the offset after frontier vertex i, for a hop whose destinations are written separately.
template <memory_space Space>
struct write_ends {
  write_destinations<Space> write;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    if (i < write.place.frontier.size()) {
      write.offsets[write.place.expanded() + i + 1] = write.place.edges() + write.drawn[i + 1];
    }
  }
};

} // namespace glt::detail
