// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/parts/feature_tables.hpp>
#include <glt/io/parts/parts_writer.hpp>

#include "support/errors.hpp"
#include "support/known_sets.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

io::part_content content() {
  auto const data = hetero_known_set();
  auto const labels = random_labels(data, 2);
  return io::detail::data_set_cutter(io::view_of(data), labels, {}).cut(1);
}

} // namespace

TEST_CASE("arrays of a part become tensors of a table, in their own types, without a copy, and labels one of them") {
  auto part = content();
  auto const* const wide = part.nodes[0].features[0].values.bytes().data();
  auto const rows = part.graph.books[0].size(1);
  REQUIRE(rows > 0);
  auto const papers = io::extract_node_features(part);
  CHECK(papers.names() == std::vector<std::string>{"feat", "labels", "../x/y", "label"});
  CHECK(papers.num_rows() == rows);
  CHECK(papers.type("labels") == element_type::int32);
  CHECK(papers.num_columns("../x/y") == 2);
  CHECK(static_cast<void const*>(papers.view<float>("feat").features.data()) == wide);
  for (std::int64_t v = 0; v < rows; ++v) {
    CHECK(papers.view<std::int32_t>("label").features(v, 0) == part.graph.original[0][v]);
  }
  CHECK(part.nodes[0].features.empty()); // they are taken
  auto const authors = io::extract_node_features(part, 1);
  CHECK(authors.type("feat") == element_type::float16);
  CHECK(authors.num_columns("label") == 2);
  auto const nobody = io::extract_node_features(part, 2);
  CHECK(nobody.num_rows() == 0);
  CHECK(nobody.num_columns("none") == 5);
}

TEST_CASE("features of edges are found by the ids of the edges") {
  auto part = content();
  std::size_t with_features = 0;
  int with_times = 0;
  for (int type = 0; type < static_cast<int>(part.edges.size()); ++type) {
    auto const graph = part.graph.relations[static_cast<std::size_t>(type)].view();
    std::vector<edge_id> ids(graph.edge_ids().begin(), graph.edge_ids().end());
    auto const& edges = part.edges[static_cast<std::size_t>(type)];
    auto const names_there = edges.features.size() + (edges.times.empty() ? 0 : 1);
    auto const table = io::extract_edge_features(part, type);
    if (!edges.times.empty()) {
      CHECK(std::ranges::equal(table.view<std::int64_t>("time").features.flat(), edges.times));
      ++with_times;
    }
    CHECK(table.num_rows() == graph.num_edges());
    CHECK(table.names().size() == names_there);
    with_features += names_there;
    REQUIRE(table.of_edges());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      CHECK(table.view().edges.find(ids[i]) == static_cast<std::int64_t>(i));
    }
  }
  CHECK(with_features > 0);
  CHECK(with_times > 0);
}

TEST_CASE("arrays of other lengths and names that come twice are refused") {
  auto const error = [](std::int64_t rows, char const* name) {
    return thrown<precondition_error>([&] {
      std::vector<io::named_array> arrays;
      arrays.push_back({"a", io::array::of<float>(std::vector<float>{1, 2})});
      arrays.push_back({name, io::array::of<std::int8_t>(std::vector<std::int8_t>{1, 2})});
      static_cast<void>(io::detail::make_feature_table(rows, std::move(arrays)));
    });
  };
  CHECK(names(error(3, "b"), "\"a\" of 2 rows in a table of 3"));
  CHECK(names(error(2, "a"), "\"a\" are there already"));
  auto part = content();
  part.nodes[0].features[0].name = "label";
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(io::extract_node_features(part)); }), "\"label\""));
}
