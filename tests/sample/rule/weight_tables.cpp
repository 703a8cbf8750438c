// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/rule/weight_tables.hpp>

#include "support/archetypes.hpp"
#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/weighted.hpp"

#include <glt/memory/buffer.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

namespace {

using glt::device::cpu;
using host_graph = glt::csr_view<glt::memory_space::host>;

// The probability of every edge of a row by its table.
std::vector<double> probabilities_of(host_graph graph, glt::detail::weight_tables_view<glt::memory_space::host> tables,
                                     std::int64_t row) {
  auto const degree = graph.degree(row);
  std::vector<double> probabilities(static_cast<std::size_t>(degree), 0.0);
  for (std::int64_t i = 0; i < degree; ++i) {
    auto const slot = tables.slots[graph.offset(row) + i];
    REQUIRE(slot.alias < degree);
    auto const own = std::ldexp(static_cast<double>(slot.threshold), -32) / static_cast<double>(degree);
    probabilities[static_cast<std::size_t>(i)] += own;
    probabilities[slot.alias] += 1 / static_cast<double>(degree) - own;
  }
  return probabilities;
}

void check_row(host_graph graph, std::vector<float> const& weights,
               glt::detail::weight_tables_view<glt::memory_space::host> tables, std::int64_t row) {
  std::vector<float> const own(weights.begin() + graph.offset(row), weights.begin() + graph.offset(row + 1));
  double const sum = std::accumulate(own.begin(), own.end(), 0.0);
  REQUIRE(tables.num_positive[row] == glt_test::positive_positions(own).size());
  if (sum == 0) {
    return;
  }
  auto const probabilities = probabilities_of(graph, tables, row);
  double difference = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    difference += std::abs(probabilities[i] - static_cast<double>(own[i]) / sum);
    CHECK((own[i] > 0 || probabilities[i] == 0));
  }
  CHECK(difference <= 0x1p-31); // what one edge loses another one gains
}

} // namespace

TEST_CASE("tables hold the probabilities of the weights") {
  for (auto const& [name, weights] : glt_test::adversarial_weights()) {
    CAPTURE(name);
    // The row stands between others, one of them empty.
    auto const degree = static_cast<std::int64_t>(weights.size());
    std::vector<glt::edge_offset> const offsets{0, 2, 2, 2 + degree, 3 + degree};
    std::vector<glt::local_id> const sources(static_cast<std::size_t>(degree + 3), 0);
    std::vector<float> all{1, 4};
    all.insert(all.end(), weights.begin(), weights.end());
    all.push_back(9);
    host_graph const graph(4, offsets, sources);
    glt::weight_tables<cpu> const tables(graph, all);
    for (std::int64_t row = 0; row < 4; ++row) {
      check_row(graph, all, tables.view(), row);
    }
  }
}

TEST_CASE("the tables of all rows are built alike by any number of threads") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = glt::make_csr<cpu>(list.view());
    auto const weights = glt_test::random_weights(list.num_edges(), 8);
    glt::weight_tables<cpu> const alone(graph.view(), weights);
    glt::weight_tables<cpu> const together(graph.view(), weights, cpu(3));
    REQUIRE(alone.view().slots.size() == list.num_edges());
    REQUIRE(alone.view().num_positive.size() == list.num_vertices);
    for (std::int64_t row = 0; row < list.num_vertices; ++row) {
      check_row(graph.view(), weights, alone.view(), row);
      CHECK(alone.view().num_positive[row] == together.view().num_positive[row]);
    }
    for (std::int64_t position = 0; position < list.num_edges(); ++position) {
      if (weights[static_cast<std::size_t>(position)] > 0) {
        CHECK(alone.view().slots[position].threshold == together.view().slots[position].threshold);
        CHECK(alone.view().slots[position].alias == together.view().slots[position].alias);
      }
    }
  }
}

TEST_CASE("tables are built with nothing but what a policy lists") {
  glt_test::minimal_policy const policy;
  auto const offsets = glt::make_buffer(std::vector<glt::edge_offset>{0, 0, 3}, policy);
  auto const sources = glt::make_buffer(std::vector<glt::global_id>{1, 0, 1}, policy);
  auto const weights = glt::make_buffer(std::vector<float>{2, 0, 1}, policy);
  glt::csr_view<glt::memory_space::pinned, glt::global_id> const graph(2, offsets.view(), sources.view());
  glt::weight_tables<glt_test::minimal_policy> const tables(graph, weights.view(), policy);
  CHECK(tables.view().num_positive[0] == 0);
  CHECK(tables.view().num_positive[1] == 2);
  CHECK(tables.view().slots[1].threshold == 0);
  CHECK(tables.view().slots[1].alias == 0);
  CHECK(tables.view().slots[2].threshold == 0xFFFFFFFF);
}

TEST_CASE("a graph without edges has empty tables, and so has nothing at all") {
  CHECK(glt::weight_tables<cpu>{}.view().empty());
  glt::weight_tables<cpu> const none(host_graph{}, std::vector<float>{});
  CHECK(none.view().empty());
}

TEST_CASE("bad weights and rows too long for a table are refused") {
  std::vector<glt::edge_offset> const offsets{0, 1, 3};
  std::vector<glt::local_id> const sources{0, 0, 0};
  host_graph const graph(2, offsets, sources);
  auto const complaint = [&](std::vector<float> const& weights) {
    return glt_test::thrown<glt::precondition_error>([&] { glt::weight_tables<cpu>(graph, weights); });
  };
  CHECK(glt_test::names(complaint({1, 2, -3}), "weight of edge 1 of row 1 ", "is -3"));
  CHECK(glt_test::names(complaint({1, 2}), "2 weights for 3 edges"));
  // Offsets that lie about the row, which nobody reads before it is refused.
  std::vector<glt::edge_offset> const long_offsets{0, std::int64_t{1} << 32};
  host_graph const long_row(2, long_offsets, sources);
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>(
                            [&] { glt::weight_tables<cpu>(long_row, std::vector<float>{1, 2, 3}); }),
                        "row of 4294967296 edges", "without tables"));
}
