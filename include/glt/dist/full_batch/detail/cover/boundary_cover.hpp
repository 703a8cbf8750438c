// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/full_batch/detail/boundary.hpp>
#include <glt/dist/full_batch/detail/rotation.hpp>
#include <glt/dist/full_batch/detail/shard_rows.hpp>

namespace glt::detail {

/// Chooses few sources of a shard that, with the destinations of all other edges, cover the edges. The choice is
/// greedy: next comes the vertex with the most edges that are not covered yet. A cover is never larger than all
/// sources, nor than all destinations.
///
/// The smallest cover can be found in O(E √V) (Kőnig's theorem; Hopcroft, Karp); a greedy one may be larger.
///
/// @shape  by_destination and by_source are the same edges; returns [by_destination.num_columns], 1 for chosen sources
/// @cost   O(E log V)
template <memory_space Space>
[[nodiscard]] std::vector<char> choose_sources(shard_view<Space> const& by_destination,
                                               shard_view<Space> const& by_source) {
  auto const num_destinations = by_destination.rows.size();
  auto const num_vertices = num_destinations + by_source.rows.size(); // destinations first
  auto const shard_of = [&](std::int64_t v) -> shard_view<Space> const& {
    return v < num_destinations ? by_destination : by_source;
  };
  auto const place_of = [&](std::int64_t v) { return v < num_destinations ? v : v - num_destinations; };
  auto const offset = [&](std::int64_t v, std::int64_t end) { return shard_of(v).offsets[place_of(v) + end]; };
  auto const vertex_of = [](shard_view<Space> const& shard, local_id row) {
    return std::lower_bound(shard.rows.data(), shard.rows.data() + shard.rows.size(), row) - shard.rows.data();
  };
  std::vector<edge_offset> uncovered(static_cast<std::size_t>(num_vertices));
  // vertices by the number of uncovered edges that they had when they were put here
  std::vector<std::vector<std::int64_t>> of_degree;
  auto const put = [&](std::int64_t v) {
    auto const degree = static_cast<std::size_t>(uncovered[static_cast<std::size_t>(v)]);
    of_degree.resize(std::max(of_degree.size(), degree + 1));
    of_degree[degree].push_back(v);
  };
  for (std::int64_t v = 0; v < num_vertices; ++v) {
    uncovered[static_cast<std::size_t>(v)] = offset(v, 1) - offset(v, 0);
    put(v);
  }
  std::vector<char> is_taken(static_cast<std::size_t>(num_vertices), 0);
  std::int64_t taken = 0;
  for (auto degree = of_degree.size(); degree-- > 1;) {
    while (!of_degree[degree].empty()) {
      auto const v = of_degree[degree].back();
      of_degree[degree].pop_back();
      if (uncovered[static_cast<std::size_t>(v)] != static_cast<edge_offset>(degree)) {
        put(v); // it has fewer by now
        continue;
      }
      is_taken[static_cast<std::size_t>(v)] = 1;
      ++taken;
      bool const is_destination = v < num_destinations;
      auto const& others = is_destination ? by_source : by_destination;
      for (auto e = offset(v, 0); e < offset(v, 1); ++e) {
        auto const other = vertex_of(others, shard_of(v).columns[e]) + (is_destination ? num_destinations : 0);
        if (is_taken[static_cast<std::size_t>(other)] == 0) {
          --uncovered[static_cast<std::size_t>(other)];
        }
      }
    }
  }
  auto const num_sources = by_source.rows.size();
  bool const takes_all = num_sources <= std::min(taken, num_destinations);
  std::vector<char> chosen(static_cast<std::size_t>(by_destination.num_columns), 0);
  for (std::int64_t i = 0; i < num_sources && (takes_all || taken <= num_destinations); ++i) {
    chosen[static_cast<std::size_t>(by_source.rows[i])] =
        takes_all ? 1 : is_taken[static_cast<std::size_t>(num_destinations + i)];
  }
  return chosen;
}

struct listed_edge {
  local_id row;
  local_id column;
  local_id number;
};

/// Edges between two ranks as compressed rows. Only rows with edges are listed; edges of a row ascend by number.
class listed_edges {
public:
  listed_edges() = default;
  explicit listed_edges(std::vector<listed_edge> edges) {
    std::ranges::sort(edges, {}, [](listed_edge const& edge) { return std::pair(edge.row, edge.number); });
    for (auto const& [row, column, number] : edges) {
      if (rows_.empty() || rows_.back() != row) {
        rows_.push_back(row);
        offsets_.push_back(std::ssize(columns_));
      }
      columns_.push_back(column);
      numbers_.push_back(number);
    }
    offsets_.push_back(std::ssize(columns_));
  }

