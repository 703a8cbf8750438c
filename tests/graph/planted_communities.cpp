// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <glt/graph/generators.hpp>
#include <glt/graph/validate.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

std::string complaint(planted_communities<>::options options) {
  return thrown<precondition_error>([&] { static_cast<void>(make_planted_communities(options)); });
}

} // namespace

TEST_CASE("every vertex has its edges from inside, then those from outside") {
  for (planted_communities<>::options const options :
       {planted_communities<>::options{.num_vertices = 1009, .num_communities = 7, .in_degree = 6, .out_degree = 3},
        planted_communities<>::options{.num_vertices = 10, .num_communities = 10, .in_degree = 1, .out_degree = 4},
        planted_communities<>::options{.num_vertices = 11, .num_communities = 4, .in_degree = 0, .out_degree = 5},
        planted_communities<>::options{.num_vertices = 5, .num_communities = 2, .in_degree = 3, .out_degree = 0},
        planted_communities<>::options{.num_vertices = 3, .num_communities = 1, .in_degree = 2, .out_degree = 0},
        planted_communities<>::options{.num_vertices = 0, .num_communities = 1}}) {
    CAPTURE(options.num_vertices);
    auto const made = make_planted_communities(options);
    auto const degree = options.in_degree + options.out_degree;
    CHECK(made.graph.view().num_vertices() == options.num_vertices);
    CHECK(made.community.size() == options.num_vertices);
    REQUIRE(made.graph.view().num_edges() == options.num_vertices * degree);
    CHECK_NOTHROW(validate(made.graph.view()));
    auto const edges = pairs_of(made.graph.view());
    for (std::size_t i = 0; i < edges.size(); ++i) {
      auto const position = static_cast<std::int64_t>(i);
      REQUIRE(edges[i].second == position / degree);
      bool const inside = made.community[edges[i].first] == made.community[edges[i].second];
      REQUIRE(inside == (position % degree < options.in_degree));
    }
  }
}

TEST_CASE("communities have equal sizes and every vertex outside is as likely as another") {
  auto const made = make_planted_communities(
      {.num_vertices = 23, .num_communities = 5, .in_degree = 0, .out_degree = 20'000, .seed = 3});
  std::vector<std::int64_t> sizes(5, 0);
  for (auto const community : made.community) {
    ++sizes[static_cast<std::size_t>(community)];
  }
  CHECK(*std::ranges::max_element(sizes) == 5);
  CHECK(*std::ranges::min_element(sizes) == 4);
  std::vector<double> counts(23, 0);
  for (std::int64_t i = 0; i < 20'000; ++i) {
    ++counts[static_cast<std::size_t>(made.graph.view().sources()[i])];
  }
  auto const others = 23 - sizes[static_cast<std::size_t>(made.community[0])];
  auto const mean = 20'000.0 / static_cast<double>(others);
  double chi_square = 0;
  for (std::int64_t v = 0; v < 23; ++v) {
    if (made.community[v] != made.community[0]) {
      auto const off = counts[static_cast<std::size_t>(v)] - mean;
      chi_square += off * off / mean;
    } else {
      CHECK(counts[static_cast<std::size_t>(v)] == 0);
    }
  }
  CHECK(chi_square < 42.3); // 18 degrees of freedom, p = 0.001
}

TEST_CASE("the same options give the same graph on any number of threads, another seed another one") {
  planted_communities<>::options options{.num_vertices = 4001, .num_communities = 9, .seed = 4};
  auto const alone = make_planted_communities(options);
  auto const threads = make_planted_communities<global_id>(options, device::cpu(3));
  CHECK(pairs_of(alone.graph.view()) == pairs_of(threads.graph.view()));
  CHECK(to_vector(alone.community) == to_vector(threads.community));
  options.seed = 5;
  CHECK(pairs_of(alone.graph.view()) != pairs_of(make_planted_communities(options).graph.view()));
}

TEST_CASE("bad options are refused with their value") {
  CHECK(names(complaint({.num_vertices = -3}), "-3 vertices"));
  CHECK(names(complaint({.num_vertices = 5, .num_communities = 0}), "0 communities"));
  CHECK(names(complaint({.num_vertices = 5, .num_communities = 6}), "6 communities", "5"));
  CHECK(names(complaint({.num_vertices = 5, .num_communities = 2, .in_degree = -1}), "in_degree -1"));
  CHECK(names(complaint({.num_vertices = 5, .num_communities = 2, .out_degree = -2}), "out_degree -2"));
  CHECK(names(complaint({.num_vertices = 5, .num_communities = 1, .out_degree = 2}), "out_degree is 2"));
  CHECK(names(complaint({.num_vertices = std::int64_t{1} << 31, .num_communities = 2}), "2147483648"));
  CHECK(names(complaint({.num_vertices = std::int64_t{1} << 60, .num_communities = 2}), "edges"));
}
