// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/walk/metapath.hpp>

#include "support/errors.hpp"
#include "support/hetero_graphs.hpp"
#include "support/naive_walks.hpp"
#include "support/statistics.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

using glt::device::cpu;
using glt_test::names;
using glt_test::narrowed;
using glt_test::plain;

namespace {

// By edge type of glt_test::academic_graph; rows are destinations.
std::vector<std::vector<int>> paths_to_try() {
  return {{2},          // paper, paper, …
          {0, 1},       // paper, author, paper, …
          {0, 1, 5, 6}, // paper, author, paper, topic, paper, …
          {0, 1, 2}};   // paper, author, paper, paper, author, …
}

glt_test::plain_walks expected(glt_test::hetero_list const& list, std::vector<int> const& path,
                               std::vector<std::int64_t> const& starts, glt::metapath_options const& options,
                               glt::sample_key key) {
  std::vector<glt_test::naive_relation> relations;
  for (auto const edge_type : path) {
    relations.push_back(glt_test::naive_rows(list, edge_type));
  }
  return glt_test::naive_metapath_walks(
      relations, starts,
      {.length = options.length, .walks_per_start = options.walks_per_start, .edge_ids = options.edge_ids}, key);
}

auto refused(auto f) {
  return glt_test::thrown<glt::precondition_error>(f);
}

} // namespace

TEST_CASE("walks along a meta-path are what their definition says, with any number of threads") {
  for (std::int64_t const size : {1, 30, 301}) {
    auto const list = glt_test::academic_graph(size);
    auto const graph = list.graph();
    for (auto const& types : paths_to_try()) {
      for (auto const& options :
           {glt::metapath_options{.length = 1}, glt::metapath_options{.length = 3, .walks_per_start = 2},
            glt::metapath_options{.length = 23, .edge_ids = true}}) {
        auto const starts = glt_test::some_starts(size, 200);
        glt::walks<cpu> out;
        for (int const threads : {1, 3}) {
          glt::metapath_walker<cpu>(graph.view(), types, options, cpu(threads))
              .walk(narrowed(starts), {.seed = 6}, out);
          CHECK(plain(out) == expected(list, types, starts, options, {.seed = 6}));
        }
      }
    }
  }
}

TEST_CASE("a path that does not close is walked once") {
  auto const list = glt_test::academic_graph(64);
  auto const graph = list.graph();
  std::vector<int> const types{0, 3}; // paper, author, institution
  glt::walks<cpu> out;
  std::vector<std::int64_t> const starts{0, 1, 2, 3, 63};
  glt::metapath_walker<cpu>(graph.view(), types, {.length = 2}).walk(narrowed(starts), {.seed = 6}, out);
  CHECK(plain(out) == expected(list, types, starts, {.length = 2}, {.seed = 6}));
  CHECK(names(refused([&] { glt::metapath_walker<cpu>(graph.view(), types, {.length = 3}); }), "employs", "writes",
              "destination type"));
  CHECK(names(
      refused([&] { glt::metapath_walker<cpu>({graph.view().relation(0), graph.view().relation(3)}, {.length = 3}); }),
      "relation 1", "relation 0"));
}

TEST_CASE("every neighbour of a step along a meta-path is equally likely") {
  glt::hetero_schema const schema({{"a", 1}, {"b", 3}, {"c", 6}}, {{"b", "to", "a"}, {"c", "to", "b"}});
  glt_test::hetero_list list{"tree", schema, {{}, {}}};
  for (int b = 0; b < 3; ++b) {
    list.relations[0].add(b, 0);
    list.relations[1].add(2 * b, b);
    list.relations[1].add(2 * b + 1, b);
  }
  auto const graph = list.graph();
  std::vector<int> const types{0, 1};
  glt::walks<cpu> out;
  std::vector<glt::local_id> const start{0};
  glt::metapath_walker<cpu>(graph.view(), types, {.length = 2, .walks_per_start = 6000}).walk(start, {.seed = 1}, out);
  std::vector<std::int64_t> leaves(6, 0);
  for (std::int64_t w = 0; w < out.num_walks(); ++w) {
    ++leaves[static_cast<std::size_t>(out.vertices()(w, 2))];
  }
  CHECK(glt_test::chi_square_deviation(leaves) < 4);
}

TEST_CASE("what is no meta-path is refused by name") {
  auto const list = glt_test::academic_graph(64);
  auto const graph = list.graph();
  auto const made = [&](std::vector<int> const& types) {
    return refused([&] { glt::metapath_walker<cpu>(graph.view(), types, {.length = 9}); });
  };
  CHECK(names(made({}), "without edge types"));
  CHECK(names(made({0, 7}), "edge type 1", "is 7", "has 7"));
  CHECK(names(made({-1}), "edge type 0", "is -1"));
  CHECK(names(made({0, 2}), "writes", "cites"));
  std::vector<int> const types{0, 1};
  auto const path = glt::detail::make_metapath(graph.view(), std::span(types), 9);
  CHECK(names(refused([&] { glt::metapath_walker<cpu>({}, {.length = 1}); }), "without relations"));
  CHECK(names(refused([&] { glt::metapath_walker<cpu>(path, {}); }), "0 steps"));
  CHECK(names(refused([&] { glt::metapath_walker<cpu>({path[0], path[0]}, {.length = 9}); }), "relation 0",
              "33 columns", "relation 1", "64 rows"));
  std::vector<glt::global_id> const few(63);
  CHECK(names(refused([&] { glt::metapath_walker<cpu>(path, {.length = 1}, cpu(), few); }), "63 original ids", "64"));
  glt::walks<cpu> out;
  glt::metapath_walker<cpu> const walker(path, {.length = 1});
  CHECK(walker.options().length == 1);
  CHECK(names(refused([&] { walker.walk(std::vector<glt::local_id>{64}, {}, out); }), "start 0 is 64", "[0, 64)"));
}