  template <memory_space Space>
  [[nodiscard]] shard_view<Space> view(std::int64_t num_rows, std::int64_t num_columns) const {
    return {.num_rows = num_rows,
            .num_columns = num_columns,
            .num_edges = std::ssize(columns_),
            .rows = {rows_.data(), std::ssize(rows_)},
            .offsets = {offsets_.data(), std::ssize(offsets_)},
            .columns = {columns_.data(), std::ssize(columns_)},
            .edges = {numbers_.data(), std::ssize(numbers_)}};
  }

private:
  std::vector<local_id> rows_;
  std::vector<edge_offset> offsets_;
  std::vector<local_id> columns_;
  std::vector<local_id> numbers_;
};

/// Boundary between a rank and the peer of a step, which owns the sources of the edges.
template <memory_space Space>
struct incoming_boundary {
  shard_view<Space> pulled; ///< edges of pulled sources: local destinations by places of source rows in the block
  shard_view<Space> pulled_by_source;
  array_view<Space, local_id const> summed; ///< local destinations that get partial results for their other edges
  array_view<Space, local_id const> pushed; ///< these other edges, positions in the graph's rows; ascending
};

/// Boundary between a rank and the rank k places before it, which owns the destinations of the edges.
template <memory_space Space>
struct outgoing_boundary {
  array_view<Space, local_id const> sent; ///< local rows that the other rank pulls
  shard_view<Space> pushed;               ///< edges of partial results by local sources, numbered as on the peer
  shard_view<Space> pushed_by_source;
};

/// Division of the boundary edges into pulled and pushed ones, for each pair of owners. A pulled edge gets its source's
/// row. A pushed edge adds to a partial result, which the owner of its source sends.
///
/// Concurrent calls: const members may run concurrently.
template <memory_space Space>
class boundary_cover {
public:
  /// @comm   collective; three header exchanges, and for each pair of ranks 4 bytes for every pulled source and 8 for
  ///         every pushed edge
  /// @throws collective_error  on every rank, if one has no memory for the cover
  template <class Graph>
  explicit boundary_cover(Graph& graph) : num_own_(graph.num_sources()), num_rows_(graph.num_destinations()) {
    auto const size = graph.size();
    steps_.resize(static_cast<std::size_t>(size));
    std::vector<std::int64_t> counts(static_cast<std::size_t>(size), 0); // of numbers for each rank
    std::vector<std::vector<local_id>> blocks(static_cast<std::size_t>(size));
    call_site const site{.what = operation::make_shards, .step = graph.passes().next_number()};
    auto failure = failure_of([&] {
      for (std::int64_t k = 1; k < size; ++k) {
        blocks[static_cast<std::size_t>(k)] =
            divide(graph.shard(k), graph.transposed(k), steps_[static_cast<std::size_t>(k)]);
        counts[static_cast<std::size_t>(peer_at(graph.rank(), size, k))] =
            std::ssize(blocks[static_cast<std::size_t>(k)]);
      }
    });
    std::vector<call_header> headers;
    exchange_headers(graph.host(), site, counts, 0, failure, headers);
    auto const bytes_to = [&](std::int64_t k) {
      return std::ssize(blocks[static_cast<std::size_t>(k)]) * number_bytes;
    };
    auto const bytes_from = [&](std::int64_t k) {
      return headers[static_cast<std::size_t>(peer_at(graph.rank(), size, size - k))].count * number_bytes;
    };
    failure = failure_of([&] {
      std::int64_t most_out = 0;
      std::int64_t most_in = 0;
      for (std::int64_t k = 1; k < size; ++k) {
        most_out = std::max(most_out, bytes_to(k));
        most_in = std::max(most_in, bytes_from(k));
      }
      graph.passes().reserve(most_out, most_in);
    });
    agree(graph.host(), site, failure);
    graph.passes().run(
        row_flow::push, bytes_to, bytes_from,
        [&](std::int64_t k, std::byte* block) {
          if (bytes_to(k) > 0) {
            std::memcpy(block, blocks[static_cast<std::size_t>(k)].data(), static_cast<std::size_t>(bytes_to(k)));
          }
        },
        [&](std::int64_t k, std::byte const* block) {
          failure = failure.empty() ? failure_of([&] { serve(graph.sent_rows(k), block, bytes_from(k), k); }) : failure;
        },
        [] {});
    agree(graph.host(), site, failure);
  }

