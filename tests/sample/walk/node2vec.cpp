// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/walk/node2vec.hpp>

#include "support/archetypes.hpp"
#include "support/errors.hpp"
#include "support/naive_walks.hpp"
#include "support/weighted.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

using glt::device::cpu;
using glt_test::naive_node2vec_walks;
using glt_test::names;
using glt_test::narrowed;
using glt_test::plain;
using glt_test::some_starts;

namespace {

std::vector<glt::node2vec_options> options_to_try() {
  return {{.length = 1},
          {.length = 9, .walks_per_start = 2, .p = 0.25, .q = 4, .edge_ids = true},
          {.length = 12, .p = 4, .q = 0.25},
          {.length = 7, .p = 3, .q = 5},
          {.length = 7, .p = 0.5, .q = 0.3, .edge_ids = true}};
}

// Most attempts are rejected, so that many steps are drawn exactly.
std::vector<glt::node2vec_options> options_far_apart() {
  return {{.length = 5, .p = 1e-5, .q = 0.5, .edge_ids = true}, {.length = 5, .q = 1e-5}, {.length = 5, .q = 1e5}};
}

void check_against_definition(glt_test::edge_list const& list, std::int64_t num_starts, int threads,
                              std::vector<glt::node2vec_options> const& options_to_check = options_to_try()) {
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const starts = some_starts(list.num_vertices, num_starts);
  glt::walks<cpu> out;
  for (auto const& options : options_to_check) {
    glt::node2vec_walker<cpu> const walker(graph.view(), options, cpu(threads));
    walker.walk(narrowed(starts), {.seed = 5, .step = 2}, out);
    CHECK(plain(out) == naive_node2vec_walks(list, starts, options, {.seed = 5, .step = 2}));
  }
}

// All rows ascending: edges in order of (destination, source).
glt_test::edge_list in_order(glt_test::edge_list const& list) {
  std::vector<std::pair<int, int>> edges;
  for (std::size_t i = 0; i < list.sources.size(); ++i) {
    edges.emplace_back(list.destinations[i], list.sources[i]);
  }
  std::ranges::sort(edges);
  glt_test::edge_list sorted{list.name + ", sorted", list.num_vertices, {}, {}};
  for (auto const& [destination, source] : edges) {
    sorted.add(source, destination);
  }
  return sorted;
}

// A triangle with a tail, a pair of parallel edges and a self-loop, some edges one-way.
glt_test::edge_list small_graph() {
  glt_test::edge_list list{"small", 5, {}, {}};
  for (auto const& [a, b] : {std::pair{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {3, 4}}) {
    list.add(a, b);
    list.add(b, a);
  }
  list.add(2, 2);
  list.add(4, 0);
  return list;
}

// Checks where walks go from v if they came from t, for all such pairs.
void check_transitions(glt_test::edge_list const& list, glt::node2vec_options const& options, std::size_t num_pairs) {
  CAPTURE(list.name);
  CAPTURE(options.p);
  CAPTURE(options.q);
  auto const rows = glt_test::naive_rows(list);
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  std::vector<glt::local_id> starts(static_cast<std::size_t>(list.num_vertices));
  std::iota(starts.begin(), starts.end(), 0);
  glt::walks<cpu> out;
  glt::node2vec_walker<cpu>(graph.view(), options).walk(starts, {.seed = 12}, out);
  std::map<std::pair<std::int64_t, std::int64_t>, std::map<std::vector<std::int64_t>, std::int64_t>> seen;
  for (auto const& walk : plain(out).vertices) {
    for (std::size_t s = 2; s < walk.size(); ++s) {
      ++seen[{walk[s - 2], walk[s - 1]}][{walk[s]}];
    }
  }
  CHECK(seen.size() == num_pairs);
  for (auto const& [pair, next] : seen) {
    auto const [t, v] = pair;
    std::map<std::vector<std::int64_t>, double> likely;
    double sum = 0;
    for (auto const& [x, id] : rows[static_cast<std::size_t>(v)]) {
      auto const weight = glt_test::node2vec_weight(rows, options, t, x);
      likely[{x}] += weight;
      sum += weight;
    }
    for (auto& [x, probability] : likely) {
      probability /= sum;
    }
    CAPTURE(t);
    CAPTURE(v);
    if (likely.size() > 1) {
      CHECK(glt_test::chi_square_deviation(next, likely) < 4.5);
    }
  }
}

} // namespace

TEST_CASE("node2vec walks are what their definition says, with any number of threads") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    for (std::int64_t const starts : {0, 1, 3, 150}) {
      check_against_definition(list, starts, 1);
    }
    check_against_definition(list, 400, 3);
    check_against_definition(list, 40, 3, options_far_apart());
    check_against_definition(in_order(list), 131, 1);
  }
}

