// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/sample/link/detail/edge_search.hpp>
#include <glt/sample/walk/detail/node2vec_choice.hpp>
#include <glt/sample/walk/detail/walk_block.hpp>
#include <glt/sample/walk/detail/walk_draws.hpp>

#include <cstddef>
#include <cstdint>

namespace glt::detail {

/// The same relation in every step.
template <class Graph>
struct one_relation {
  Graph graph;
  [[nodiscard]] GLT_HOST_DEVICE Graph const& operator[](std::int64_t) const noexcept { return graph; }
};

/// Relation after relation, and from the last one on to the first.
template <memory_space Space, class Graph>
struct relation_cycle {
  array_view<Space, Graph const> relations;
  [[nodiscard]] GLT_HOST_DEVICE Graph const& operator[](std::int64_t step) const noexcept {
    return relations[step % relations.size()];
  }
};

/// One walk of a `walk_block` from its start to its end: what a thread of a GPU does.
template <class Path, memory_space Space, vertex_id Vertex, memory_space GraphSpace>
struct walk_alone {
  Path path;
  walk_starts<Space, Vertex, GraphSpace> starts;
  std::uint32_t return_below;
  matrix_view<Space, Vertex> vertices;
  matrix_view<Space, edge_id> edge_ids;

  GLT_HOST_DEVICE void operator()(std::int64_t walk) const {
    auto const start = starts.vertex(walk);
    auto const draws = starts.draws(walk);
    auto const length = vertices.columns() - 1;
    auto at = start;
    vertices(walk, 0) = start;
    walk_draws::words steps{};
    walk_draws::words returns{};
    for (std::int64_t step = 0; step < length; ++step) {
      auto const& graph = path[step];
      auto const degree = graph.degree(at);
      if (degree == 0) {
        end_walk(vertices, edge_ids, walk, step);
        return;
      }
      auto const word = static_cast<std::size_t>(step % 4);
      if (word == 0) {
        steps = draws.of_steps(step);
        returns = return_below > 0 ? draws.of_returns(step) : returns;
      }
      bool const returned = return_below > 0 && returns[word] < return_below;
      auto const taken = returned ? edge_offset{-1} : graph.offset(at) + draws.position(step, steps[word], degree);
      at = returned ? start : graph.source(taken);
      vertices(walk, step + 1) = at;
      if (edge_ids.rows() > 0) {
        edge_ids(walk, step) = returned ? edge_id{-1} : graph.id_of_edge(taken);
      }
    }
  }
};

/// One walk of a `node2vec_block`.
template <memory_space Space, vertex_id Vertex, memory_space GraphSpace>
struct node2vec_alone {
  edge_search<GraphSpace, Vertex> edges;
  walk_starts<Space, Vertex, GraphSpace> starts;
  node2vec_choice choice;
  matrix_view<Space, Vertex> vertices;
  matrix_view<Space, edge_id> edge_ids;

  GLT_HOST_DEVICE void operator()(std::int64_t walk) const {
    auto const draws = starts.draws(walk);
    auto const length = vertices.columns() - 1;
    auto at = starts.vertex(walk);
    auto previous = Vertex{-1};
    vertices(walk, 0) = at;
    std::uint32_t attempt = 0;
    for (std::int64_t step = 0; step < length;) {
      auto const degree = edges.graph.degree(at);
      if (degree == 0) {
        end_walk(vertices, edge_ids, walk, step);
        return;
      }
      auto const words = draws.of_attempt(step, attempt++);
      auto const position = node2vec_choice::position(words, degree);
      if (position < 0) {
        continue;
      }
      auto const taken = edges.graph.offset(at) + position;
      auto const candidate = edges.graph.source(taken);
      if (!takes(words, previous, candidate)) {
        continue;
      }
      if (edge_ids.rows() > 0) {
        edge_ids(walk, step) = edges.graph.id_of_edge(taken);
      }
      vertices(walk, ++step) = candidate;
      previous = at;
      at = candidate;
      attempt = 0;
    }
  }

private:
  [[nodiscard]] GLT_HOST_DEVICE bool takes(walk_draws::words const& words, Vertex previous, Vertex candidate) const {
    auto const decided = choice.decide(words, previous, candidate);
    bool const asks = decided == verdict::accept_neighbor || decided == verdict::accept_stranger;
    return accepts(decided, asks && edges(previous, candidate));
  }
};

} // namespace glt::detail
