// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/walk/random_walk.hpp>

#include <glt/partition/book.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/split.hpp>

#include "support/archetypes.hpp"
#include "support/errors.hpp"
#include "support/naive_walks.hpp"
#include "support/statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

using glt::device::cpu;
using glt_test::naive_walks;
using glt_test::names;
using glt_test::narrowed;
using glt_test::plain;
using glt_test::some_starts;

namespace {

std::vector<glt::walk_options> options_to_try() {
  return {{.length = 1},
          {.length = 5, .walks_per_start = 3, .edge_ids = true},
          {.length = 17, .restart = 0.3, .edge_ids = true},
          {.length = 80, .walks_per_start = 2}};
}

template <class Vertex>
void check_against_definition(glt_test::edge_list const& list, std::int64_t num_starts, int threads) {
  std::vector<Vertex> const sources(list.sources.begin(), list.sources.end());
  std::vector<Vertex> const destinations(list.destinations.begin(), list.destinations.end());
  auto const graph = glt::make_csr<cpu>(
      glt::coo_view<glt::memory_space::host, Vertex>(list.num_vertices, sources, destinations), {.edge_ids = true});
  auto const starts = some_starts(list.num_vertices, num_starts);
  glt::walks<cpu, Vertex> out;
  for (auto const& options : options_to_try()) {
    glt::random_walker<cpu, Vertex> const walker(graph.view(), options, cpu(threads));
    for (std::int64_t step = 0; step < 2; ++step) {
      glt::sample_key const key{.seed = 5, .epoch = 2, .step = step};
      walker.walk(narrowed<Vertex>(starts), key, out);
      CHECK(plain(out) == naive_walks(list, starts, options, key));
    }
  }
}

} // namespace

TEST_CASE("walks are what their definition says, with any number of threads") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    for (std::int64_t const starts : {0, 1, 3, 50}) {
      check_against_definition<glt::local_id>(list, starts, 1);
    }
    check_against_definition<glt::local_id>(list, 777, 3);
    check_against_definition<glt::global_id>(list, 129, 1);
  }
}

TEST_CASE("a walk takes every edge of a row equally often, parallel edges one by one") {
  glt_test::edge_list list{"uneven", 4, {}, {}};
  for (int const source : {1, 2, 2, 3, 0}) {
    list.add(source, 0);
    list.add(0, source);
  }
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  glt::walks<cpu> out;
  std::vector<glt::local_id> const start{0};
  glt::random_walker<cpu>(graph.view(), {.length = 30, .walks_per_start = 3000, .edge_ids = true})
      .walk(start, {.seed = 9}, out);
  std::vector<std::int64_t> taken(6, 0); // edges into 0: 0, 2, 4, 6, 8 and 9
  for (std::int64_t w = 0; w < out.num_walks(); ++w) {
    for (std::int64_t s = 0; s < out.length(); ++s) {
      if (out.vertices()(w, s) == 0) {
        auto const id = out.edge_ids()(w, s);
        ++taken[static_cast<std::size_t>(id == 9 ? 5 : id / 2)];
      }
    }
  }
  CHECK(glt_test::chi_square_deviation(taken) < 4);
}

TEST_CASE("a walk returns to its start as often as asked, and every return is a step without an edge") {
  glt_test::edge_list ring{"ring", 1000, {}, {}};
  for (int v = 0; v < 1000; ++v) {
    ring.add((v + 1) % 1000, v);
  }
  auto const graph = glt::make_csr<cpu>(ring.view());
  glt::walks<cpu> out;
  std::vector<glt::local_id> const start{7};
  glt::random_walker<cpu>(graph.view(),
                          {.length = 100, .walks_per_start = 400, .restart = 0.25, .edge_ids = glt::edge_positions})
      .walk(start, {.seed = 3}, out);
  std::vector<std::int64_t> quarters(4, 0); // returns, and steps along an edge shared out over three
  std::int64_t edges = 0;
  for (std::int64_t w = 0; w < out.num_walks(); ++w) {
    for (std::int64_t s = 0; s < out.length(); ++s) {
      bool const returned = out.edge_ids()(w, s) < 0;
      CHECK(out.vertices()(w, s + 1) == (returned ? 7 : (out.vertices()(w, s) + 1) % 1000));
      ++quarters[static_cast<std::size_t>(returned ? 0 : 1 + edges++ % 3)];
    }
  }
  CHECK(glt_test::chi_square_deviation(quarters) < 4);
}

