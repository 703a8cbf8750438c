// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/walk/detail/path_step.hpp>

#include <glt/sample/walk/detail/serial_walks.hpp>

#include "support/naive_walks.hpp"

#include <cstdint>
#include <vector>

using glt::memory_space;
using glt::device::cpu;

namespace {

using rows = glt::detail::all_rows<memory_space::host, glt::local_id>;

// What a GPU's threads do, one after the other.
template <class Walker, class Step>
glt_test::plain_walks walk_one_by_one(Step const& step, std::vector<std::int64_t> const& starts,
                                      glt::walk_options const& options) {
  auto const from = glt_test::narrowed(starts);
  glt::walks<cpu> out;
  out.resize(std::ssize(starts), options.walks_per_start, options.length, options.edge_ids);
  glt::detail::serial_walkers<Walker, memory_space::host, glt::local_id, memory_space::host> const walkers{
      from,
      options.walks_per_start,
      glt::detail::walk_key({.seed = 3}),
      {},
      static_cast<std::int32_t>(options.length),
      {out.vertices(), out.edge_ids()}};
  glt::detail::walk_alone<Step, decltype(walkers)> const walk{step, walkers};
  for (std::int64_t w = 0; w < out.num_walks(); ++w) {
    walk(w);
  }
  return glt_test::plain(out);
}

} // namespace

TEST_CASE("words below a probability") {
  CHECK(glt::detail::words_below(0) == 0);
  CHECK(glt::detail::words_below(0.5) == 0x80000000U);
  CHECK(glt::detail::words_below(1 - 0x1p-40) == 0xFFFFFFFFU);
}

TEST_CASE("steps of one walker alone are what the definition says, over one relation and over a cycle") {
  glt::walk_options const options{.length = 19, .walks_per_start = 2, .edge_ids = true};
  glt::walk_options const returning{.length = 19, .walks_per_start = 2, .restart = 0.25, .edge_ids = true};
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
    auto const starts = glt_test::some_starts(list.num_vertices, 30);
    auto const expected = glt_test::naive_walks(list, starts, options, {.seed = 3});
    using glt::detail::path_step;
    using walker = glt::detail::path_walker<glt::local_id, std::int64_t>;
    path_step<glt::detail::one_relation<rows>> const one{{{graph.view()}}};
    CHECK(walk_one_by_one<walker>(one, starts, options) == expected);
    std::vector<rows> const same(3, rows{graph.view()});
    path_step<glt::detail::relation_cycle<memory_space::host, rows>> const cycle{{same}};
    CHECK(walk_one_by_one<walker>(cycle, starts, options) == expected);
    path_step<glt::detail::one_relation<rows>> const back{{{graph.view()}}, glt::detail::words_below(0.25)};
    using returning_walker = glt::detail::returning_walker<glt::local_id, glt::local_id, std::int64_t>;
    CHECK(walk_one_by_one<returning_walker>(back, starts, returning) ==
          glt_test::naive_walks(list, starts, returning, {.seed = 3}));
  }
}

TEST_CASE("relations follow each other, for walkers on their own and for those at a common step") {
  std::vector<rows> const relations(3);
  glt::detail::relation_cycle<memory_space::host, rows> const cycle{relations};
  glt::detail::common_relation<memory_space::host, rows> common{relations};
  for (std::int32_t step = 0; step < 8; ++step) {
    CHECK(&cycle.at(step) == &relations[static_cast<std::size_t>(step % 3)]);
    CHECK(&cycle.after(step) == &cycle.at(step + 1));
    CHECK(&common.at(step) == &cycle.at(step));
    CHECK(&common.after(step) == &cycle.after(step));
    common.advance();
  }
}
