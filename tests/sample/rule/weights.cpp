// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/rule/weights.hpp>

#include "support/archetypes.hpp"
#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/weighted.hpp"

#include <glt/exec/threaded.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using host_weights = glt::array_view<glt::memory_space::host, float const>;

TEST_CASE("edges of positive weight are counted up to a limit and picked in row order") {
  for (auto const& [name, weights] : glt_test::adversarial_weights()) {
    CAPTURE(name);
    auto const expected = glt_test::positive_positions(weights);
    auto const count = static_cast<std::int64_t>(expected.size());
    CHECK(glt::detail::count_positive(host_weights(weights)) == count);
    for (std::int64_t const limit : {0, 1, 2, 5, 10000}) {
      CHECK(glt::detail::count_positive(host_weights(weights), limit) == std::min(limit, count));
    }
    std::vector<std::int64_t> picked(expected.size());
    glt::detail::pick_positive(host_weights(weights), picked.data());
    CHECK(picked == expected);
  }
}

TEST_CASE("weights from 0 to the largest float pass") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = glt::make_csr<glt::device::cpu>(list.view());
    auto weights = glt_test::random_weights(list.num_edges());
    if (!weights.empty()) {
      weights.front() = std::numeric_limits<float>::max();
      weights.back() = std::numeric_limits<float>::denorm_min();
    }
    CHECK_NOTHROW(glt::validate(graph.view(), weights));
    CHECK_NOTHROW(glt::validate(graph.view(), weights, glt_test::minimal_executor{}));
  }
}

TEST_CASE("the first edge whose weight is none is named with its row") {
  auto const list = glt_test::random_graph(101, 3001);
  auto const graph = glt::make_csr<glt::device::cpu>(list.view());
  auto const view = graph.view();
  auto weights = glt_test::random_weights(3001);
  glt::detail::thread_pool pool(3);
  auto const complaint = [&] {
    auto const text = glt_test::thrown<glt::precondition_error>([&] { glt::validate(view, weights); });
    CHECK(text ==
          glt_test::thrown<glt::precondition_error>([&] { glt::validate(view, weights, glt::exec::threaded(pool)); }));
    return text;
  };
  struct bad_weight {
    float value;
    std::string text;
  };
  auto const infinity = std::numeric_limits<float>::infinity();
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  weights[3000] = -1;
  for (auto const& [value, text] : {bad_weight{-1e-30F, "is -1e-30"}, bad_weight{infinity, "is inf"},
                                    bad_weight{-infinity, "is -inf"}, bad_weight{nan, "is nan"}}) {
    CAPTURE(text);
    for (std::int64_t const row : {0, 1, 50, 89}) {
      REQUIRE(view.degree(row) > 0);
      for (std::int64_t const edge : {std::int64_t{0}, view.degree(row) - 1}) {
        auto const position = static_cast<std::size_t>(view.offset(row) + edge);
        auto const kept = weights[position];
        weights[position] = value;
        auto const message = complaint();
        CAPTURE(message);
        auto const place = "edge " + std::to_string(edge) + " of row " + std::to_string(row) + " (position " +
                           std::to_string(position) + ")";
        CHECK(glt_test::names(message, "weight of " + place, text, "finite and 0 or more"));
        weights[position] = kept;
      }
    }
  }
  weights[3000] = 0;
  CHECK_NOTHROW(glt::validate(view, weights));
}

TEST_CASE("a wrong number of weights is refused") {
  auto const list = glt_test::random_graph(11, 50);
  auto const graph = glt::make_csr<glt::device::cpu>(list.view());
  for (std::int64_t const count : {0, 49, 51}) {
    CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>(
                              [&] { glt::validate(graph.view(), glt_test::random_weights(count)); }),
                          std::to_string(count) + " weights for 50 edges", "make_edge_values"));
  }
}
