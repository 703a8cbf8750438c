// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

// A team is a number of threads, its lanes, that share the work on one item, such as a row of a graph. All lanes run
// the same code with the same arguments; they differ only inside the calls below. After `once`, `for_each`, `select_if`
// and `visit_if`, all lanes see the memory that the others wrote:
//
// - `T::size`: number of lanes; `typename T::template values<V>`: a V of every lane, indexed by lane
// - `t.on_lanes(f)`: f(lane) by every lane
// - `t.any(f)`: true if f(lane) is true for some lane
// - `t.get(values, lane)`, `t.broadcast(value)`: the value of one lane, or of lane 0, for all of them
// - `t.once(f)`: f() by lane 0
// - `t.for_each(n, f)`: f(i) for i in [0, n), in any order
// - `t.count_if(n, test)`: how many i in [0, n) have test(i)
// - `t.select_if(n, most, test, f)`: f(k, i) for the first `most` i in [0, n) with test(i), which are numbered by k;
//   returns their number
// - `t.in_order(n, load, f)`: f(i, load(i)) by every lane for all i in [0, n), in order, as long as f returns true; the
//   numbers are loaded side by side
// - `t.visit_if(first, n, state, test, f)`: f(state, i) by lane 0 for i in [first, n) with test(state, i), in order. A
//   change of `state` (8 bytes) by f may reach `test` late; so such a change may only turn test(i) from true to false

/// Team of one thread that does the work of `Lanes` threads: alone, or in place of the threads of a GPU.
template <int Lanes = 1>
struct serial_team {
  static constexpr int size = Lanes;
  template <class V>
  struct values {
    V of_lane[Lanes];
    GLT_HOST_DEVICE constexpr V& operator[](int lane) noexcept { return of_lane[lane]; }
  };

  template <class F>
  GLT_HOST_DEVICE constexpr void on_lanes(F f) const {
    for (int lane = 0; lane < Lanes; ++lane) {
      f(lane);
    }
  }
  template <class F>
  [[nodiscard]] GLT_HOST_DEVICE constexpr bool any(F f) const {
    bool found = false;
    on_lanes([&](int lane) { found |= f(lane); });
    return found;
  }
  template <class V>
  [[nodiscard]] GLT_HOST_DEVICE constexpr V get(values<V>& of, int lane) const noexcept {
    return of[lane];
  }
  template <class V>
  [[nodiscard]] GLT_HOST_DEVICE constexpr V broadcast(V value) const noexcept {
    return value;
  }
  template <class F>
  GLT_HOST_DEVICE constexpr void once(F f) const {
    f();
  }
  template <class F>
  GLT_HOST_DEVICE constexpr void for_each(std::int64_t n, F f) const {
    for (std::int64_t i = 0; i < n; ++i) {
      f(i);
    }
  }
  template <class Test>
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t count_if(std::int64_t n, Test test) const {
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      count += test(i) ? 1 : 0;
    }
    return count;
  }
  template <class Test, class F>
  GLT_HOST_DEVICE constexpr std::int64_t select_if(std::int64_t n, std::int64_t most, Test test, F f) const {
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < n && count < most; ++i) {
      if (test(i)) {
        f(count++, i);
      }
    }
    return count;
  }
  template <class Load, class F>
  GLT_HOST_DEVICE constexpr void in_order(std::int64_t n, Load load, F f) const {
    for (std::int64_t i = 0; i < n && f(i, load(i)); ++i) {
    }
  }
  // Tests `Lanes` items before it visits them, as parallel lanes do.
  template <class State, class Test, class F>
  GLT_HOST_DEVICE constexpr void visit_if(std::int64_t first, std::int64_t n, State& state, Test test, F f) const {
    for (; first < n; first += Lanes) {
      bool passed[Lanes] = {};
      on_lanes([&](int lane) { passed[lane] = first + lane < n && test(state, first + lane); });
      on_lanes([&](int lane) { passed[lane] ? f(state, first + lane) : void(); });
    }
  }
};

// Smallest lengths of a row that a warp, or a block of threads, shares.
inline constexpr std::int64_t row_of_warp = 64;
inline constexpr std::int64_t row_of_block = 4096;
inline constexpr int lanes_of_row = 16; // of `for_teams`
inline constexpr int lanes_of_warp = 32;
inline constexpr int lanes_of_block = 128;

template <class F>
struct on_serial_team {
  F f;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { f(serial_team<lanes_of_row>{}, i); }
};

template <class F>
struct on_serial_team_by_size {
  F f;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const size = f.size(i);
    size < row_of_warp    ? f(serial_team<1>{}, i)
    : size < row_of_block ? f(serial_team<lanes_of_warp>{}, i)
                          : f(serial_team<lanes_of_block>{}, i);
  }
};

/// Calls f(team, i) for i in [0, n); executors with teams use a team of 16 for each i.
template <class Executor, class F>
void for_teams(Executor const& ex, std::int64_t n, F f) {
  if constexpr (requires { ex.for_teams(n, f); }) {
    ex.for_teams(n, f);
  } else {
    ex.for_each(n, on_serial_team<F>{f});
  }
}

/// Calls f(team, i) for i in [0, n); the size f.size(i) decides whether one thread, a warp or a block works on i.
template <class Executor, class F>
void for_teams_by_size(Executor const& ex, std::int64_t n, F f) {
  if constexpr (requires { ex.for_teams_by_size(n, f); }) {
    ex.for_teams_by_size(n, f);
  } else {
    ex.for_each(n, on_serial_team_by_size<F>{f});
  }
}

} // namespace glt::detail
