// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/policies.hpp"

#include <glt/core/random.hpp>
#include <glt/exec/detail/team.hpp>
#include <glt/memory/buffer.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <vector>

using namespace glt;

namespace {

GLT_HOST_DEVICE std::int64_t value_of(std::int64_t item, std::int64_t i) {
  return static_cast<std::int64_t>(detail::mix64(static_cast<std::uint64_t>(item * 10'007 + i)) >> 40);
}

struct divisible {
  std::int64_t item;
  std::int64_t by;
  GLT_HOST_DEVICE bool operator()(std::int64_t i) const { return value_of(item, i) % by == 0; }
};

// What a team does with an item, in the item's part of `out`: the values; how many are even; up to `most` places of
// multiples of three, and how many; the places of values that are larger than all before, and how many; a number that
// tells the order of values up to the first that divides by 997.
template <memory_space Space>
struct share_item {
  static constexpr std::int64_t most = 100;
  static constexpr std::int64_t extra = 5;
  array_view<Space, std::int64_t const> first; // of every item in out
  array_view<Space, std::int64_t> out;

  GLT_HOST_DEVICE std::int64_t size(std::int64_t item) const { return (first[item + 1] - first[item] - extra) / 3; }
  template <class Team>
  GLT_HOST_DEVICE void operator()(Team const& team, std::int64_t item) const {
    auto const n = size(item);
    auto* const values = out.data() + first[item];
    auto* const multiples = values + n;
    auto* const records = multiples + n;
    auto* const counts = records + n;
    team.for_each(n, [&](std::int64_t i) { values[i] = value_of(item, i); });
    auto const even = team.count_if(n, divisible{item, 2});
    auto const selected =
        team.select_if(n, most, divisible{item, 3}, [&](std::int64_t k, std::int64_t i) { multiples[k] = i; });
    std::int64_t num_records = 0;
    std::int64_t largest = -1;
    team.visit_if(
        0, n, largest, [&](std::int64_t so_far, std::int64_t i) { return values[i] > so_far; },
        [&](std::int64_t& so_far, std::int64_t i) {
          if (values[i] > so_far) {
            so_far = values[i];
            records[num_records++] = i;
          }
        });
    num_records = team.broadcast(num_records);
    double order = 1;
    team.in_order(
        n, [&](std::int64_t i) { return static_cast<double>(value_of(item, i)); },
        [&](std::int64_t i, double value) {
          order = order / 3 + value * static_cast<double>(i + 1);
          return static_cast<std::int64_t>(value) % 997 != 0;
        });
    team.once([&] {
      counts[0] = even;
      counts[1] = selected;
      counts[2] = num_records;
      counts[3] = largest;
      counts[4] = static_cast<std::int64_t>(order);
    });
  }
};

// Every lane adds the values of all lanes before it, and finds out if one of them is the item.
template <memory_space Space>
struct share_lanes {
  array_view<Space, std::int64_t> out; // [items, lanes]
  template <class Team>
  GLT_HOST_DEVICE void operator()(Team const& team, std::int64_t item) const {
    typename Team::template values<std::int64_t> mine;
    auto* const of_item = out.data() + item * Team::size;
    bool const found = team.any([&](int lane) {
      mine[lane] = value_of(item, lane);
      of_item[lane] = 0;
      return lane == item;
    });
    for (int from = 0; from < Team::size; ++from) {
      auto const theirs = team.get(mine, from);
      team.on_lanes([&](int lane) { of_item[lane] += from < lane ? theirs : 0; });
    }
    team.on_lanes([&](int lane) { of_item[lane] += found ? 1 : 0; });
  }
};

} // namespace

TEST_CASE_TEMPLATE("teams of any size do what one thread does", Policy, GLT_TEST_POLICIES) {
  constexpr auto space = Policy::space;
  using share = share_item<space>;
  Policy const policy;
  std::vector<std::int64_t> first{0};
  for (int copies = 0; copies < 40; ++copies) {
    for (std::int64_t const size : {0, 1, 7, 63, 64, 65, 300}) {
      first.push_back(first.back() + 3 * size + share::extra);
    }
    if (copies % 9 == 0) {
      first.push_back(first.back() + 3 * (4096 + 77 * copies) + share::extra);
    }
  }
  auto const items = static_cast<std::int64_t>(first.size()) - 1;
  auto const first_there = make_buffer(first, policy);
  auto out = make_buffer(std::vector<std::int64_t>(static_cast<std::size_t>(first.back()), -1), policy);
  detail::for_teams_by_size(policy.executor(), items, share{first_there.view(), out.view()});
  std::vector<std::int64_t> expected(static_cast<std::size_t>(first.back()), -1);
  for (std::int64_t item = 0; item < items; ++item) {
    auto* const values = expected.data() + first[static_cast<std::size_t>(item)];
    auto const n =
        (first[static_cast<std::size_t>(item) + 1] - first[static_cast<std::size_t>(item)] - share::extra) / 3;
    auto* const counts = values + 3 * n;
    counts[0] = counts[1] = counts[2] = 0;
    counts[3] = -1;
    for (std::int64_t i = 0; i < n; ++i) {
      values[i] = value_of(item, i);
      counts[0] += values[i] % 2 == 0 ? 1 : 0;
      if (values[i] % 3 == 0 && counts[1] < share::most) {
        values[n + counts[1]++] = i;
      }
      if (values[i] > counts[3]) {
        counts[3] = values[i];
        values[2 * n + counts[2]++] = i;
      }
    }
    double order = 1;
    for (std::int64_t i = 0; i < n; ++i) {
      order = order / 3 + static_cast<double>(values[i] * (i + 1));
      if (values[i] % 997 == 0) {
        break;
      }
    }
    counts[4] = static_cast<std::int64_t>(order);
  }
  CHECK(to_vector(policy, std::as_const(out).view()) == expected);
}

TEST_CASE_TEMPLATE("lanes of a team tell each other their values", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  constexpr std::int64_t items = 37;
  constexpr auto lanes = static_cast<std::int64_t>(detail::lanes_of_row);
  buffer<Policy, std::int64_t> out(items * lanes, policy);
  detail::for_teams(policy.executor(), items, share_lanes<Policy::space>{out.view()});
  std::vector<std::int64_t> expected;
  for (std::int64_t item = 0; item < items; ++item) {
    std::int64_t sum = item < lanes ? 1 : 0;
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      expected.push_back(sum);
      sum += value_of(item, lane);
    }
  }
  CHECK(to_vector(policy, std::as_const(out).view()) == expected);
}
