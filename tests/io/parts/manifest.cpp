// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/io/parts/manifest.hpp>

#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// What a manifest says of part 0 or 1 of a small graph.
io::manifest of_part(int part) {
  auto const by_part = [&](std::int64_t count) {
    return part == 0 ? std::vector<std::int64_t>{count, 0} : std::vector<std::int64_t>{0, count};
  };
  io::manifest made{.name = "small"};
  made.nodes.push_back({.name = "node",
                        .offsets = {0, 3, 5},
                        .features = {{"feat", element_type::float32, {4}}},
                        .labels = io::detail::manifest_array{"", element_type::int64, {}},
                        .times = part == 1,
                        .train = by_part(1 + part),
                        .valid = by_part(0),
                        .test = by_part(2),
                        .hot = by_part(0),
                        .hot_features = {}});
  made.edges.push_back({.type = {"node", "edge", "node"},
                        .edges = by_part(7),
                        .weights = part == 0,
                        .times = false,
                        .features = {},
                        .halo = by_part(part),
                        .links = {{"train", by_part(3), by_part(4)}}});
  made.files.push_back({part == 0 ? "part-0/a" : "part-1/a", 100 + part, 5});
  return made;
}

} // namespace

TEST_CASE("a manifest counts what it lists") {
  auto made = of_part(0);
  io::detail::add(made, of_part(1));
  CHECK(made.num_parts() == 2);
  CHECK(made.num_bytes() == 201);
  CHECK(made.is_homogeneous());
  CHECK(made.schema() == hetero_schema({{"node", 5}}, {{"node", "edge", "node"}}));
  CHECK(made.book(0) == partition_book({0, 3, 5}));
  CHECK(made.edges[0].num_edges() == 14);
}

TEST_CASE("manifests of parts add up, in any order") {
  io::manifest made{.name = "both"};
  io::detail::add(made, of_part(1));
  io::detail::add(made, of_part(0));
  CHECK(made.name == "both");
  CHECK(made.nodes[0].train == std::vector<std::int64_t>{1, 2});
  CHECK(made.nodes[0].test == std::vector<std::int64_t>{2, 2});
  CHECK(made.nodes[0].times);
  CHECK(made.edges[0].weights);
  CHECK(made.edges[0].edges == std::vector<std::int64_t>{7, 7});
  CHECK(made.edges[0].halo == std::vector<std::int64_t>{0, 1});
  CHECK(made.edges[0].links[0].negatives == std::vector<std::int64_t>{4, 4});
  CHECK(made.files.size() == 2);
}

TEST_CASE("parts of different graphs are told apart") {
  auto const fault = [](auto change) {
    auto made = of_part(0);
    auto other = of_part(1);
    change(other);
    return thrown<precondition_error>([&] { io::detail::add(made, other); });
  };
  CHECK(names(fault([](auto& other) { other.edges.clear(); }), "1 and 0 edge types"));
  CHECK(names(fault([](auto& other) { other.nodes[0].offsets = {0, 2, 5}; }), "'node'", "book"));
  CHECK(names(fault([](auto& other) { other.nodes[0].features[0].row_shape = {5}; }), "'node'", "features"));
  CHECK(names(fault([](auto& other) { other.nodes[0].labels.reset(); }), "labels"));
  CHECK(names(fault([](auto& other) { other.nodes[0].hot_features = {"feat"}; }), "hot rows"));
  CHECK(names(fault([](auto& other) { other.edges[0].type.name = "other"; }), "'edge'", "name or ends"));
  CHECK(names(fault([](auto& other) { other.edges[0].features = {{"x", element_type::int8, {}}}; }), "'edge'",
              "features"));
  CHECK(names(fault([](auto& other) { other.edges[0].links.clear(); }), "link splits"));
  CHECK(names(fault([](auto& other) { other.edges[0].links[0].name = "test"; }), "link splits"));
}
