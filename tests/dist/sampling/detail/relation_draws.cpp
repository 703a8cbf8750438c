// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/detail/relation_draws.hpp>

#include <glt/dist/sampling/detail/hop_requests.hpp>

#include "support/allocations.hpp"
#include "support/naive_hetero_sampler.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

using glt::device::cpu;

namespace {

// Draws for three requesters, and every relation and requester alone: the same.
template <class Rule>
void check_requesters(std::vector<std::type_identity_t<typename Rule::query_type>> const& queries) {
  auto const list = glt_test::academic_graph(33);
  auto const graph = list.graph();
  std::vector<glt::partition_book> books;
  for (auto const& type : list.schema.node_types()) {
    books.emplace_back(std::vector<glt::global_id>{0, type.num_vertices});
  }
  glt::detail::typed_rows<cpu> const typed(books, 1);
  // Papers are rows 0 … 32, authors 33 … 49, institutions 50 … 52, topics 53 … 55.
  std::vector<glt::local_id> const rows{0, 32, 33, 55, 5, 5, 49, 53, 54};
  std::vector<std::int64_t> const requesters{0, 4, 4, 9};
  std::vector<glt::detail::relation_request<glt::memory_space::host, glt::local_id, Rule>> relations;
  for (int const e : {0, 1, 3, 6}) {
    relations.push_back({.node_type = list.schema.destination_type(e),
                         .local = graph.view().relation(e),
                         .original = {},
                         .options = {.fanout = 3},
                         .key = glt::random_key(static_cast<std::uint64_t>(e)),
                         .rule = {}});
  }
  glt::detail::hop_drawer<cpu> drawer;
  glt::detail::relation_draws<cpu, glt::local_id, Rule> draws;
  for (int round = 0; round < 2; ++round) { // used again: nothing of the first round may shine through
    draws.draw(typed.first_rows(0), rows, requesters, queries, relations, true);
    for (std::size_t e = 0; e < relations.size(); ++e) {
      auto const type = relations[e].node_type;
      for (std::size_t requester = 0; requester < 3; ++requester) {
        std::vector<glt::local_id> alone;
        std::vector<typename Rule::query_type> of_alone;
        for (auto i = requesters[requester]; i < requesters[requester + 1]; ++i) {
          auto const row = rows[static_cast<std::size_t>(i)];
          auto const* const first_row = &typed.first_rows(0)[static_cast<std::size_t>(type)];
          if (row >= first_row[0] && row < first_row[1]) {
            alone.push_back(static_cast<glt::local_id>(row - first_row[0]));
            if (!queries.empty()) {
              of_alone.push_back(queries[static_cast<std::size_t>(i)]);
            }
          }
        }
        glt::detail::hop_request<glt::memory_space::host, glt::local_id, Rule> const request{.rows = alone,
                                                                                             .original = {},
                                                                                             .options = {.fanout = 3},
                                                                                             .key = relations[e].key,
                                                                                             .rule = {},
                                                                                             .queries = of_alone};
        glt::detail::hop_sample<cpu, glt::local_id> expected;
        drawer.draw(relations[e].local, request, true, expected);
        auto const drawn = draws.of(e, requester);
        REQUIRE(drawn.num_rows + 1 == expected.offsets.size());
        CHECK(drawn.num_edges == expected.sources.size());
        CHECK(drawn.offsets[0] == drawn.first_edge);
        for (std::int64_t i = 0; i < drawn.num_rows; ++i) {
          auto const begin = drawn.offsets[i];
          auto const end = drawn.offsets[i + 1];
          REQUIRE(end - begin == expected.offsets[i + 1] - expected.offsets[i]);
          for (auto j = begin; j < end; ++j) {
            CHECK(drawn.sources[j] == expected.sources[expected.offsets[i] + j - begin]);
            CHECK(drawn.edge_ids[j] == expected.edge_ids[expected.offsets[i] + j - begin]);
          }
        }
      }
    }
  }
}

} // namespace

TEST_CASE("every requester gets what it would get alone, by relation") {
  check_requesters<glt::uniform_rule>({});
  check_requesters<glt_test::limit_rule>({10, 0, 100, 200, 50, 60, 198, 30, 90});
}

TEST_CASE("a hop over fewer relations keeps the memory of the others") {
  auto const list = glt_test::academic_graph(33);
  auto const graph = list.graph();
  std::vector<glt::partition_book> books;
  for (auto const& type : list.schema.node_types()) {
    books.emplace_back(std::vector<glt::global_id>{0, type.num_vertices});
  }
  glt::detail::typed_rows<cpu> const typed(books, 1);
  std::vector<glt::local_id> const rows{0, 32, 33, 49};
  std::vector<std::int64_t> const requester{0, 4};
  std::vector<glt::detail::relation_request<glt::memory_space::host, glt::local_id>> relations;
  for (int const e : {0, 1, 3}) {
    relations.push_back({.node_type = list.schema.destination_type(e),
                         .local = graph.view().relation(e),
                         .original = {},
                         .options = {.fanout = 3}});
  }
  glt::detail::relation_draws<cpu, glt::local_id, glt::uniform_rule> draws;
  std::int64_t allocations = 0;
  for (int round = 0; round < 2; ++round) {
    allocations = glt_test::num_allocations();
    draws.draw(typed.first_rows(0), rows, requester, {}, relations, true);
    draws.draw(typed.first_rows(0), rows, requester, {}, std::span(relations).first(1), true);
  }
  CHECK(glt_test::num_allocations() == allocations);
}
