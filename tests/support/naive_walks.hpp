// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/sample/walk/detail/walk_draws.hpp>
#include <glt/sample/walk/walk_options.hpp>
#include <glt/sample/walk/walks.hpp>

#include "graphs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace glt_test {

/// Walks in plain vectors and original ids.
struct plain_walks {
  std::vector<std::vector<std::int64_t>> vertices;
  std::vector<std::vector<std::int64_t>> edge_ids;

  friend bool operator==(plain_walks const&, plain_walks const&) = default;
};

/// What a walker returned; `name(column, vertex)` is the original id of a vertex.
template <class Policy, class Vertex, class Name>
plain_walks plain(glt::walks<Policy, Vertex> const& walks, Name name) {
  plain_walks made;
  for (std::int64_t w = 0; w < walks.num_walks(); ++w) {
    auto& row = made.vertices.emplace_back();
    for (std::int64_t s = 0; s <= walks.length(); ++s) {
      auto const vertex = walks.vertices()(w, s);
      row.push_back(vertex < 0 ? -1 : name(s, vertex));
    }
    if (walks.edge_ids().rows() > 0) {
      auto const ids = walks.edge_ids().row(w);
      made.edge_ids.emplace_back(ids.begin(), ids.end());
    }
  }
  return made;
}

template <class Policy, class Vertex>
plain_walks plain(glt::walks<Policy, Vertex> const& walks) {
  return plain(walks, [](std::int64_t, std::int64_t vertex) { return vertex; });
}

using naive_relation = std::vector<std::vector<in_edge>>;

namespace detail {

inline std::size_t pick(glt::detail::walk_draws const& draws, std::int64_t step, std::size_t degree) {
  for (std::uint32_t attempt = 0;; ++attempt) {
    auto const product = std::uint64_t{draws.of_steps(step, attempt)[static_cast<std::size_t>(step % 4)]} * degree;
    if ((product & 0xFFFFFFFF) >= (std::uint64_t{1} << 32) % degree) {
      return static_cast<std::size_t>(product >> 32);
    }
  }
}

/// Calls step(draws, walk) with a walk that has only its start, for all walks; what is short is filled with −1.
template <class Walk>
plain_walks walk_from(std::vector<std::int64_t> const& starts, std::int64_t length, std::int64_t walks_per_start,
                      bool edge_ids, glt::sample_key key, Walk walk) {
  plain_walks made;
  for (auto const start : starts) {
    for (std::int64_t number = 0; number < walks_per_start; ++number) {
      std::vector<std::int64_t> vertices{start};
      std::vector<std::int64_t> edges;
      walk(glt::detail::walk_draws(glt::detail::walk_key(key), number, start), vertices, edges);
      vertices.resize(static_cast<std::size_t>(length) + 1, -1);
      edges.resize(static_cast<std::size_t>(length), -1);
      made.vertices.push_back(vertices);
      if (edge_ids) {
        made.edge_ids.push_back(edges);
      }
    }
  }
  return made;
}

} // namespace detail

/// Walks along relations, step by step as their definition says, in original ids.
inline plain_walks naive_metapath_walks(std::vector<naive_relation> const& path,
                                        std::vector<std::int64_t> const& starts, glt::walk_options const& options,
                                        glt::sample_key key) {
  auto const returns = static_cast<std::uint64_t>(options.restart * 0x1p32);
  auto const walk = [&](glt::detail::walk_draws const& draws, auto& vertices, auto& edges) {
    for (std::int64_t step = 0; step < options.length; ++step) {
      auto const& row = path[static_cast<std::size_t>(step) % path.size()][static_cast<std::size_t>(vertices.back())];
      if (row.empty()) {
        return;
      }
      if (draws.of_returns(step)[static_cast<std::size_t>(step % 4)] < returns) {
        vertices.push_back(vertices.front());
        edges.push_back(-1);
      } else {
        auto const [source, id] = row[detail::pick(draws, step, row.size())];
        vertices.push_back(source);
        edges.push_back(id);
      }
    }
  };
  return detail::walk_from(starts, options.length, options.walks_per_start, options.edge_ids, key, walk);
}

