// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "../support/errors.hpp"
#include "../support/graphs.hpp"

#include <glt/graph/planted_communities.hpp>
#include <glt/graph/symmetrize.hpp>
#include <glt/partition/ldg.hpp>
#include <glt/partition/quality.hpp>
#include <glt/partition/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// The algorithm with nothing but loops over all parts.
std::vector<local_id> naive(csr_view<memory_space::host> graph, ldg_partitioner options, int num_parts) {
  auto const n = graph.num_rows();
  auto const order = make_random_permutation<local_id>(n, random_key(options.seed));
  auto const capacity = std::max(std::ceil((1 + options.capacity_slack) * static_cast<double>(n) / num_parts),
                                 std::ceil(static_cast<double>(n) / num_parts));
  auto const limit = std::min(capacity, static_cast<double>(n));
  std::vector<local_id> part_of(static_cast<std::size_t>(n), -1);
  for (int pass = 0; pass < options.passes; ++pass) {
    std::vector<double> sizes(static_cast<std::size_t>(num_parts), 0);
    for (auto const v : order) {
      std::vector<double> scores;
      for (int part = 0; part < num_parts; ++part) {
        double neighbors = 0;
        for (auto const u : graph.row(v)) {
          neighbors += u != v && part_of[static_cast<std::size_t>(u)] == part ? 1 : 0;
        }
        scores.push_back(neighbors * (limit - sizes[static_cast<std::size_t>(part)]));
      }
      std::size_t best = 0;
      for (std::size_t p = 1; p < scores.size(); ++p) {
        if (scores[p] > scores[best] || (scores[p] == scores[best] && sizes[p] < sizes[best])) {
          best = p;
        }
      }
      part_of[static_cast<std::size_t>(v)] = static_cast<local_id>(best);
      ++sizes[best];
    }
  }
  return part_of;
}

} // namespace

TEST_CASE("the assignment is that of the naive algorithm") {
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    auto const rows = make_csr<device::cpu>(graph.view());
    for (int const num_parts : {1, 2, 3, 8}) {
      for (ldg_partitioner const options :
           {ldg_partitioner{}, ldg_partitioner{.seed = 2, .capacity_slack = 0, .passes = 1},
            ldg_partitioner{.seed = 5, .capacity_slack = 0.5, .passes = 3},
            ldg_partitioner{.capacity_slack = 1e300}}) {
        CAPTURE(num_parts);
        CHECK(to_vector(options(rows.view(), num_parts)) == naive(rows.view(), options, num_parts));
      }
    }
  }
}

TEST_CASE("no part is larger than the capacity") {
  auto const graph = random_graph(1009, 7001);
  auto const rows = make_csr<device::cpu>(graph.view());
  for (double const slack : {0.0, 0.01, 0.2}) {
    for (int const num_parts : {1, 2, 5, 13}) {
      auto const part_of = ldg_partitioner{.capacity_slack = slack}(rows.view(), num_parts);
      auto const quality = measure_partition(rows.view(), part_of.view(), num_parts);
      CHECK(static_cast<double>(quality.largest_part) <= std::ceil((1 + slack) * 1009 / num_parts));
    }
  }
}

TEST_CASE("communities stay together: far fewer edges are cut than at random, and more passes cut fewer") {
  auto const planted = make_planted_communities(
      {.num_vertices = 20'011, .num_communities = 40, .in_degree = 8, .out_degree = 2});
  auto const rows = make_csr<device::cpu>(symmetrize(planted.graph.view()).view());
  for (int const num_parts : {2, 4, 8}) {
    auto const cut = [&](auto const& partitioner) {
      auto const part_of = partitioner(rows.view(), num_parts);
      auto const quality = measure_partition(rows.view(), part_of.view(), num_parts);
      return static_cast<double>(quality.num_cut_edges) / static_cast<double>(quality.num_edges);
    };
    auto const random = cut(random_partitioner{});
    auto const once = cut(ldg_partitioner{.passes = 1});
    auto const often = cut(ldg_partitioner{});
    CAPTURE(num_parts);
    CHECK(random > 0.95 * (1 - 1.0 / num_parts));
    CHECK(once < 0.85 * random);
    CHECK(often < 0.4 * random);
  }
}

TEST_CASE("bad options are refused with their value") {
  auto const graph = random_graph(11, 30);
  auto const rows = make_csr<device::cpu>(graph.view());
  auto const complaint = [&](ldg_partitioner options) {
    return thrown<precondition_error>([&] { static_cast<void>(options(rows.view(), 2)); });
  };
  CHECK(names(complaint({.capacity_slack = -0.25}), "-0.25"));
  CHECK(names(complaint({.capacity_slack = std::numeric_limits<double>::quiet_NaN()}), "nan"));
  CHECK(names(complaint({.passes = 0}), "0 passes"));
}
