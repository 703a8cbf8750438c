// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/link/detail/edge_exclusions.hpp>

#include <glt/core/random.hpp>
#include <glt/sample/link/detail/edge_search.hpp>

#include "support/graphs.hpp"
#include "support/policies.hpp"
#include "support/row_edges.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace {

using glt::device::cpu;

// Pairs (source, destination), most of them edges.
std::vector<std::pair<std::int64_t, std::int64_t>> some_pairs(glt_test::edge_list const& list, std::uint64_t size) {
  std::vector<std::pair<std::int64_t, std::int64_t>> chosen;
  auto const pairs = glt_test::pairs_of(list.view());
  glt::random_stream draws(glt::random_key(6), size);
  for (std::uint64_t i = 0; i < size && list.num_vertices > 0; ++i) {
    if (i % 4 == 3 || pairs.empty()) {
      auto const any = static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(list.num_vertices)));
      chosen.emplace_back(any, (any * 3 + 1) % list.num_vertices);
    } else {
      chosen.push_back(pairs[draws.below(pairs.size())]);
    }
  }
  return chosen;
}

// The same edges in an order in which every row ascends.
glt_test::edge_list ascending(glt_test::edge_list const& list) {
  auto pairs = glt_test::pairs_of(list.view());
  std::ranges::sort(pairs);
  glt_test::edge_list made{list.name, list.num_vertices, {}, {}};
  for (auto const& [source, destination] : pairs) {
    made.add(source, destination);
  }
  return made;
}

template <glt::device_policy Policy>
void check_all_rows(glt::detail::edge_exclusions<Policy>& exclusions, glt_test::edge_list const& list,
                    std::uint64_t size, Policy policy) {
  auto const graph = glt::make_csr<Policy>(
      glt::coo_view<Policy::space, glt::local_id>(list.num_vertices, {list.sources.data(), list.num_edges()},
                                                  {list.destinations.data(), list.num_edges()}),
      {}, policy);
  auto const pairs = some_pairs(list, size);
  std::array<std::set<std::pair<std::int64_t, std::int64_t>>, 2> named; // by each batch of two
  std::vector<glt::detail::row_edge> edges;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    auto const batch = i % 3 == 1 ? 1 : 0;
    auto const& [source, destination] = pairs[i];
    named[static_cast<std::size_t>(batch)].insert(pairs[i]);
    edges.push_back({.row = batch * list.num_vertices + destination, .source = source});
  }
  auto view = exclusions.look_up(graph.view(), glt_test::row_edges{edges},
                                 glt::detail::rows_ascend(policy.executor(), graph.view()));
  for (auto const& of_batch : named) {
    for (std::int64_t row = 0; row < list.num_vertices; ++row) {
      std::vector<glt::edge_offset> expected;
      for (std::int64_t i = 0; i < graph.view().degree(row); ++i) {
        if (of_batch.contains({graph.view().source(graph.view().offset(row) + i), row})) {
          expected.push_back(i);
        }
      }
      auto const found = view.of(row); // in memory that the host reads, too
      CHECK(std::vector(found.data(), found.data() + found.size()) == expected);
    }
    view.first_row += list.num_vertices;
  }
}

} // namespace

TEST_CASE_TEMPLATE("every row of two batches knows the positions of its excluded edges, parallel ones included", Policy,
                   GLT_TEST_GLUE_POLICIES) {
  glt::detail::edge_exclusions<Policy> exclusions; // reused
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    for (std::uint64_t const size : {20, 0, 1, 300}) {
      check_all_rows(exclusions, list, size, Policy());
      check_all_rows(exclusions, ascending(list), size, Policy());
    }
  }
}

TEST_CASE("several threads find the same") {
  glt::detail::edge_exclusions<cpu> exclusions(cpu(3));
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    for (std::uint64_t const size : {20, 0, 1, 300}) {
      check_all_rows(exclusions, list, size, cpu(3));
    }
  }
}
