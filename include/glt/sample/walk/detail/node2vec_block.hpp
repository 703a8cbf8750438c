// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/prefetch.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/sample/link/detail/edge_search.hpp>
#include <glt/sample/walk/detail/edge_questions.hpp>
#include <glt/sample/walk/detail/node2vec_choice.hpp>
#include <glt/sample/walk/detail/walk_block.hpp>
#include <glt/sample/walk/detail/walk_draws.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace glt::detail {

/// Walks by rejection; every round makes one attempt for every walker, each of which is at a step of its own.
template <memory_space Space, vertex_id Vertex, memory_space GraphSpace = Space>
struct node2vec_block {
  edge_search<GraphSpace, Vertex> edges;
  walk_starts<Space, Vertex, GraphSpace> starts;
  node2vec_choice choice;
  matrix_view<Space, Vertex> vertices;
  matrix_view<Space, edge_id> edge_ids;

  void operator()(std::int64_t first, std::int64_t last) const {
    for (; first < last; first += walkers_at_once) {
      run(first, std::min(walkers_at_once, last - first));
    }
  }

private:
  static constexpr auto size = static_cast<std::size_t>(walkers_at_once);
  static constexpr edge_offset nowhere = -1;

  struct walker {
    std::int64_t walk;
    std::int64_t step;
    Vertex at;
    Vertex previous;
    Vertex candidate;
    std::uint32_t attempt;
    walk_draws draws;
    walk_draws::words words;
    edge_offset taken;
    verdict decided;
    bool neighbor; // of the vertex before, if that matters
  };

  void run(std::int64_t first, std::int64_t count) const {
    std::array<walker, size> walkers;
    for (std::int64_t i = 0; i < count; ++i) {
      auto& it = walkers[static_cast<std::size_t>(i)];
      it.walk = first + i;
      it.step = 0;
      it.at = starts.vertex(it.walk);
      it.previous = -1;
      it.attempt = 0;
      it.neighbor = false;
      it.draws = starts.draws(it.walk);
      vertices(it.walk, 0) = it.at;
      prefetch_row(edges.graph, it.at);
    }
    auto walking = std::span(walkers).first(static_cast<std::size_t>(count));
    while (!walking.empty()) {
      walking = walking.first(choose(walking));
      look(walking);
      ask(walking);
      go(walking);
    }
  }

  // Picks candidates for those that can go on; these come first, and their number is returned.
  std::size_t choose(std::span<walker> walking) const {
    std::size_t kept = 0;
    for (auto& it : walking) {
      auto const degree = edges.graph.degree(it.at);
      if (it.step == vertices.columns() - 1 || degree == 0) {
        end_walk(vertices, edge_ids, it.walk, it.step);
        continue;
      }
      it.words = it.draws.of_attempt(it.step, it.attempt);
      auto const position = node2vec_choice::position(it.words, degree);
      it.taken = position < 0 ? nowhere : edges.graph.offset(it.at) + position;
      if (it.taken != nowhere) {
        prefetch(edges.graph.sources().data() + it.taken);
      }
      if (&walking[kept] != &it) {
        walking[kept] = it;
      }
      ++kept;
    }
    return kept;
  }

  void look(std::span<walker> walking) const {
    for (auto& it : walking) {
      it.decided = verdict::reject;
      if (it.taken != nowhere) {
        it.candidate = edges.graph.source(it.taken);
        it.decided = choice.decide(it.words, it.previous, it.candidate);
        prefetch_row(edges.graph, it.candidate);
      }
    }
  }

  void ask(std::span<walker> walking) const {
    std::array<edge_question<Vertex>, size> questions;
    std::array<walker*, size> asking;
    std::size_t count = 0;
    for (auto& it : walking) {
      if (it.decided == verdict::accept_neighbor || it.decided == verdict::accept_stranger) {
        questions[count].row = it.previous;
        questions[count].source = it.candidate;
        asking[count++] = &it;
      }
    }
    answer(edges, std::span(questions).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      asking[i]->neighbor = questions[i].found;
    }
  }

  void go(std::span<walker> walking) const {
    for (auto& it : walking) {
      if (!accepts(it.decided, it.neighbor)) {
        ++it.attempt;
        continue;
      }
      if (edge_ids.rows() > 0) {
        edge_ids(it.walk, it.step) = edges.graph.id_of_edge(it.taken);
      }
      ++it.step;
      vertices(it.walk, it.step) = it.candidate;
      it.previous = it.at;
      it.at = it.candidate;
      it.attempt = 0;
    }
  }
};

} // namespace glt::detail
