// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Number of walkers that advance together, so that their cache misses overlap.
inline constexpr std::int64_t walkers_at_once = 64;

/// Work of a GPU thread: moves one walker while it can be moved here. `walk_block` describes the parameters.
template <class Step, class Walkers>
struct walk_alone {
  Step step;
  Walkers walkers;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    typename Step::template state<typename Walkers::walker> it;
    walkers.load(i, it);
    step.begin(it);
    while (!walkers.done(it)) {
      step.draw(std::span(&it, 1));
      if (!step.choose(it)) {
        walkers.end(it);
        return;
      }
      step.look(it);
      step.judge(it);
      step.go(it, walkers);
    }
    walkers.leave(it);
  }
};

/// Work of a host thread: moves walkers block by block while they can be moved here; all make an attempt at the same
/// time.
///
/// `Step` chooses the next vertex of a walker; every call prefetches the memory that the next call reads:
///
/// - `step.begin(it)`: a walker has arrived
/// - `step.draw(span)`: random numbers of several steps, if they are due
/// - `step.choose(it)`: picks an edge; false if the vertex has none
/// - `step.look(it)`: reads the source of the edge
/// - `step.judge(it)`, or `judge(span)` for a block: reads other rows if they matter
/// - `step.go(it, walkers)`: reports the vertex to `walkers` and goes there, unless another attempt is needed
/// - `step.advance()`: every walker of the block has made an attempt
///
/// `Walkers` provides the walkers and receives the results:
///
/// - `walkers.load(i, it)`: walker i, in [0, n)
/// - `walkers.visit(it, vertex, step)`: `it` makes its step to `vertex`, by the edge `step.edge_of(it)`
/// - `walkers.done(it)`: true if it cannot be moved any more; then `walkers.leave(it)`
/// - `walkers.end(it)`: it is at a vertex without edges
template <class Step, class Walkers>
struct walk_block {
  Step step;
  Walkers walkers;

  void operator()(std::int64_t first, std::int64_t last) const {
    for (; first < last; first += walkers_at_once) {
      run(step, first, std::min(walkers_at_once, last - first));
    }
  }

private:
  using state = typename Step::template state<typename Walkers::walker>;

  void run(Step moves, std::int64_t first, std::int64_t count) const {
    std::array<state, static_cast<std::size_t>(walkers_at_once)> states;
    auto walking = std::span(states).first(static_cast<std::size_t>(count));
    for (auto& it : walking) {
      walkers.load(first++, it);
      moves.begin(it);
    }
    while (!walking.empty()) {
      moves.draw(walking);
      walking = walking.first(choose(moves, walking));
      for (auto& it : walking) {
        moves.look(it);
      }
      moves.judge(walking);
      for (auto& it : walking) {
        moves.go(it, walkers);
      }
      moves.advance();
    }
  }

  // Moves the walkers that go on to the front; returns their number.
  std::size_t choose(Step const& moves, std::span<state> walking) const {
    auto* kept = walking.data();
    for (auto& it : walking) {
      if (walkers.done(it)) {
        walkers.leave(it);
      } else if (!moves.choose(it)) {
        walkers.end(it);
      } else {
        if (kept != &it) {
          *kept = it;
        }
        ++kept;
      }
    }
    return static_cast<std::size_t>(kept - walking.data());
  }
};

/// Moves n walkers with the executor of a policy.
///
/// @where  enqueues
template <device_policy Policy, class Step, class Walkers>
void move_walkers(Policy const& policy, std::int64_t n, Step step, Walkers walkers) {
  if constexpr (host_policy<Policy>) {
    policy.executor().for_ranges(n, walkers_at_once, walk_block<Step, Walkers>{step, walkers});
  } else {
    policy.executor().for_each(n, walk_alone<Step, Walkers>{step, walkers});
  }
}

} // namespace glt::detail
