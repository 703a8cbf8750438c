// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/detail/batch/draw.hpp>

#include <glt/exec/sequential.hpp>
#include <glt/exec/threaded.hpp>

#include "support/archetypes.hpp"
#include "support/errors.hpp"
#include "support/naive_sampler.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using glt::memory_space;

template <class Executor>
std::vector<std::vector<glt_test::in_edge>>
sample(Executor const& ex, glt::csr_view<memory_space::host> graph, std::vector<glt::local_id> const& rows,
       glt::hop_options options, glt::random_key key, std::vector<glt::global_id> const& original = {}) {
  glt::host_view<glt::local_id const> const wanted(rows);
  std::vector<glt::edge_offset> counts(rows.size());
  std::vector<glt::edge_offset> offsets(rows.size() + 1);
  glt::detail::hop_request<memory_space::host, glt::local_id> const request{wanted, original, options, key};
  glt::detail::count_neighbors(ex, graph, request, glt::host_view<glt::edge_offset>(counts),
                               glt::host_view<glt::edge_offset>(offsets));
  std::vector<glt::local_id> sources(static_cast<std::size_t>(offsets.back()));
  std::vector<glt::edge_id> ids(sources.size());
  glt::detail::sample_neighbors(ex, graph, request, glt::host_view<glt::edge_offset const>(offsets),
                                glt::host_view<glt::local_id>(sources), glt::host_view<glt::edge_id>(ids));
  std::vector<std::vector<glt_test::in_edge>> drawn(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (auto e = static_cast<std::size_t>(offsets[i]); e < static_cast<std::size_t>(offsets[i + 1]); ++e) {
      drawn[i].emplace_back(sources[e], ids[e]);
    }
  }
  return drawn;
}

glt::detail::hop_request<memory_space::host, glt::local_id> request_of(std::vector<glt::local_id> const& rows,
                                                                       glt::hop_options options) {
  return {.rows = rows, .original = {}, .options = options, .key = glt::random_key(1)};
}

} // namespace

TEST_CASE("draws are those of the definition, for every executor") {
  glt::detail::thread_pool pool(3);
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = glt::make_csr<glt::device::cpu>(list.view(), {.edge_ids = true});
    auto const rows_of_list = glt_test::naive_rows(list);
    std::vector<glt::local_id> rows;
    for (std::int64_t v = list.num_vertices - 1; v >= 0; --v) {
      rows.push_back(static_cast<glt::local_id>(v));
    }
    for (std::int64_t const fanout : {-1, 1, 5}) {
      for (bool const replace : {false, true}) {
        if (fanout < 0 && replace) {
          continue;
        }
        glt::hop_options const options{.fanout = fanout, .replace = replace};
        glt::random_key const key(static_cast<std::uint64_t>(fanout + 10));
        std::vector<std::vector<glt_test::in_edge>> expected;
        for (auto const row : rows) {
          auto const& edges = rows_of_list[static_cast<std::size_t>(row)];
          expected.emplace_back();
          for (auto const at :
               glt_test::naive_pick(key, row, static_cast<std::int64_t>(edges.size()), fanout, replace)) {
            expected.back().push_back(edges[static_cast<std::size_t>(at)]);
          }
        }
        CHECK(sample(glt::exec::sequential{}, graph.view(), rows, options, key) == expected);
        CHECK(sample(glt::exec::threaded(pool), graph.view(), rows, options, key) == expected);
        CHECK(sample(glt_test::minimal_executor{}, graph.view(), rows, options, key) == expected);
      }
    }
  }
}

TEST_CASE("the original id names the draws, not the row") {
  auto const list = glt_test::random_graph(257, 4099);
  auto const graph = glt::make_csr<glt::device::cpu>(list.view(), {.edge_ids = true});
  std::vector<glt::global_id> original(257);
  for (std::size_t v = 0; v < original.size(); ++v) {
    original[v] = static_cast<glt::global_id>(1000 - v);
  }
  glt::random_key const key(5);
  auto const drawn = sample(glt::exec::sequential{}, graph.view(), {3}, {.fanout = 4}, key, original);
  auto const row = glt_test::naive_rows(list)[3];
  std::vector<glt_test::in_edge> expected;
  for (auto const at : glt_test::naive_pick(key, 997, static_cast<std::int64_t>(row.size()), 4, false)) {
    expected.push_back(row[static_cast<std::size_t>(at)]);
  }
  CHECK(drawn[0] == expected);
}

TEST_CASE("views of the wrong length are refused") {
  auto const list = glt_test::random_graph(101, 370);
  auto const graph = glt::make_csr<glt::device::cpu>(list.view());
  std::vector<glt::local_id> const rows{1, 2};
  std::vector<glt::edge_offset> counts(2);
  std::vector<glt::edge_offset> offsets(2);
  auto const message = glt_test::thrown<glt::precondition_error>([&] {
    glt::detail::count_neighbors(glt::exec::sequential{}, graph.view(), request_of(rows, {}),
                                 glt::host_view<glt::edge_offset>(counts), glt::host_view<glt::edge_offset>(offsets));
  });
  CHECK(glt_test::names(message, "2 rows", "2 offsets"));
  CHECK_THROWS_AS(sample(glt::exec::sequential{}, graph.view(), rows, {}, glt::random_key(1), {7}),
                  glt::precondition_error);
}

TEST_CASE("wrong options and too little room for the sources are refused") {
  auto const list = glt_test::random_graph(101, 370);
  auto const graph = glt::make_csr<glt::device::cpu>(list.view());
  glt::exec::sequential const ex;
  std::vector<glt::local_id> const row_list{0, 1, 2};
  std::vector<glt::edge_offset> counts(3);
  std::vector<glt::edge_offset> offsets(4);
  CHECK_THROWS_AS(glt::detail::count_neighbors(ex, graph.view(), request_of(row_list, {.fanout = -1, .replace = true}),
                                               glt::host_view<glt::edge_offset>(counts),
                                               glt::host_view<glt::edge_offset>(offsets)),
                  glt::precondition_error);
  glt::detail::count_neighbors(ex, graph.view(), request_of(row_list, {}), glt::host_view<glt::edge_offset>(counts),
                               glt::host_view<glt::edge_offset>(offsets));
  REQUIRE(offsets.back() > 0);
  std::vector<glt::local_id> sources(static_cast<std::size_t>(offsets.back()) - 1);
  auto const draw = [&](glt::hop_options options) {
    glt::detail::sample_neighbors(ex, graph.view(), request_of(row_list, options),
                                  glt::host_view<glt::edge_offset const>(offsets),
                                  glt::host_view<glt::local_id>(sources), {});
  };
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { draw({}); }), "sources"));
  sources.push_back(0);
  CHECK_NOTHROW(draw({}));
  CHECK_THROWS_AS(draw({.fanout = 0}), glt::precondition_error);
}
