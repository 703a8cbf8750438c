// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/known_sets.hpp"

#include <glt/graph/convert.hpp>
#include <glt/graph/edge_values.hpp>
#include <glt/io/parts/parts_writer.hpp>
#include <glt/partition/split.hpp>

#include <cstddef>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("rows of the parts are those of split_graph, in order of time, whatever order and number the parts have") {
  for (auto const& graph : adversarial_graphs()) {
    for (bool const timed : {false, true}) {
      auto data = known_set(graph);
      auto& times = data.edges[0].times; // they fall
      for (std::size_t e = 0; e < times.size(); e += 3) {
        times[e] = -2;
      }
      auto whole = make_csr<device::cpu>(graph.view(), {.edge_ids = true});
      if (timed) {
        whole = sort_rows_by_time(whole.view(), make_edge_values(whole.view(), times).view()).graph;
      } else {
        times.clear();
      }
      for (int const parts : {1, 3, 100}) {
        CAPTURE(graph.name);
        CAPTURE(timed);
        CAPTURE(parts);
        auto const labels = random_labels(graph.num_vertices, parts);
        io::detail::edge_cutter cutter(data.edges[0].view(), labels, labels);
        auto const check = [&](int part) {
          auto const own = cutter.cut(part);
          auto const expected = split_graph(whole.view(), labels, part);
          REQUIRE(own.view().num_columns() == graph.num_vertices);
          REQUIRE(own.view().num_rows() == labels.book.size(part));
          REQUIRE(rows_of(own.view()) == rows_of(expected.graph.view()));
        };
        for (int part = 0; part < parts; ++part) {
          check(part);
        }
        for (int part = parts - 1; part >= 0; part -= 7) {
          check(part);
        }
      }
    }
  }
}

TEST_CASE("a part outlives the cutter and the parts after it") {
  auto const data = known_set(random_graph(50, 300));
  auto const labels = random_labels(50, 4);
  csr_graph<device::cpu, global_id> first;
  std::vector<std::vector<in_edge>> rows;
  {
    io::detail::edge_cutter cutter(data.edges[0].view(), labels, labels);
    first = cutter.cut(0);
    rows = rows_of(first.view());
    static_cast<void>(cutter.cut(3));
  }
  CHECK(rows_of(first.view()) == rows);
}

TEST_CASE("edges whose ends do not exist are named") {
  auto data = known_set(random_graph(9, 20));
  auto const labels = random_labels(9, 2);
  auto const fault = [&] {
    return thrown<precondition_error>(
        [&] { io::detail::edge_cutter const cutter(data.edges[0].view(), labels, labels); });
  };
  data.edges[0].destinations[4] = 9;
  CHECK(names(fault(), "destination of edge 4 of edges 'edge' is 9, outside [0, 9)"));
  data.edges[0].sources[3] = -1;
  CHECK(names(fault(), "source of edge 3 of edges 'edge' is -1"));
  data.edges[0].sources.pop_back();
  CHECK(names(fault(), "20 rows for 19"));
}