TEST_CASE("transitions have the probabilities of the paper") {
  for (auto options : options_to_try()) {
    options.length = 50;
    options.walks_per_start = 800;
    check_transitions(small_graph(), options, 12); // all pairs of neighbours, parallel edges once
  }
}

TEST_CASE("transitions have them too where nearly every attempt is rejected") {
  glt_test::edge_list one_way{"one way", 7, {}, {}};   // no edge leads back, where 1/p is the largest weight
  glt_test::edge_list complete{"complete", 6, {}, {}}; // no vertex is a stranger, where 1/q is
  for (int v = 0; v < 7; ++v) {
    for (auto const away : {1, 2, 4, 4}) {
      one_way.add((v + away) % 7, v);
    }
    for (int other = 0; v < 6 && other < 6; ++other) {
      complete.add(other, v);
    }
  }
  complete.add(1, 0);
  glt::node2vec_options const options{.length = 40, .walks_per_start = 300};
  for (auto const& [p, q] : {std::pair{1e-5, 0.3}, {1e-5, 3.0}, {1e-5, 1.0}}) {
    auto tried = options;
    tried.p = p;
    tried.q = q;
    check_transitions(one_way, tried, 21);
  }
  for (auto const p : {0.4, 3.0}) {
    auto tried = options;
    tried.p = p;
    tried.q = 1e-5;
    check_transitions(complete, tried, 36);
  }
}

TEST_CASE("rows that ascend are found out") {
  auto const list = glt_test::random_graph(257, 4099);
  auto const as_given = glt::make_csr<cpu>(list.view());
  auto const sorted = glt::make_csr<cpu>(in_order(list).view());
  CHECK(!glt::node2vec_walker<cpu>(as_given.view(), {.length = 1}).ascending());
  CHECK(glt::node2vec_walker<cpu>(sorted.view(), {.length = 1}).ascending());
}

TEST_CASE("node2vec needs no more of a policy than the concept lists, and allocates nothing the second time") {
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
  glt::node2vec_options const options{.length = 20, .p = 0.5, .q = 2, .edge_ids = glt::edge_positions};
  glt::node2vec_walker<minimal_policy> const walker(pinned, options);
  glt::walks<minimal_policy> out;
  walker.walk(pinned_starts, {.seed = 1}, out);
  glt_test::counting_resource::counts().allocations_left = 0;
  walker.walk(pinned_starts, {.seed = 2}, out);
  glt_test::counting_resource::counts().allocations_left = -1;
  CHECK(plain(out).vertices == naive_node2vec_walks(list, some_starts(257, 300), options, {.seed = 2}).vertices);
}

TEST_CASE("what node2vec cannot walk is refused by name") {
  auto const list = glt_test::random_graph(101, 370);
  auto const made = glt::make_csr<cpu>(list.view());
  auto const graph = made.view();
  auto const refused = [](auto f) { return glt_test::thrown<glt::precondition_error>(f); };
  CHECK(names(refused([&] { glt::node2vec_walker<cpu>(graph, {.length = 1, .p = 0}); }), "p = 0"));
  glt::csr_view<glt::memory_space::host> const wide(102, graph.offsets(), graph.sources());
  CHECK(names(refused([&] { glt::node2vec_walker<cpu>(wide, {.length = 2}); }), "101 rows", "102 columns"));
  std::vector<glt::global_id> const few(100);
  CHECK(names(refused([&] { glt::node2vec_walker<cpu>(graph, {.length = 2}, cpu(), few); }), "100 original ids"));
  glt::node2vec_walker<cpu> const walker(graph, {.length = 2});
  CHECK(walker.options().length == 2);
  glt::walks<cpu> out;
  CHECK(
      names(refused([&] { walker.walk(std::vector<glt::local_id>{4, 101}, {}, out); }), "start 1 is 101", "[0, 101)"));
}
