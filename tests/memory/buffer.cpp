// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archetypes.hpp"
#include "support/errors.hpp"

#include <glt/memory/buffer.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

using ints = buffer<device::cpu, int>;
using counted = buffer<minimal_policy, std::int64_t>;

static_assert(!std::is_copy_constructible_v<ints> && !std::is_copy_assignable_v<ints>);
static_assert(std::is_nothrow_move_constructible_v<ints> && std::is_nothrow_move_assignable_v<ints>);
static_assert(std::is_same_v<decltype(std::declval<ints&>().view()), host_view<int>>);
static_assert(std::is_same_v<decltype(std::declval<ints const&>().view()), host_view<int const>>);
static_assert(
    std::is_same_v<decltype(std::declval<counted&>().view()), array_view<memory_space::pinned, std::int64_t>>);

TEST_CASE("a buffer has the size asked for, in aligned memory") {
  for (std::int64_t const n : {0, 1, 2, 1001}) {
    ints made(n);
    CHECK(made.size() == n);
    CHECK(made.empty() == (n == 0));
    CHECK(made.view().size() == n);
    CHECK(reinterpret_cast<std::uintptr_t>(made.data()) % 64 == 0);
    std::iota(made.begin(), made.end(), 5);
    for (std::int64_t i = 0; i < n; ++i) {
      REQUIRE(std::as_const(made)[i] == 5 + i);
    }
  }
  CHECK(ints{}.empty());
}

TEST_CASE("moving hands the elements over and leaves nothing behind") {
  ints from(3);
  std::iota(from.begin(), from.end(), 7);
  auto const* const place = from.data();
  ints to(std::move(from));
  CHECK(to.data() == place);
  CHECK(to[2] == 9);
  CHECK(from.empty());
  CHECK(from.capacity() == 0);
  ints assigned(100);
  assigned = std::move(to);
  CHECK(assigned.data() == place);
  CHECK(assigned.size() == 3);
  auto& same = assigned;
  assigned = std::move(same);
  CHECK(assigned.size() == 3);
  CHECK(assigned[0] == 7);
}

TEST_CASE("resize keeps what fits, clear keeps the memory") {
  ints grown;
  for (int i = 0; i < 1000; ++i) {
    grown.resize(i + 1);
    grown[i] = i;
  }
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(grown[i] == i);
  }
  grown.resize(10);
  CHECK(grown.size() == 10);
  CHECK(grown[9] == 9);
  auto const* const place = grown.data();
  grown.clear();
  CHECK(grown.empty());
  grown.resize(1000);
  CHECK(grown.data() == place);
  grown.reserve(5000);
  CHECK(grown.capacity() == 5000);
  CHECK(grown.size() == 1000);
}

TEST_CASE("growing element by element allocates a logarithmic number of times, and everything is given back") {
  auto& counts = counting_resource::counts();
  counts = {};
  {
    counted grown;
    for (int i = 0; i < 100'000; ++i) {
      grown.resize(i + 1);
    }
    CHECK(-1 - counts.allocations_left < 40);
    counted moved = std::move(grown);
    grown.resize(17);
    CHECK(counts.live_bytes == (moved.capacity() + grown.capacity()) * 8);
  }
  CHECK(counts.live_bytes == 0);
}

TEST_CASE("when memory runs out, the content stays") {
  auto& counts = counting_resource::counts();
  counts = {};
  counted kept(5);
  std::iota(kept.begin(), kept.end(), 3);
  counts.allocations_left = 0;
  CHECK_THROWS_AS(kept.resize(1'000'000), std::bad_alloc);
  CHECK_THROWS_AS(kept.reserve(6), std::bad_alloc);
  CHECK_THROWS_AS(counted(1), std::bad_alloc);
  CHECK_NOTHROW(counted(0));
  CHECK(kept.size() == 5);
  CHECK(kept.capacity() == 5);
  CHECK(kept[4] == 7);
  counts = {.live_bytes = counts.live_bytes};
  kept.resize(6);
  CHECK(kept[4] == 7);
}

TEST_CASE("impossible sizes are refused with their value") {
  CHECK(names(thrown<precondition_error>([] { ints{-1}; }), "-1"));
  ints made(3);
  CHECK(names(thrown<precondition_error>([&] { made.resize(-7); }), "-7"));
  CHECK(made.size() == 3);
  constexpr auto huge = std::numeric_limits<std::int64_t>::max() / 2;
  CHECK(names(thrown<precondition_error>([] { counted{huge}; }), std::to_string(huge), "8 bytes"));
}

TEST_CASE("an adopted array is used in place and kept as long as the buffer") {
  auto const kept = std::make_shared<std::vector<int>>(std::vector<int>{4, 5, 6});
  {
    auto adopted = ints::adopt(kept->data(), 3, kept);
    CHECK(kept.use_count() == 2);
    CHECK(adopted.data() == kept->data());
    CHECK(adopted.size() == 3);
    CHECK(adopted.capacity() == 3);
    auto moved = std::move(adopted);
    CHECK(kept.use_count() == 2);
    CHECK(adopted.empty()); // NOLINT: what is left behind is the point
    adopted = ints(2);
    adopted.swap(moved);
    CHECK(adopted[2] == 6);
    CHECK(moved.size() == 2);
    adopted.resize(2);
    adopted[1] = 50;
    CHECK(kept->at(1) == 50);
  }
  CHECK(kept.use_count() == 1);
  CHECK(ints::adopt(nullptr, 0, kept).empty());
  CHECK(kept.use_count() == 1);
}

TEST_CASE("an adopted array that grows moves to memory of the policy, and nothing of the keeper is given back twice") {
  auto& counts = counting_resource::counts();
  counts = {};
  auto const kept = std::make_shared<std::vector<std::int64_t>>(std::vector<std::int64_t>{4, 5, 6});
  {
    auto adopted = counted::adopt(kept->data(), 3, kept);
    CHECK(counts.live_bytes == 0);
    counts.allocations_left = 0;
    CHECK_THROWS_AS(adopted.resize(4), std::bad_alloc);
    CHECK(adopted.data() == kept->data());
    CHECK(kept.use_count() == 2);
    counts.allocations_left = -1;
    adopted.resize(4);
    CHECK(kept.use_count() == 1);
    CHECK(adopted.data() != kept->data());
    CHECK(adopted[2] == 6);
    CHECK(counts.live_bytes == adopted.capacity() * 8);
  }
  CHECK(counts.live_bytes == 0);
  CHECK(kept->at(2) == 6);
}

TEST_CASE("nothing is adopted that nobody keeps, or that is nowhere") {
  auto const kept = std::make_shared<std::vector<int>>(std::vector<int>{4});
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(ints::adopt(kept->data(), -1, kept)); }),
              "-1 elements"));
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(ints::adopt(nullptr, 1, kept)); }),
              "1 elements at no address"));
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(ints::adopt(kept->data(), 1, nullptr)); }),
              "nobody keeps"));
}
