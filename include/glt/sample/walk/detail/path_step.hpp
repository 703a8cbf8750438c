// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/sample/walk/detail/walk_draws.hpp>

namespace glt::detail {

/// Path with the same relation in every step.
template <class Rows, bool Common = false>
struct one_relation {
  static constexpr bool common = Common; ///< all walkers of a block are at the same step
  Rows rows;
  [[nodiscard]] GLT_HOST_DEVICE Rows const& at(std::int32_t) const noexcept { return rows; }
  [[nodiscard]] GLT_HOST_DEVICE Rows const& after(std::int32_t) const noexcept { return rows; }
  void advance() noexcept {}
};

/// Path along one relation after the other; the first follows the last.
template <memory_space Space, class Rows>
struct relation_cycle {
  static constexpr bool common = false;
  array_view<Space, Rows const> relations;
  [[nodiscard]] GLT_HOST_DEVICE Rows const& at(std::int32_t step) const noexcept {
    return relations[step % relations.size()];
  }
  [[nodiscard]] GLT_HOST_DEVICE Rows const& after(std::int32_t step) const noexcept { return at(step + 1); }
  void advance() noexcept {}
};

/// Counterpart of `relation_cycle` for walkers that are all at the same step, from 0 on.
template <memory_space Space, class Rows>
struct common_relation {
  static constexpr bool common = true;
  array_view<Space, Rows const> relations;
  std::int64_t now = 0;
  [[nodiscard]] GLT_HOST_DEVICE Rows const& at(std::int32_t) const noexcept { return relations[now]; }
  [[nodiscard]] GLT_HOST_DEVICE Rows const& after(std::int32_t) const noexcept { return relations[next()]; }
  void advance() noexcept { now = next(); }

private:
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t next() const noexcept { return now + 1 == relations.size() ? 0 : now + 1; }
};

/// Walker along a cycle of relations.
template <class Row = local_id, class Number = std::int32_t>
struct path_walker {
  walk_draws draws;  ///< until the start's owner has named the draws: the walk's number among the walks of its start
  Row row;           ///< of its vertex, at the owner
  std::int32_t home; ///< rank that the walk belongs to
  Number walk;
  std::int32_t step;

  GLT_HOST_DEVICE void set_start(global_id, Row at) noexcept { row = at; }
  /// Returns the number of its row, for `rows` that hold it.
  [[nodiscard]] GLT_HOST_DEVICE Row row_in(auto const&) const noexcept { return row; }
};

/// Walker that sometimes returns to its start.
template <class Vertex = global_id, class Row = local_id, class Number = std::int32_t>
struct returning_walker : path_walker<Row, Number> {
  Vertex start;

  GLT_HOST_DEVICE void set_start(global_id vertex, Row at) noexcept {
    start = static_cast<Vertex>(vertex);
    this->row = at;
  }
};

/// Returns a probability as the number of words below it, out of 2³².
[[nodiscard]] constexpr std::uint32_t words_below(double probability) noexcept {
  return static_cast<std::uint32_t>(probability * 0x1p32);
}

/// Step of a walk along relations, with every edge of a row equally likely. Walkers that know their start return to it
/// with a probability. `walk_block` describes the members.
template <class Path>
struct path_step {
  Path path;
  std::uint32_t return_below = 0; ///< `words_below` the probability of a return

  template <class Walker>
  struct state : Walker {
    static constexpr bool returns = requires(Walker walker) { walker.start; };
    walk_draws::words steps;
    walk_draws::words return_words;
    edge_offset taken;
  };

  GLT_HOST_DEVICE void begin(auto& it) const noexcept {
    if (it.step % 4 != 0) {
      draw_four(it, it.step);
    }
    path.at(it.step).prefetch(it, it.row);
  }

  template <class State>
  GLT_HOST_DEVICE void draw(std::span<State> walking) const noexcept {
    if (auto const step = walking.front().step; !Path::common || step % 4 == 0) {
      for (auto& it : walking) {
        if (Path::common || it.step % 4 == 0) {
          draw_four(it, Path::common ? step : it.step);
        }
      }
    }
  }

  template <class State>
  [[nodiscard]] GLT_HOST_DEVICE bool choose(State& it) const noexcept {
    auto const& graph = path.at(it.step).graph_of(it);
    auto const degree = graph.degree(it.row);
    if (degree == 0) {
      return false;
    }
    auto const word = static_cast<std::size_t>(it.step) % 4;
    if (State::returns && it.return_words[word] < return_below) {
      it.taken = returned;
    } else {
      it.taken = graph.offset(it.row) + it.draws.position(it.step, it.steps[word], degree);
      prefetch(graph.sources().data() + it.taken);
    }
    return true;
  }

  GLT_HOST_DEVICE void look(auto&) const noexcept {}
  GLT_HOST_DEVICE void judge(auto&&) const noexcept {}

  GLT_HOST_DEVICE void go(auto& it, auto const& walkers) const {
    auto const vertex = next_vertex(it);
    auto const& rows = path.after(it.step);
    walkers.visit(it, vertex, *this);
    ++it.step;
    it.row = rows.enter(it, vertex);
    rows.prefetch(it, it.row);
  }

  /// Returns the id of the edge that `it` is about to take; −1 for a return.
  template <class State>
  [[nodiscard]] GLT_HOST_DEVICE edge_id edge_of(State const& it) const noexcept {
    return State::returns && it.taken == returned ? -1 : path.at(it.step).graph_of(it).id_of_edge(it.taken);
  }

  void advance() noexcept { path.advance(); }

private:
  static constexpr edge_offset returned = -1;

  // Four steps share their words.
  template <class State>
  GLT_HOST_DEVICE void draw_four(State& it, std::int32_t step) const noexcept {
    it.steps = it.draws.of_steps(step);
    if constexpr (State::returns) {
      it.return_words = it.draws.of_returns(step);
    }
  }

  template <class State>
  [[nodiscard]] GLT_HOST_DEVICE auto next_vertex(State const& it) const noexcept {
    auto const& graph = path.at(it.step).graph_of(it);
    if constexpr (State::returns) {
      using vertex_type = decltype(graph.source(0));
      return it.taken == returned ? static_cast<vertex_type>(it.start) : graph.source(it.taken);
    } else {
      return graph.source(it.taken);
    }
  }
};

} // namespace glt::detail
