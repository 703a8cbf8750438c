// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/detail/prefetch.hpp>
#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/csr.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/walk/detail/walk_draws.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace glt::detail {

/// Walkers that advance together, so that the cache misses of one are waited for while the others go on.
inline constexpr std::int64_t walkers_at_once = 64;

/// A probability as the words below it, out of 2³².
[[nodiscard]] constexpr std::uint32_t words_below(double probability) noexcept {
  return static_cast<std::uint32_t>(probability * 0x1p32);
}

/// Asks for the bounds of a row.
template <memory_space Space, vertex_id Vertex>
void prefetch_row(csr_view<Space, Vertex> const& graph, std::int64_t row) noexcept {
  prefetch(graph.offsets().data() + row);
}

/// Fills up a walk that ends before its step `step`.
template <memory_space Space, vertex_id Vertex>
GLT_HOST_DEVICE void end_walk(matrix_view<Space, Vertex> vertices, matrix_view<Space, edge_id> edge_ids,
                              std::int64_t walk, std::int64_t step) noexcept {
  for (auto s = step + 1; s < vertices.columns(); ++s) {
    vertices(walk, s) = -1;
  }
  for (auto s = step; edge_ids.rows() > 0 && s < edge_ids.columns(); ++s) {
    edge_ids(walk, s) = -1;
  }
}

/// Starts of walks and their names.
template <memory_space Space, vertex_id Vertex, memory_space GraphSpace = Space>
struct walk_starts {
  array_view<Space, Vertex const> vertices;
  original_ids<GraphSpace> original;
  random_key key;
  std::int64_t walks_per_start;

  [[nodiscard]] GLT_HOST_DEVICE Vertex vertex(std::int64_t walk) const noexcept { return vertices[walk / walks_per_start]; }
  [[nodiscard]] GLT_HOST_DEVICE walk_draws draws(std::int64_t walk) const noexcept {
    auto const start = vertex(walk);
    return {key, walk % walks_per_start, original.empty() ? start : original[start]};
  }
};

/// Walks along a cycle of relations; step s takes an edge of relation s modulo their number.
template <memory_space Space, vertex_id Vertex, memory_space GraphSpace = Space>
struct walk_block {
  std::span<csr_view<GraphSpace, Vertex> const> path;
  walk_starts<Space, Vertex, GraphSpace> starts;
  std::uint32_t return_below;
  matrix_view<Space, Vertex> vertices;
  matrix_view<Space, edge_id> edge_ids;

  void operator()(std::int64_t first, std::int64_t last) const {
    for (; first < last; first += walkers_at_once) {
      run(first, std::min(walkers_at_once, last - first));
    }
  }

private:
  static constexpr auto size = static_cast<std::size_t>(walkers_at_once);
  static constexpr edge_offset returned = -1;

  struct walker {
    std::int64_t walk;
    Vertex at;
    Vertex start;
    walk_draws draws;
    walk_draws::words steps;
    walk_draws::words returns;
    edge_offset taken;
  };

  void run(std::int64_t first, std::int64_t count) const {
    std::array<walker, size> walkers;
    for (std::int64_t i = 0; i < count; ++i) {
      auto& it = walkers[static_cast<std::size_t>(i)];
      it.walk = first + i;
      it.at = it.start = starts.vertex(it.walk);
      it.draws = starts.draws(it.walk);
      vertices(it.walk, 0) = it.at;
      prefetch_row(path[0], it.at);
    }
    auto const length = vertices.columns() - 1;
    auto walking = std::span(walkers).first(static_cast<std::size_t>(count));
    for (std::int64_t step = 0; step < length && !walking.empty(); ++step) {
      auto const& graph = path[static_cast<std::size_t>(step) % path.size()];
      if (step % 4 == 0) {
        draw(walking, step);
      }
      walking = walking.first(choose(walking, graph, step));
      go(walking, graph, step);
    }
  }

  void draw(std::span<walker> walking, std::int64_t step) const {
    for (auto& it : walking) {
      it.steps = it.draws.of_steps(step);
    }
    if (return_below > 0) {
      for (auto& it : walking) {
        it.returns = it.draws.of_returns(step);
      }
    }
  }

  // Decides on the edges to take; those that go on come first, and their number is returned.
  std::size_t choose(std::span<walker> walking, csr_view<GraphSpace, Vertex> const& graph, std::int64_t step) const {
    auto const word = static_cast<std::size_t>(step % 4);
    std::size_t kept = 0;
    for (auto& it : walking) {
      auto const degree = graph.degree(it.at);
      if (degree == 0) {
        end_walk(vertices, edge_ids, it.walk, step);
        continue;
      }
      if (return_below > 0 && it.returns[word] < return_below) {
        it.taken = returned;
      } else {
        it.taken = graph.offset(it.at) + it.draws.position(step, it.steps[word], degree);
        prefetch(graph.sources().data() + it.taken);
      }
      if (&walking[kept] != &it) {
        walking[kept] = it;
      }
      ++kept;
    }
    return kept;
  }

  void go(std::span<walker> walking, csr_view<GraphSpace, Vertex> const& graph, std::int64_t step) const {
    auto const& next = path[static_cast<std::size_t>(step + 1) % path.size()];
    bool const goes_on = step + 2 < vertices.columns();
    for (auto& it : walking) {
      it.at = it.taken == returned ? it.start : graph.source(it.taken);
      if (goes_on) {
        prefetch_row(next, it.at);
      }
      vertices(it.walk, step + 1) = it.at;
      if (edge_ids.rows() > 0) {
        edge_ids(it.walk, step) = it.taken == returned ? -1 : graph.id_of_edge(it.taken);
      }
    }
  }
};

} // namespace glt::detail