  [[nodiscard]] incoming_boundary<Space> incoming(std::int64_t k) const {
    auto const& own = at(k);
    return {.pulled = own.pulled.template view<Space>(num_rows_, own.num_pulled),
            .pulled_by_source = own.pulled_by_source.template view<Space>(own.num_pulled, num_rows_),
            .summed = view_of(own.summed),
            .pushed = view_of(own.pushed_positions)};
  }
  [[nodiscard]] outgoing_boundary<Space> outgoing(std::int64_t k) const {
    auto const& own = at(k);
    return {.sent = view_of(own.sent),
            .pushed = own.pushed.template view<Space>(own.num_served, num_own_),
            .pushed_by_source = own.pushed_by_source.template view<Space>(num_own_, own.num_served)};
  }
  /// Return the rows and partial sums of step k: received from the peer, and sent to the rank k places before.
  [[nodiscard]] std::int64_t num_received(std::int64_t k) const { return at(k).num_pulled + std::ssize(at(k).summed); }
  [[nodiscard]] std::int64_t num_sent(std::int64_t k) const { return std::ssize(at(k).sent) + at(k).num_served; }
  /// Returns the number of edges whose partial results this rank computes before step `end`; all of them for R.
  [[nodiscard]] std::int64_t num_served_before(std::int64_t end) const {
    std::int64_t count = 0;
    for (std::int64_t k = 1; k < end; ++k) {
      count += outgoing(k).pushed.num_edges;
    }
    return count;
  }

private:
  static constexpr std::int64_t number_bytes = sizeof(local_id);

  struct step {
    listed_edges pulled, pulled_by_source, pushed, pushed_by_source;
    std::int64_t num_pulled = 0;
    std::int64_t num_served = 0;
    std::vector<local_id> summed;
    std::vector<local_id> pushed_positions;
    std::vector<local_id> sent;
  };
  [[nodiscard]] step const& at(std::int64_t k) const { return steps_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] static array_view<Space, local_id const> view_of(std::vector<local_id> const& list) {
    return {list.data(), std::ssize(list)};
  }

  // Returns the message to the owner of the sources: the number of rows to send, their places in its list, and the ends
  // of pushed edges.
  [[nodiscard]] static std::vector<local_id> divide(shard_view<Space> const& shard, shard_view<Space> const& transposed,
                                                    step& own) {
    std::vector<local_id> told;
    if (shard.rows.size() == 0) {
      return told;
    }
    auto const chosen = choose_sources(shard, transposed);
    std::vector<local_id> place_in_block(chosen.size(), 0);
    told.push_back(0);
    for (std::size_t source = 0; source < chosen.size(); ++source) {
      if (chosen[source] != 0) {
        place_in_block[source] = static_cast<local_id>(own.num_pulled++);
        told.push_back(static_cast<local_id>(source));
      }
    }
    told.front() = static_cast<local_id>(own.num_pulled);
    std::vector<listed_edge> edges;
    for (std::int64_t i = 0; i < shard.rows.size(); ++i) {
      for (auto e = shard.offsets[i]; e < shard.offsets[i + 1]; ++e) {
        auto const source = shard.columns[e];
        if (chosen[static_cast<std::size_t>(source)] != 0) {
          edges.push_back({shard.rows[i], place_in_block[static_cast<std::size_t>(source)], shard.edges[e]});
          continue;
        }
        if (own.summed.empty() || own.summed.back() != shard.rows[i]) {
          own.summed.push_back(shard.rows[i]);
        }
        told.push_back(static_cast<local_id>(own.summed.size() - 1));
        told.push_back(source);
        own.pushed_positions.push_back(shard.edges[e]);
      }
    }
    own.pulled_by_source = listed_edges(swapped(edges));
    own.pulled = listed_edges(std::move(edges));
    return told;
  }

  void serve(array_view<Space, local_id const> rows, std::byte const* block, std::int64_t bytes, std::int64_t k) {
    auto& own = steps_[static_cast<std::size_t>(k)];
    std::vector<local_id> told(static_cast<std::size_t>(bytes / number_bytes));
    if (told.empty()) {
      return;
    }
    std::memcpy(told.data(), block, static_cast<std::size_t>(bytes));
    auto const first_edge = 1 + static_cast<std::size_t>(told[0]);
    for (std::size_t i = 1; i < first_edge; ++i) {
      own.sent.push_back(rows[told[i]]);
    }
    std::vector<listed_edge> edges;
    for (auto i = first_edge; i + 1 < told.size(); i += 2) {
      own.num_served = told[i] + 1; // they ascend
      edges.push_back({told[i], rows[told[i + 1]], static_cast<local_id>(edges.size())});
    }
    own.pushed_by_source = listed_edges(swapped(edges));
    own.pushed = listed_edges(std::move(edges));
  }

  [[nodiscard]] static std::vector<listed_edge> swapped(std::vector<listed_edge> edges) {
    for (auto& edge : edges) {
      std::swap(edge.row, edge.column);
    }
    return edges;
  }

  std::int64_t num_own_;
  std::int64_t num_rows_;
  std::vector<step> steps_; // [R]
};

} // namespace glt::detail
