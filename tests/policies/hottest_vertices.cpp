// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/policies.hpp"

#include <glt/sample/hotness/hotness.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <vector>

using namespace glt;

namespace {

template <class Vertex>
std::vector<Vertex> naive_hottest(std::vector<double> const& hotness, std::int64_t count) {
  std::vector<Vertex> order;
  for (std::size_t v = 0; v < hotness.size(); ++v) {
    if (hotness[v] > 0) {
      order.push_back(static_cast<Vertex>(v));
    }
  }
  std::ranges::stable_sort(order, std::greater<>(), [&](Vertex v) { return hotness[static_cast<std::size_t>(v)]; });
  order.resize(std::min(order.size(), static_cast<std::size_t>(count)));
  return order;
}

// Many that are as hot as others, many that are cold, and numbers of every size.
std::vector<double> random_hotness(std::int64_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<double> hotness;
  for (std::int64_t i = 0; i < n; ++i) {
    auto const kind = random() % 4;
    hotness.push_back(kind == 0 ? 0 : kind == 1 ? 0.5 : kind == 2 ? 1 / static_cast<double>(random()) : -0.0);
  }
  return hotness;
}

} // namespace

TEST_CASE_TEMPLATE("the hottest vertices, hottest first, lower ids before higher ones", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  for (std::int64_t const n : {0, 1, 2, 33, 4097}) {
    auto const hotness = random_hotness(n);
    auto const given = make_buffer<Policy>(hotness, policy);
    for (std::int64_t const count :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{1000}, std::numeric_limits<std::int64_t>::max()}) {
      CAPTURE(n);
      CAPTURE(count);
      auto const local = hottest_vertices(given.view(), count, policy);
      CHECK(to_vector(policy, local.view()) == naive_hottest<local_id>(hotness, count));
      auto const global = hottest_vertices<global_id>(given.view(), count, policy);
      CHECK(to_vector(policy, global.view()) == naive_hottest<global_id>(hotness, count));
    }
  }
}

TEST_CASE_TEMPLATE("what is no hotness is named", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  auto const negative = make_buffer<Policy>(std::vector<double>{0, 1, -0.25, -1}, policy);
  CHECK_THROWS_WITH_AS(static_cast<void>(hottest_vertices(negative.view(), 2, policy)),
                       "hotness of vertex 2 is -0.25; it is 0 or more", precondition_error);
  auto const none = make_buffer<Policy>(std::vector<double>{1, std::numeric_limits<double>::quiet_NaN()}, policy);
  CHECK_THROWS_AS(static_cast<void>(hottest_vertices(none.view(), 2, policy)), precondition_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(hottest_vertices(none.view(), -1, policy)),
                       "-1 hottest vertices; ask for 0 or more", precondition_error);
}
