// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/graph/edge_values.hpp>

#include "support/archetypes.hpp"
#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/parts.hpp"

#include <glt/memory/buffer.hpp>

#include <cstdint>
#include <vector>

using glt_test::cpu;

namespace {

std::vector<double> values_of(std::int64_t num_edges) {
  std::vector<double> values;
  for (std::int64_t id = 0; id < num_edges; ++id) {
    values.push_back(0.5 * static_cast<double>(id) - 7);
  }
  return values;
}

} // namespace

TEST_CASE("values follow their edges into rows") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const values = values_of(list.num_edges());
    auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
    auto const rows = glt_test::naive_rows(list);
    for (int const threads : {1, 3}) {
      auto const made = glt::make_edge_values(graph.view(), values, cpu(threads));
      REQUIRE(made.size() == list.num_edges());
      std::int64_t position = 0;
      for (auto const& row : rows) {
        for (auto const& [source, id] : row) {
          CHECK(made[position++] == values[static_cast<std::size_t>(id)]);
        }
      }
    }
  }
}

TEST_CASE("the parts of a graph take their values from those of the whole") {
  auto const list = glt_test::random_graph(257, 4099);
  auto const values = values_of(list.num_edges());
  for (auto const& partitioner : glt_test::all_partitioners()) {
    CAPTURE(partitioner.name);
    glt_test::divided_graph const divided(list, partitioner, 3);
    std::vector<int> seen(values.size(), 0);
    for (int rank = 0; rank < 3; ++rank) {
      auto const part = divided.part(rank);
      auto const graph = part.graph.view();
      auto const made = glt::make_edge_values(graph, values);
      REQUIRE(made.size() == graph.num_edges());
      for (std::int64_t position = 0; position < graph.num_edges(); ++position) {
        auto const id = static_cast<std::size_t>(graph.id_of_edge(position));
        CHECK(made[position] == values[id]);
        ++seen[id];
      }
    }
    CHECK(seen == std::vector<int>(values.size(), 1));
  }
}

TEST_CASE("more values than edges do no harm, and a graph without edges needs no ids") {
  auto const list = glt_test::random_graph(11, 64);
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const fitting = glt::make_edge_values(graph.view(), values_of(64));
  CHECK(glt_test::to_vector(glt::make_edge_values(graph.view(), values_of(70))) == glt_test::to_vector(fitting));
  std::vector<glt::edge_offset> const offsets{0, 0, 0};
  glt::csr_view<glt::memory_space::host> const without_edges(2, offsets, {});
  CHECK(glt::make_edge_values(without_edges, values_of(3)).empty());
}

TEST_CASE("a graph that has forgotten the order of the input is refused, with what to write") {
  auto const list = glt_test::random_graph(11, 64);
  auto const graph = glt::make_csr<cpu>(list.view());
  auto const text =
      glt_test::thrown<glt::precondition_error>([&] { (void)glt::make_edge_values(graph.view(), values_of(64)); });
  CHECK(glt_test::names(text, "without edge ids", ".edge_ids = true", "order of its rows"));
}

TEST_CASE("values are made with nothing but what a policy lists") {
  glt_test::minimal_policy const policy;
  auto const offsets = glt::make_buffer(std::vector<glt::edge_offset>{0, 2, 3}, policy);
  auto const sources = glt::make_buffer(std::vector<glt::local_id>{1, 0, 1}, policy);
  auto const ids = glt::make_buffer(std::vector<glt::edge_id>{2, 0, 1}, policy);
  glt::csr_view<glt::memory_space::pinned> const graph(2, offsets.view(), sources.view(), ids.view());
  auto const made = glt::make_edge_values(graph, std::vector<int>{5, 6, 7}, policy);
  CHECK(glt_test::to_vector(made) == std::vector<int>{7, 5, 6});
}

TEST_CASE("the first edge whose id has no value is named") {
  std::vector<glt::edge_offset> const offsets{0, 1, 4};
  std::vector<glt::local_id> const sources{1, 0, 1, 1};
  std::vector<glt::edge_id> ids{3, 5, 0, 4};
  glt::csr_view<glt::memory_space::host> const graph(2, offsets, sources, ids);
  auto const complaint = [&](std::int64_t count) {
    return glt_test::thrown<glt::precondition_error>([&] { (void)glt::make_edge_values(graph, values_of(count)); });
  };
  CHECK(glt_test::names(complaint(5), "edge at position 1 has id 5", "5 values", "one for every edge"));
  CHECK(glt_test::names(complaint(0), "edge at position 0 has id 3", "0 values"));
  CHECK_NOTHROW((void)glt::make_edge_values(graph, values_of(6)));
  ids[2] = -1;
  CHECK(glt_test::names(complaint(6), "edge at position 2 has id -1"));
}