TEST_CASE("a walk depends on its start and number, not on what is walked beside it") {
  auto const list = glt_test::random_graph(257, 4099);
  auto const graph = glt::make_csr<cpu>(list.view());
  glt::random_walker<cpu> const walker(graph.view(), {.length = 40, .walks_per_start = 2});
  glt::walks<cpu> together;
  glt::walks<cpu> alone;
  std::vector<glt::local_id> const starts{3, 9, 3, 200};
  walker.walk(starts, {.seed = 1}, together);
  auto const all = plain(together).vertices;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    walker.walk(std::vector{starts[i]}, {.seed = 1}, alone);
    CHECK(plain(alone).vertices == std::vector{all[2 * i], all[2 * i + 1]});
  }
  CHECK(all[0] == all[4]);
  CHECK(all[0] != all[1]);
}

TEST_CASE("renumbering the vertices does not change a walk") {
  auto const list = glt_test::random_graph(257, 4099);
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const names = glt::make_relabelling(glt::random_partitioner{.seed = 3}(graph.view(), 4).view(), 1 + 3);
  std::vector<glt::edge_offset> offsets{0};
  std::vector<glt::local_id> sources;
  for (int part = 0; part < 4; ++part) {
    auto const piece = glt::split_graph<glt::local_id>(graph.view(), names, part);
    for (std::int64_t row = 0; row < piece.graph.view().num_rows(); ++row) {
      for (auto const source : piece.graph.view().row(row)) {
        sources.push_back(source);
      }
      offsets.push_back(std::ssize(sources));
    }
  }
  glt::csr_view<glt::memory_space::host> const renumbered(257, offsets, sources);
  auto const starts = some_starts(257, 40);
  std::vector<glt::local_id> renumbered_starts;
  for (auto const start : starts) {
    renumbered_starts.push_back(static_cast<glt::local_id>(names.renumbered[start]));
  }
  glt::walk_options const options{.length = 25, .restart = 0.1};
  glt::walks<cpu> out;
  glt::random_walker<cpu>(renumbered, options, cpu(), names.original.view()).walk(renumbered_starts, {.seed = 4}, out);
  CHECK(plain(out, [&](std::int64_t, std::int64_t v) { return names.original[v]; }) ==
        naive_walks(list, starts, options, {.seed = 4}));
}

TEST_CASE("walkers need no more of a policy than the concept lists, and allocate nothing the second time") {
  auto const list = glt_test::random_graph(257, 4099);
  auto const made = glt::make_csr<cpu>(list.view());
  auto const graph = made.view();
  using glt::memory_space;
  using glt_test::minimal_policy;
  glt::csr_view<memory_space::pinned> const pinned(graph.num_columns(),
                                                   {graph.offsets().data(), graph.offsets().size()},
                                                   {graph.sources().data(), graph.sources().size()});
  auto const starts = narrowed(some_starts(257, 300));
  glt::array_view<memory_space::pinned, glt::local_id const> const pinned_starts(starts.data(), std::ssize(starts));
  glt::walk_options const options{.length = 20, .edge_ids = glt::edge_positions};
  glt::random_walker<minimal_policy> const walker(pinned, options);
  glt::walks<minimal_policy> out;
  walker.walk(pinned_starts, {.seed = 1}, out);
  glt_test::counting_resource::counts().allocations_left = 0;
  walker.walk(pinned_starts, {.seed = 2}, out);
  glt_test::counting_resource::counts().allocations_left = -1;
  CHECK(plain(out).vertices == naive_walks(list, some_starts(257, 300), options, {.seed = 2}).vertices);
}

TEST_CASE("what cannot be walked is refused by name") {
  auto const list = glt_test::random_graph(101, 370);
  auto const made = glt::make_csr<cpu>(list.view());
  auto const graph = made.view();
  auto const refused = [](auto f) { return glt_test::thrown<glt::precondition_error>(f); };
  CHECK(names(refused([&] { glt::random_walker<cpu>(graph, {}); }), "0 steps"));
  glt::csr_view<glt::memory_space::host> const wide(102, graph.offsets(), graph.sources());
  CHECK(names(refused([&] { glt::random_walker<cpu>(wide, {.length = 2}); }), "101 rows", "102 columns"));
  std::vector<glt::global_id> const few(100);
  CHECK(names(refused([&] { glt::random_walker<cpu>(graph, {.length = 2}, cpu(), few); }), "100 original ids"));
  glt::random_walker<cpu> const walker(graph, {.length = 2});
  CHECK(walker.options().length == 2);
  glt::walks<cpu> out;
  walker.walk(std::vector<glt::local_id>{4}, {}, out);
  auto const before = plain(out);
  CHECK(
      names(refused([&] { walker.walk(std::vector<glt::local_id>{4, 101}, {}, out); }), "start 1 is 101", "[0, 101)"));
  CHECK(names(refused([&] { walker.walk(std::vector<glt::local_id>{-1}, {}, out); }), "start 0 is -1"));
  CHECK(plain(out) == before);
}
