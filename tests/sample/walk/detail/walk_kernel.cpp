// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/walk/detail/walk_kernel.hpp>

#include "support/archetypes.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace {

// Walker i counts down from i % 7; one that comes to 3 has no way on, and every second attempt fails.
struct countdown {
  template <class Walker>
  struct state : Walker {
    bool even = false;
  };

  void begin(auto& it) const { it.even = false; }
  void draw(auto&) const {}
  template <class State>
  void draw(std::span<State> walking) const {
    REQUIRE(!walking.empty());
  }
  bool choose(auto const& it) const { return it.left != 3; }
  void look(auto& it) const { it.even = !it.even; }
  void judge(auto&&) const {}
  void go(auto& it, auto const& walkers) const {
    if (it.even) {
      walkers.visit(it, --it.left, *this);
    }
  }
  void advance() {}
};

struct results {
  std::vector<int> visits;
  std::vector<int> left;
  std::vector<int> ended;
  explicit results(std::size_t n) : visits(n), left(n), ended(n) {}
  friend bool operator==(results const&, results const&) = default;
};

struct counting_walkers {
  struct walker {
    std::size_t number;
    int left;
  };
  results* out;

  void load(std::int64_t i, walker& it) const { it = {static_cast<std::size_t>(i), static_cast<int>(i % 7)}; }
  void visit(walker const& it, int, countdown const&) const { ++out->visits[it.number]; }
  bool done(walker const& it) const { return it.left == 0; }
  void leave(walker const& it) const { ++out->left[it.number]; }
  void end(walker const& it) const { ++out->ended[it.number]; }
};

} // namespace

TEST_CASE("every walker is moved until it is done or has no way on, whoever runs it") {
  for (std::size_t const n : {0, 1, 63, 64, 65, 300}) {
    results expected(n);
    for (std::size_t i = 0; i < n; ++i) {
      auto const number = static_cast<int>(i % 7);
      expected.visits[i] = number < 3 ? number : number - 3;
      (number < 3 ? expected.left : expected.ended)[i] = 1;
    }
    auto const count = static_cast<std::int64_t>(n);
    results in_blocks(n);
    glt::detail::move_walkers(glt::device::cpu(), count, countdown{}, counting_walkers{&in_blocks});
    CHECK(in_blocks == expected);
    results by_threads(n);
    glt::detail::move_walkers(glt::device::cpu(3), count, countdown{}, counting_walkers{&by_threads});
    CHECK(by_threads == expected);
    results alone(n);
    glt::detail::walk_alone<countdown, counting_walkers> const walk{{}, {&alone}};
    glt_test::minimal_executor{}.for_each(count, walk);
    CHECK(alone == expected);
  }
}
