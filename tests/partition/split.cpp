// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archetypes.hpp"
#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/partitioners.hpp"

#include <glt/graph/convert.hpp>
#include <glt/graph/validate.hpp>
#include <glt/partition/split.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// The union of all parts, in original ids.
template <class Column>
std::vector<std::vector<in_edge>> joined(csr_view<memory_space::host> graph, relabelling const& labels) {
  std::vector<std::vector<in_edge>> rows(static_cast<std::size_t>(graph.num_rows()));
  std::vector<int> owners(rows.size(), 0);
  for (int part = 0; part < labels.book.num_parts(); ++part) {
    auto const piece = split_graph<Column>(graph, labels, part);
    REQUIRE(piece.part == part);
    REQUIRE(piece.book == labels.book);
    REQUIRE(piece.original.size() == labels.book.size(part));
    REQUIRE(piece.graph.view().num_rows() == labels.book.size(part));
    REQUIRE(piece.graph.view().num_columns() == graph.num_columns());
    validate(piece.graph.view());
    auto const part_rows = rows_of(piece.graph.view());
    for (std::int64_t r = 0; r < piece.original.size(); ++r) {
      auto const v = static_cast<std::size_t>(piece.original[r]);
      REQUIRE(labels.renumbered[piece.original[r]] == labels.book.begin(part) + r);
      ++owners[v];
      for (auto const& [column, id] : part_rows[static_cast<std::size_t>(r)]) {
        rows[v].emplace_back(labels.original[column], id);
      }
    }
  }
  for (auto const count : owners) {
    REQUIRE(count == 1);
  }
  return rows;
}

} // namespace

TEST_CASE("the parts together are the graph, edge by edge, in original ids and order") {
  for (auto const& graph : adversarial_graphs()) {
    auto const rows = make_csr<device::cpu>(graph.view(), {.edge_ids = true});
    for (auto const& partitioner : all_partitioners()) {
      CAPTURE(graph.name);
      CAPTURE(partitioner.name);
      for (int const num_parts : {1, 2, 3, 4, 5, 80}) {
        CAPTURE(num_parts);
        auto const labels = make_relabelling(partitioner.run(rows.view(), num_parts).view(), num_parts);
        CHECK(joined<global_id>(rows.view(), labels) == naive_rows(graph));
      }
    }
  }
}

TEST_CASE("32-bit columns give the same; a graph without edge ids gives positions") {
  auto const graph = random_graph(257, 4099);
  auto const rows = make_csr<device::cpu>(graph.view());
  auto const labels = make_relabelling(random_partitioner{}(rows.view(), 3).view(), 3);
  CHECK(joined<local_id>(rows.view(), labels) == rows_of(rows.view()));
}

TEST_CASE("memory is that of the part, not of the graph") {
  auto const graph = random_graph(3001, 20'011);
  auto const rows = make_csr<device::cpu>(graph.view());
  auto const labels = make_relabelling(ldg_partitioner{}(rows.view(), 5).view(), 5);
  auto& counts = counting_resource::counts();
  for (int part = 0; part < 5; ++part) {
    counts = {};
    auto const piece = split_graph<global_id, minimal_policy>(rows.view(), labels, part);
    auto const own_rows = piece.graph.view().num_rows();
    auto const own_edges = piece.graph.view().num_edges();
    CHECK(own_rows < 700);
    CHECK(counts.peak_bytes == (own_rows + 1) * 8 + own_edges * 16 + own_rows * 8);
    CHECK(counts.live_bytes == counts.peak_bytes);
  }
}

TEST_CASE("features and labels follow their vertices") {
  auto const graph = random_graph(101, 37);
  auto const rows = make_csr<device::cpu>(graph.view());
  for (int const num_parts : {1, 3, 120}) {
    auto const labels = make_relabelling(random_partitioner{}(rows.view(), num_parts).view(), num_parts);
    std::vector<float> features(101 * 3);
    std::vector<std::int64_t> const classes = [] {
      std::vector<std::int64_t> made(101);
      for (std::size_t v = 0; v < made.size(); ++v) {
        made[v] = static_cast<std::int64_t>(1000 + v);
      }
      return made;
    }();
    for (std::size_t i = 0; i < features.size(); ++i) {
      features[i] = static_cast<float>(i);
    }
    for (int part = 0; part < num_parts; ++part) {
      auto const own_rows = split_rows(host_matrix<float>(features.data(), 101, 3), labels, part);
      auto const own_classes = split_rows(host_view<std::int64_t const>(classes), labels, part);
      REQUIRE(own_rows.size() == labels.book.size(part) * 3);
      REQUIRE(own_classes.size() == labels.book.size(part));
      for (std::int64_t r = 0; r < own_classes.size(); ++r) {
        auto const v = labels.original[labels.book.begin(part) + r];
        CHECK(own_classes[r] == 1000 + v);
        CHECK(own_rows[r * 3 + 2] == static_cast<float>(v * 3 + 2));
      }
    }
    CHECK(split_rows(host_matrix<float>(features.data(), 101, 0), labels, 0).empty());
  }
}

TEST_CASE("what does not fit is refused") {
  auto const graph = random_graph(11, 40);
  auto const other = random_graph(12, 40);
  auto const rows = make_csr<device::cpu>(graph.view());
  auto const more_rows = make_csr<device::cpu>(other.view());
  auto const labels = make_relabelling(contiguous_partitioner{}(rows.view(), 2).view(), 2);
  auto const complaint = [&](csr_view<memory_space::host> view, int part) {
    return thrown<precondition_error>([&] { static_cast<void>(split_graph(view, labels, part)); });
  };
  CHECK(names(complaint(rows.view(), 2), "part 2", "2"));
  CHECK(names(complaint(rows.view(), -1), "part -1"));
  CHECK(names(complaint(more_rows.view(), 0), "12 rows", "11 vertices"));
  csr_view<memory_space::host> const wide(20, rows.view().offsets(), rows.view().sources());
  CHECK(names(complaint(wide, 0), "20 columns", "11 vertices"));
  std::vector<float> const features(30);
  CHECK(names(thrown<precondition_error>(
                  [&] { static_cast<void>(split_rows(host_matrix<float const>(features.data(), 10, 3), labels, 0)); }),
              "10 rows", "11 vertices"));
  CHECK_THROWS_AS(static_cast<void>(split_rows(host_view<float const>(features), labels, 0)), precondition_error);
}

TEST_CASE("a relabelling whose arrays contradict its book is refused") {
  auto const graph = random_graph(11, 40);
  auto const rows = make_csr<device::cpu>(graph.view());
  auto labels = make_relabelling(contiguous_partitioner{}(rows.view(), 2).view(), 2);
  labels.original.resize(5);
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(split_graph(rows.view(), labels, 1)); }), "5 original",
              "11 vertices"));
}
