// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/graph/edge_values.hpp>

#include "support/archetypes.hpp"
#include "support/errors.hpp"
#include "support/naive_rules.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

using glt::device::cpu;

namespace {

// A time for every edge of a list; a small range makes many of them equal.
std::vector<std::int64_t> times_of(glt_test::edge_list const& list, std::uint64_t range) {
  glt::random_stream draws(glt::random_key(7), range);
  std::vector<std::int64_t> times;
  for (std::int64_t i = 0; i < list.num_edges(); ++i) {
    times.push_back(static_cast<std::int64_t>(draws.below(range)) - 3);
  }
  return times;
}

} // namespace

TEST_CASE("rows come in order of time, ties in input order, and every edge keeps its id and time") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const by_id = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
    for (std::uint64_t const range : {1U, 5U, 1U << 30}) {
      auto const times = times_of(list, range);
      std::vector<std::int64_t> by_position;
      for (std::int64_t e = 0; e < list.num_edges(); ++e) {
        by_position.push_back(times[static_cast<std::size_t>(by_id.view().id_of_edge(e))]);
      }
      for (int const threads : {1, 3}) {
        auto const sorted = glt::sort_rows_by_time(by_id.view(), by_position, cpu(threads));
        CHECK(glt_test::rows_of(sorted.graph.view()) == glt_test::naive_timed_rows(list, times));
        CHECK(sorted.graph.view().num_columns() == list.num_vertices);
        std::vector<std::int64_t> expected;
        for (auto const id : sorted.graph.view().edge_ids()) {
          expected.push_back(times[static_cast<std::size_t>(id)]);
        }
        CHECK(glt_test::to_vector(sorted.times) == expected);
      }
    }
  }
}

TEST_CASE("without edge ids the ids are the positions before, and sorting again changes nothing") {
  auto const list = glt_test::random_graph(101, 370);
  auto const graph = glt::make_csr<cpu>(list.view());
  auto const times = times_of(list, 9);
  auto const once = glt::sort_rows_by_time(graph.view(), times);
  for (std::int64_t e = 0; e < list.num_edges(); ++e) {
    auto const before = once.graph.view().id_of_edge(e);
    CHECK(once.graph.view().source(e) == graph.view().source(before));
    CHECK(once.times[e] == times[static_cast<std::size_t>(before)]);
  }
  auto const twice = glt::sort_rows_by_time(once.graph.view(), once.times.view());
  CHECK(glt_test::rows_of(twice.graph.view()) == glt_test::rows_of(once.graph.view()));
  CHECK(glt_test::to_vector(twice.times) == glt_test::to_vector(once.times));
}

TEST_CASE("only what the policy concept lists is used") {
  using glt_test::minimal_policy;
  auto const list = glt_test::random_graph(101, 370);
  auto const graph = glt::make_csr<cpu>(list.view());
  auto const times = times_of(list, 1000);
  glt::buffer<minimal_policy, glt::edge_offset> offsets(graph.view().offsets().size());
  glt::buffer<minimal_policy, glt::local_id> sources(list.num_edges());
  glt::buffer<minimal_policy, std::int64_t> pinned_times(list.num_edges());
  std::ranges::copy(graph.view().offsets(), offsets.begin());
  std::ranges::copy(graph.view().sources(), sources.begin());
  std::ranges::copy(times, pinned_times.begin());
  glt::csr_graph<minimal_policy> const pinned(101, std::move(offsets), std::move(sources));
  auto const sorted = glt::sort_rows_by_time<minimal_policy>(pinned.view(), std::as_const(pinned_times).view());
  auto const expected = glt::sort_rows_by_time(graph.view(), times);
  CHECK(glt_test::to_vector(sorted.graph.view().sources()) == glt_test::to_vector(expected.graph.view().sources()));
  CHECK(glt_test::to_vector(sorted.times) == glt_test::to_vector(expected.times));
}

TEST_CASE("as many times as edges are asked for") {
  auto const graph = glt::make_csr<cpu>(glt_test::random_graph(101, 370).view());
  std::vector<std::int64_t> const times(369);
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>(
                            [&] { static_cast<void>(glt::sort_rows_by_time(graph.view(), times)); }),
                        "370 edges", "369 times", "one time per edge"));
}
