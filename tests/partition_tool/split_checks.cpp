// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "partition/split_checks.hpp"

#include "support/errors.hpp"

#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/outofcore/detail/all_types.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;
using glt_partition::options;

namespace {

io::raw_data users_and_items() {
  io::raw_data data{.name = "shop", .nodes = {}, .edges = {}};
  data.nodes.push_back({.name = "item", .num_nodes = 5});
  data.nodes.push_back({.name = "user", .num_nodes = 5});
  data.edges.push_back(
      {.source = "user", .name = "buys", .destination = "item", .sources = {0, 1, 2}, .destinations = {0, 1, 2}});
  data.edges.push_back(
      {.source = "item", .name = "rev_buys", .destination = "user", .sources = {0, 1, 2}, .destinations = {0, 1, 2}});
  return data;
}

io::raw_data one_type() {
  io::raw_data data{.name = "set", .nodes = {}, .edges = {}};
  data.nodes.push_back({.num_nodes = 9});
  data.edges.push_back({.sources = {0, 1, 2, 3}, .destinations = {1, 2, 3, 4}});
  return data;
}

std::vector<std::string> faults_of(io::raw_data const& data) {
  io::detail::all_types const graph(data.view());
  std::vector<std::string> faults;
  for (auto const& nodes : graph.data().nodes) {
    glt_partition::find_shared_vertices(nodes, faults);
  }
  for (std::size_t type = 0; type < graph.data().edges.size(); ++type) {
    glt_partition::find_shared_edges(graph, type, faults);
  }
  return faults;
}

// The only fault of a data set.
std::string fault_of(io::raw_data const& data) {
  auto const faults = faults_of(data);
  CHECK(faults.size() == 1);
  return faults.empty() ? std::string() : faults[0];
}

} // namespace

TEST_CASE("splits that share nothing have no faults") {
  auto data = one_type();
  data.nodes[0].train = {3, 1};
  data.nodes[0].valid = {2};
  data.nodes[0].test = {0, 4};
  data.edges[0].links.push_back({"train", {{0, 1}, {1, 2}}, {{5}, {6}}}); // training edges are edges of the graph
  data.edges[0].links.push_back({"valid", {{4}, {5}}, {{6}, {7}}});
  data.edges[0].links.push_back({"test", {{4, 4}, {6, 6}}, {}});
  CHECK(faults_of(data).empty());
  CHECK(faults_of(users_and_items()).empty());
  glt_partition::console out(false, true);
  glt_partition::check_splits({.strict = true}, io::detail::all_types(data.view()), out);
}

TEST_CASE("vertices in two splits are named") {
  auto data = one_type();
  data.nodes[0].train = {7, 1, 2};
  data.nodes[0].test = {8, 2, 7};
  CHECK(names(fault_of(data), "2 vertices of type 'node' are in train_idx and test_idx, such as 2"));
  glt_partition::console out(false, true);
  io::detail::all_types const graph(data.view());
  CHECK(names(thrown<precondition_error>([&] { glt_partition::check_splits({.strict = true}, graph, out); }),
              "--strict", "train_idx and test_idx", "--no-check-splits"));
  glt_partition::check_splits({}, graph, out);
  glt_partition::check_splits({.strict = true, .check_splits = false}, graph, out);
}

TEST_CASE("vertices of a split without a label are named") {
  auto data = one_type();
  data.nodes[0].train = {7, 1, 2};
  data.nodes[0].test = {8, 0};
  data.nodes[0].labels = io::array::of<std::int32_t>(std::vector{3, -1, -7, -1, 0, 0, 0, 0, 1});
  glt_partition::console out(false, true);
  auto const text = [&] {
    io::detail::all_types const graph(data.view());
    return thrown<precondition_error>([&] { glt_partition::check_splits({.strict = true}, graph, out); });
  };
  CHECK(names(text(), "2 vertices of type 'node' in train_idx have no label, such as 1 with -1"));
  data.nodes[0].labels = io::array::of<std::int32_t>(std::vector{-3, 1, 7, -1, 0, 0, 0, 0, 1});
  CHECK(names(text(), "1 vertices of type 'node' in test_idx have no label, such as 0 with -3"));
}

TEST_CASE("held-out edges that training sees, and negatives that are edges, are named") {
  using glt::link_split;
  auto const with = [](io::raw_data data, std::vector<link_split> links) {
    data.edges[0].links = std::move(links);
    return fault_of(data);
  };
  CHECK(names(with(one_type(), {{"valid", {{0, 5, 0}, {1, 6, 1}}, {}}}), "1 of 2 different valid_edge",
              "are edges of the graph, such as 0 -> 1"));
  CHECK(names(with(one_type(), {{"test", {{2, 8}, {1, 8}}, {}}}), "test_edge",
              "are edges of the graph the other way round, such as 2 -> 1"));
  CHECK(names(with(one_type(), {{"train", {{5}, {6}}, {}}, {"test", {{5}, {6}}, {}}}), "test_edge",
              "are in train_edge, too"));
  CHECK(names(with(one_type(), {{"train", {{5}, {6}}, {}}, {"test", {{6}, {5}}, {}}}), "test_edge",
              "are in train_edge the other way round"));
  CHECK(names(with(one_type(), {{"train", {}, {{3}, {4}}}}), "train_edge_neg", "are edges of the graph"));
  CHECK(names(with(one_type(), {{"test", {}, {{3}, {4}}}}), "test_edge_neg", "are edges of the graph"));
  CHECK(names(with(one_type(), {{"valid", {{5}, {6}}, {}}, {"test", {}, {{5}, {6}}}}), "test_edge_neg",
              "are edges of a split"));
  auto data = users_and_items();
  data.edges[0] = {.source = "user", .name = "buys", .destination = "item", .sources = {3}, .destinations = {3}};
  data.edges[0].links.push_back({"test", {{2, 4}, {2, 1}}, {}});
  CHECK(names(fault_of(data), "test_edge 'buys' are edges of the graph the other way round, such as 2 -> 2"));
}
