// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/known_sets.hpp"

#include <glt/io/parts/detail/rank_parts.hpp>
#include <glt/io/parts/parts_writer.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// The only part of a data set, changed before it is cut.
io::detail::part_content content(auto change) {
  auto data = known_set(random_graph(7, 12));
  change(data.nodes[0]);
  auto const labels = random_labels(data, 1);
  return io::detail::raw_data_cutter(data.view(), labels, {}).cut(0);
}
io::detail::part_content content() {
  return content([](auto&) {});
}
// The second of two parts of a data set with types.
io::detail::part_content hetero_content() {
  auto const data = hetero_known_set();
  auto const labels = random_labels(data, 2);
  return io::detail::raw_data_cutter(data.view(), labels, {}).cut(1);
}

// Makes the part by a manifest that knows which edges have times.
dist::data_part<device::cpu> made_of(io::detail::part_content from, io::parts_folder::load_options const& options) {
  io::manifest info{};
  for (auto const& edges : from.edges) {
    info.edges.emplace_back().times = !edges.times.empty();
  }
  return io::detail::make_data_part(std::move(from), info, options);
}

using text_list = std::vector<std::string>;

} // namespace

TEST_CASE("features and labels of the usual types are handed over without a copy") {
  auto part = content();
  auto const* const features = part.nodes[0].features[0].values.bytes().data();
  auto const* const labels = part.nodes[0].labels.bytes().data();
  auto const made = made_of(std::move(part), {});
  auto const& vertices = made.vertices[0];
  CHECK(static_cast<void const*>(vertices.tensors.view<float>("x").features.data()) == features);
  CHECK(static_cast<void const*>(vertices.tensors.view<std::int64_t>("y").features.data()) == labels);
  CHECK(vertices.tensors.names() == text_list{"x", "y"});
  CHECK(vertices.splits.size() == 3);
  CHECK(vertices.splits[0].name == "train");
  CHECK(vertices.splits[0].vertices.size() == 3);
  CHECK(vertices.times.size() == 7);
  CHECK(made.edges[0].weights.size() == 12);
  CHECK(made.edges[0].tensors.names().empty()); // not asked for
  CHECK(made.graph.relations[0].view().num_edges() == 12);
}

TEST_CASE("one array becomes the features, the others keep names and types") {
  auto const several = [](io::raw_data::node_table& nodes) {
    nodes.features.insert(nodes.features.begin(), {"line", io::array::of<float>(std::vector<float>(7))});
    nodes.features.push_back(
        {"codes", io::array::of<std::int8_t>(std::vector<std::int8_t>{0, 1, 2, 3, 4, 5, -6}, {7, 1})});
  };
  auto const made_by = [&](std::string name) {
    return std::move(made_of(content(several), {.features = std::move(name)}).vertices[0].tensors);
  };
  auto const first = made_by("");
  CHECK(first.num_columns("x") == known_width);
  CHECK(first.names() == text_list{"line", "x", "codes", "y"});
  CHECK(first.type("codes") == element_type::int8);
  auto const codes = made_by("codes");
  CHECK(codes.view<float>("x").features(6, 0) == -6);
  CHECK(codes.names() == text_list{"line", "feat", "x", "y"});
  CHECK(made_by("line").num_columns("x") == 1);
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(made_by("ages")); }), "no features \"ages\"",
              "\"line\", \"feat\", \"codes\""));
  auto const called_x = made_of(content([&](auto& nodes) {
                                  several(nodes);
                                  nodes.features[2].name = "x";
                                }),
                                {});
  CHECK(called_x.vertices[0].tensors.view<float>("x").features(6, 0) == -6);
}

TEST_CASE("labels that are not one whole number a vertex keep their type") {
  auto const labels_of = [](auto change) { return std::move(made_of(content(change), {}).vertices[0].tensors); };
  auto const bytes = labels_of([](auto& nodes) {
    nodes.labels = io::array::of<std::uint8_t>(std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 255}, {7, 1});
  });
  CHECK(bytes.view<std::int64_t>("y").features(6, 0) == 255);
  auto const floats = labels_of([](auto& nodes) { nodes.labels = io::array::of<float>(std::vector<float>(7, 0.5F)); });
  CHECK(floats.view<float>("y").features(6, 0) == 0.5F);
  auto const many =
      labels_of([](auto& nodes) { nodes.labels = io::array::of<std::int64_t>(std::vector<std::int64_t>(14), {7, 2}); });
  CHECK(many.num_columns("y") == 2);
  auto const none = labels_of([](auto& nodes) {
    nodes.features.clear();
    nodes.labels = {};
  });
  CHECK(none.num_rows() == 7);
  CHECK(none.names().empty());
  CHECK(names(thrown<precondition_error>([&] {
                static_cast<void>(labels_of(
                    [](auto& nodes) { nodes.features.push_back({"y", io::array::of<float>(std::vector<float>(7))}); }));
              }),
              "\"y\" are there already"));
}

TEST_CASE("arrays of types become tables in their own types, without a copy") {
  auto part = hetero_content();
  auto const* const wide = part.nodes[0].features[0].values.bytes().data();
  auto const rows = part.graph.books[0].size(1);
  REQUIRE(rows > 0);
  auto const made = made_of(std::move(part), {});
  auto const& papers = made.vertices[0].tensors;
  CHECK(papers.names() == text_list{"x", "labels", "../x/y", "y"});
  CHECK(papers.num_rows() == rows);
  CHECK(papers.type("labels") == element_type::int32);
  CHECK(papers.num_columns("../x/y") == 2);
  CHECK(static_cast<void const*>(papers.view<float>("x").features.data()) == wide);
  for (std::int64_t v = 0; v < rows; ++v) {
    CHECK(papers.view<std::int64_t>("y").features(v, 0) == made.graph.original[0][v]);
  }
  auto const& authors = made.vertices[1].tensors;
  CHECK(authors.type("feat") == element_type::float16); // of one dimension
  CHECK(authors.num_columns("y") == 2);
  CHECK(made.vertices[1].splits.empty());
  CHECK(made.vertices[2].tensors.num_rows() == 0);
  CHECK(made.vertices[2].tensors.num_columns("x") == 5);
  CHECK(made_of(hetero_content(), {.features = "feat"}).vertices[1].tensors.type("x") == element_type::float16);
}

TEST_CASE("features and times of edges become tensors where they are asked for") {
  auto const content = hetero_content();
  auto const made = made_of(hetero_content(), {.edge_tensors = true});
  std::size_t num_tensors = 0;
  for (std::size_t type = 0; type < made.edges.size(); ++type) {
    auto const& edges = content.edges[type];
    auto const& table = made.edges[type].tensors;
    CHECK(table.names().size() == edges.features.size() + (edges.times.empty() ? 0 : 1));
    CHECK(table.num_rows() == made.graph.relations[type].view().num_edges());
    num_tensors += table.names().size();
    if (!edges.times.empty()) {
      CHECK(std::ranges::equal(table.view<std::int64_t>("time").features.flat(), edges.times));
      CHECK(made.edges[type].times.size() == edges.times.size()); // rules read them
    }
    CHECK(made.edges[type].links.size() == edges.links.size());
  }
  CHECK(num_tensors == 2);
}
