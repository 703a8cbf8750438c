// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/known_sets.hpp"

#include <glt/io/parts/parts_loaded.hpp>
#include <glt/io/parts/parts_writer.hpp>

#include <cstdint>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// The only part of a data set, changed before it is cut.
io::part_content content(auto change) {
  auto data = known_set(random_graph(7, 12));
  change(data.nodes[0]);
  auto const labels = random_labels(data, 1);
  return io::detail::data_set_cutter(io::view_of(data), labels, {}).cut(0);
}
io::part_content content() {
  return content([](auto&) {});
}

} // namespace

TEST_CASE("features and labels of the usual types are handed over without a copy") {
  auto part = content();
  auto const* const features = part.nodes[0].features[0].values.bytes().data();
  auto const* const labels = part.nodes[0].labels.bytes().data();
  auto const made = io::detail::make_loaded_part(std::move(part));
  CHECK(static_cast<void const*>(made.features.view().features.flat().data()) == features);
  CHECK(static_cast<void const*>(made.features.view().labels.data()) == labels);
  CHECK(made.more_features.empty());
  CHECK(made.targets.shape().empty());
  CHECK(made.train.size() == 3);
  CHECK(made.edges.weights.size() == 12);
  CHECK(made.graph.graph.view().num_edges() == 12);
}

TEST_CASE("one array becomes the features, the others keep their types") {
  auto const several = [](io::node_table& nodes) {
    nodes.features.insert(nodes.features.begin(), {"line", io::array::of<float>(std::vector<float>(7))});
    nodes.features.push_back(
        {"codes", io::array::of<std::int8_t>(std::vector<std::int8_t>{0, 1, 2, 3, 4, 5, -6}, {7, 1})});
  };
  auto const first = io::detail::make_loaded_part(content(several));
  CHECK(first.features.view().num_columns() == known_width);
  CHECK(first.more_features.size() == 2);
  auto const codes = io::detail::make_loaded_part(content(several), "codes");
  CHECK(codes.features.view().features(6, 0) == -6);
  CHECK(codes.more_features[1].name == "feat");
  auto const line = io::detail::make_loaded_part(content(several), "line");
  CHECK(line.features.view().num_columns() == 1);
  CHECK(
      names(thrown<precondition_error>([&] { static_cast<void>(io::detail::make_loaded_part(content(several), "x")); }),
            "no features 'x'"));
}

TEST_CASE("labels that are not one whole number a vertex are targets") {
  auto const bytes = io::detail::make_loaded_part(content([](auto& nodes) {
    nodes.labels = io::array::of<std::uint8_t>(std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 255}, {7, 1});
  }));
  CHECK(bytes.features.view().labels[6] == 255);
  auto const floats = io::detail::make_loaded_part(
      content([](auto& nodes) { nodes.labels = io::array::of<float>(std::vector<float>(7, 0.5F)); }));
  CHECK(floats.features.view().labels.empty());
  CHECK(floats.targets.values<float>()[6] == 0.5F);
  auto const many = io::detail::make_loaded_part(
      content([](auto& nodes) { nodes.labels = io::array::of<std::int64_t>(std::vector<std::int64_t>(14), {7, 2}); }));
  CHECK(many.features.view().labels.empty());
  CHECK(many.targets.columns() == 2);
}

TEST_CASE("a data set without features and labels has rows of no columns") {
  auto const made = io::detail::make_loaded_part(content([](auto& nodes) {
    nodes.features.clear();
    nodes.labels = {};
  }));
  CHECK(made.features.view().num_vertices() == 7);
  CHECK(made.features.view().num_columns() == 0);
  CHECK(made.features.view().labels.empty());
}

TEST_CASE("a graph of several types has no such form") {
  auto const data = hetero_known_set();
  auto const labels = random_labels(data, 1);
  io::write_options const options;
  CHECK(names(thrown<precondition_error>([&] {
                io::detail::data_set_cutter cutter(io::view_of(data), labels, options);
                static_cast<void>(io::detail::make_loaded_part(cutter.cut(0)));
              }),
              "3 node types and 4 edge types", "load_hetero"));
}