inline plain_walks naive_walks(edge_list const& graph, std::vector<std::int64_t> const& starts,
                               glt::walk_options const& options, glt::sample_key key) {
  return naive_metapath_walks({naive_rows(graph)}, starts, options, key);
}

inline bool is_in_row(std::vector<in_edge> const& row, std::int64_t source) {
  return std::ranges::any_of(row, [&](in_edge const& edge) { return edge.first == source; });
}

/// How much a node2vec walk from t over v likes to go to x.
inline double node2vec_weight(naive_relation const& rows, glt::node2vec_options const& options, std::int64_t t,
                              std::int64_t x) {
  return x == t ? 1 / options.p : is_in_row(rows[static_cast<std::size_t>(t)], x) ? 1 : 1 / options.q;
}

namespace detail {

/// Position within the row of the last vertex, by an exact draw.
inline std::size_t first_to_arrive(naive_relation const& rows, glt::node2vec_options const& options,
                                   glt::detail::walk_draws const& draws, std::int64_t step,
                                   std::vector<std::int64_t> const& vertices) {
  auto const& row = rows[static_cast<std::size_t>(vertices.back())];
  std::vector<double> times;
  for (auto const& [source, id] : row) {
    auto time = draws.variate(step, static_cast<std::uint32_t>(times.size()));
    if (step > 0) {
      auto const before = vertices[static_cast<std::size_t>(step) - 1];
      time *= source == before ? options.p : is_in_row(rows[static_cast<std::size_t>(before)], source) ? 1 : options.q;
    }
    times.push_back(time);
  }
  return static_cast<std::size_t>(std::ranges::min_element(times) - times.begin());
}

} // namespace detail

inline plain_walks naive_node2vec_walks(edge_list const& graph, std::vector<std::int64_t> const& starts,
                                        glt::node2vec_options const& options, glt::sample_key key) {
  auto const rows = naive_rows(graph);
  auto const most = std::max({1.0, 1 / options.p, 1 / options.q});
  auto const walk = [&](glt::detail::walk_draws const& draws, auto& vertices, auto& edges) {
    for (std::uint32_t attempt = 0; std::ssize(edges) < options.length; ++attempt) {
      auto const& row = rows[static_cast<std::size_t>(vertices.back())];
      if (row.empty()) {
        return;
      }
      if (attempt >= std::max<std::size_t>(64, row.size())) {
        auto const [source, id] = row[detail::first_to_arrive(rows, options, draws, std::ssize(edges), vertices)];
        vertices.push_back(source);
        edges.push_back(id);
        attempt = 0xFFFFFFFF; // and 0 next
        continue;
      }
      auto const words = draws.of_attempt(std::ssize(edges), attempt);
      auto const product = std::uint64_t{words[0]} * row.size();
      if ((product & 0xFFFFFFFF) < (std::uint64_t{1} << 32) % row.size()) {
        continue;
      }
      auto const [source, id] = row[product >> 32];
      auto const number = static_cast<double>((words[2] | (std::uint64_t{words[3]} << 32)) >> 11) * 0x1p-53;
      if (edges.empty() || number < node2vec_weight(rows, options, vertices[edges.size() - 1], source) / most) {
        vertices.push_back(source);
        edges.push_back(id);
        attempt = 0xFFFFFFFF; // and 0 next
      }
    }
  };
  return detail::walk_from(starts, options.length, options.walks_per_start, options.edge_ids, key, walk);
}

/// Starts from all over a graph, one of them twice; none in an empty graph.
inline std::vector<std::int64_t> some_starts(std::int64_t num_vertices, std::int64_t count) {
  std::vector<std::int64_t> starts;
  for (std::int64_t i = 0; i < (num_vertices == 0 ? 0 : count); ++i) {
    starts.push_back((i * 31 + 5) % num_vertices);
  }
  if (starts.size() > 2) {
    starts[2] = starts[0];
  }
  return starts;
}

template <class Vertex = glt::local_id>
std::vector<Vertex> narrowed(std::vector<std::int64_t> const& ids) {
  return {ids.begin(), ids.end()};
}

} // namespace glt_test
