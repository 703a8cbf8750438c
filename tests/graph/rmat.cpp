// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <glt/graph/generators.hpp>
#include <glt/graph/validate.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

std::string complaint(rmat_options options) {
  return thrown<precondition_error>([&] { static_cast<void>(make_rmat(options)); });
}

std::vector<std::int64_t> degrees(coo_view<memory_space::host> graph) {
  std::vector<std::int64_t> counted(static_cast<std::size_t>(graph.num_vertices()), 0);
  for (auto const v : graph.destinations()) {
    ++counted[static_cast<std::size_t>(v)];
  }
  return counted;
}

} // namespace

TEST_CASE("size and ids are as asked") {
  for (int const scale : {0, 1, 5, 11}) {
    for (std::int64_t const factor : {1, 3, 16}) {
      auto const graph = make_rmat({.scale = scale, .edge_factor = factor});
      CHECK(graph.view().num_vertices() == std::int64_t{1} << scale);
      CHECK(graph.view().num_edges() == factor << scale);
      CHECK_NOTHROW(validate(graph.view()));
    }
  }
}

TEST_CASE("the same options give the same graph on any number of threads, another seed another one") {
  auto const alone = make_rmat({.scale = 10, .seed = 5});
  auto const threads = make_rmat({.scale = 10, .seed = 5}, device::cpu(3));
  CHECK(pairs_of(alone.view()) == pairs_of(threads.view()));
  CHECK(pairs_of(alone.view()) == pairs_of(make_rmat<global_id>({.scale = 10, .seed = 5}).view()));
  CHECK(pairs_of(alone.view()) != pairs_of(make_rmat({.scale = 10, .seed = 6}).view()));
}

TEST_CASE("an edge does not depend on how many there are") {
  auto const few = pairs_of(make_rmat({.scale = 9, .edge_factor = 2}).view());
  auto const many = pairs_of(make_rmat({.scale = 9, .edge_factor = 7}).view());
  CHECK(std::equal(few.begin(), few.end(), many.begin()));
}

TEST_CASE("shuffled ids only rename the vertices") {
  auto plain = degrees(make_rmat({.scale = 10, .shuffle_ids = false}).view());
  auto shuffled = degrees(make_rmat({.scale = 10}).view());
  CHECK(plain != shuffled);
  std::ranges::sort(plain);
  std::ranges::sort(shuffled);
  CHECK(plain == shuffled);
}

TEST_CASE("quadrants are chosen with their probabilities, at the first level and at the last") {
  constexpr int scale = 12;
  auto const graph = make_rmat({.scale = scale, .a = 0.5, .b = 0.1, .c = 0.3, .shuffle_ids = false});
  auto const edges = pairs_of(graph.view());
  auto const expected = std::vector<double>{0.5, 0.1, 0.3, 0.1};
  for (int const bit : {0, scale - 1}) {
    std::vector<double> counts(4, 0);
    for (auto const& [source, destination] : edges) {
      ++counts[static_cast<std::size_t>((source >> bit & 1) * 2 + (destination >> bit & 1))];
    }
    double chi_square = 0;
    for (std::size_t quadrant = 0; quadrant < 4; ++quadrant) {
      auto const mean = expected[quadrant] * static_cast<double>(edges.size());
      chi_square += (counts[quadrant] - mean) * (counts[quadrant] - mean) / mean;
    }
    CHECK(chi_square < 16.27); // 3 degrees of freedom, p = 0.001
  }
}

TEST_CASE("the corners of the probabilities are exact") {
  auto const corner = [](rmat_options options) {
    options.scale = 4;
    options.shuffle_ids = false;
    auto const edges = pairs_of(make_rmat(options).view());
    CHECK(std::ranges::all_of(edges, [&](auto const& edge) { return edge == edges[0]; }));
    return edges[0];
  };
  using edge = std::pair<std::int64_t, std::int64_t>;
  CHECK(corner({.a = 1, .b = 0, .c = 0}) == edge{0, 0});
  CHECK(corner({.a = 0, .b = 1, .c = 0}) == edge{0, 15});
  CHECK(corner({.a = 0, .b = 0, .c = 1}) == edge{15, 0});
  CHECK(corner({.a = 0, .b = 0, .c = 0}) == edge{15, 15});
}

TEST_CASE("bad options are refused with their value") {
  CHECK(names(complaint({.scale = -1}), "scale is -1", "[0, 30]"));
  CHECK(names(complaint({.scale = 31}), "scale is 31", "32-bit"));
  CHECK(names(thrown<precondition_error>([] { static_cast<void>(make_rmat<global_id>({.scale = 63})); }), "scale is 63",
              "[0, 62]"));
  CHECK(names(complaint({.scale = 3, .edge_factor = 0}), "edge factor is 0"));
  CHECK(names(complaint({.scale = 30, .edge_factor = std::int64_t{1} << 34}), "edge factor is 17179869184"));
  CHECK(names(complaint({.scale = 3, .a = -0.1}), "a = -0.1"));
  CHECK(names(complaint({.scale = 3, .a = 0.6, .b = 0.3, .c = 0.2}), "a = 0.6", "b = 0.3", "c = 0.2"));
  CHECK(names(complaint({.scale = 3, .b = std::numeric_limits<double>::quiet_NaN()}), "b = nan"));
  CHECK_NOTHROW(static_cast<void>(make_rmat({.scale = 3, .a = 0.1, .b = 0.2, .c = 0.7})));
}
