// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/detail/relation_draws.hpp>

#include "support/allocations.hpp"
#include "support/naive_hetero_sampler.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

using glt::device::cpu;

namespace {

// Draws for three askers, and every relation and asker alone: the same.
template <class Rule>
void check_askers(std::vector<std::type_identity_t<typename Rule::query_type>> const& queries) {
  auto const list = glt_test::academic_graph(33);
  auto const graph = list.graph();
  std::vector<glt::partition_book> books;
  for (auto const& type : list.schema.node_types()) {
    books.emplace_back(std::vector<glt::global_id>{0, type.num_vertices});
  }
  glt::dist::typed_rows const typed(books, 1);
  // Papers are rows 0 … 32, authors 33 … 49, institutions 50 … 52, topics 53 … 55.
  std::vector<glt::local_id> const rows{0, 32, 33, 55, 5, 5, 49, 53, 54};
  std::vector<std::int64_t> const askers{0, 4, 4, 9};
  std::vector<glt::dist::relation_request<glt::memory_space::host, glt::local_id, Rule>> relations;
  for (int const e : {0, 1, 3, 6}) {
    relations.push_back({.node_type = list.schema.destination_type(e),
                         .local = graph.view().relation(e),
                         .original = {},
                         .options = {.fanout = 3},
                         .key = glt::random_key(static_cast<std::uint64_t>(e)),
                         .rule = {}});
  }
  glt::hop_drawer<cpu> drawer;
  glt::dist::relation_draws<cpu, glt::local_id, Rule> draws;
  for (int round = 0; round < 2; ++round) { // used again: nothing of the first round may shine through
    draws.draw(drawer, typed, 0, rows, askers, queries, relations, true);
    for (std::size_t e = 0; e < relations.size(); ++e) {
      auto const type = relations[e].node_type;
      for (std::size_t asker = 0; asker < 3; ++asker) {
        std::vector<glt::local_id> alone;
        std::vector<typename Rule::query_type> of_alone;
        for (auto i = askers[asker]; i < askers[asker + 1]; ++i) {
          auto const row = rows[static_cast<std::size_t>(i)];
          if (row >= typed.first_row(0, type) && row < typed.first_row(0, type + 1)) {
            alone.push_back(static_cast<glt::local_id>(row - typed.first_row(0, type)));
            if (!queries.empty()) {
              of_alone.push_back(queries[static_cast<std::size_t>(i)]);
            }
          }
        }
        glt::hop_request<glt::memory_space::host, glt::local_id, Rule> const request{
            .rows = alone,
            .original = {},
            .options = {.fanout = 3},
            .key = relations[e].key,
            .rule = {},
            .queries = of_alone};
        glt::hop_sample<cpu, glt::local_id> expected;
        drawer.draw(relations[e].local, request, true, expected);
        auto const offsets = draws.offsets(e, type, asker);
        REQUIRE(std::ssize(offsets) == expected.offsets.size());
        for (std::int64_t i = 0; i + 1 < expected.offsets.size(); ++i) {
          auto const begin = offsets[static_cast<std::size_t>(i)];
          auto const end = offsets[static_cast<std::size_t>(i) + 1];
          REQUIRE(end - begin == expected.offsets[i + 1] - expected.offsets[i]);
          for (auto j = begin; j < end; ++j) {
            CHECK(draws.of_relation(e).sources[j] == expected.sources[expected.offsets[i] + j - begin]);
            CHECK(draws.of_relation(e).edge_ids[j] == expected.edge_ids[expected.offsets[i] + j - begin]);
          }
        }
      }
    }
  }
}

} // namespace

TEST_CASE("every asker gets what it would get alone, by relation") {
  check_askers<glt::uniform_rule>({});
  check_askers<glt_test::limit_rule>({10, 0, 100, 200, 50, 60, 198, 30, 90});
}

TEST_CASE("a hop over fewer relations keeps the memory of the others") {
  auto const list = glt_test::academic_graph(33);
  auto const graph = list.graph();
  std::vector<glt::partition_book> books;
  for (auto const& type : list.schema.node_types()) {
    books.emplace_back(std::vector<glt::global_id>{0, type.num_vertices});
  }
  glt::dist::typed_rows const typed(books, 1);
  std::vector<glt::local_id> const rows{0, 32, 33, 49};
  std::vector<std::int64_t> const asker{0, 4};
  std::vector<glt::dist::relation_request<glt::memory_space::host, glt::local_id>> relations;
  for (int const e : {0, 1, 3}) {
    relations.push_back({.node_type = list.schema.destination_type(e),
                         .local = graph.view().relation(e),
                         .original = {},
                         .options = {.fanout = 3}});
  }
  glt::hop_drawer<cpu> drawer;
  glt::dist::relation_draws<cpu, glt::local_id, glt::uniform_rule> draws;
  std::int64_t allocations = 0;
  for (int round = 0; round < 2; ++round) {
    allocations = glt_test::num_allocations();
    draws.draw(drawer, typed, 0, rows, asker, {}, relations, true);
    draws.draw(drawer, typed, 0, rows, asker, {}, std::span(relations).first(1), true);
  }
  CHECK(glt_test::num_allocations() == allocations);
}
