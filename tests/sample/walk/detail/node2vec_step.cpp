// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/walk/detail/node2vec_step.hpp>

#include <glt/sample/walk/detail/serial_walks.hpp>

#include "support/naive_walks.hpp"

#include <cstdint>
#include <vector>

using glt::memory_space;
using glt::device::cpu;

TEST_CASE("attempts of one walker alone are what the definition says, in rows that ascend and in others") {
  glt::node2vec_options const options{.length = 11, .walks_per_start = 2, .p = 0.3, .q = 3, .edge_ids = true};
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
    auto const starts = glt_test::some_starts(list.num_vertices, 40);
    auto const from = glt_test::narrowed(starts);
    glt::walks<cpu> out;
    out.resize(std::ssize(starts), options.walks_per_start, options.length, true);
    using step = glt::detail::node2vec_step<glt::detail::all_rows<memory_space::host, glt::local_id>>;
    using walker = glt::detail::second_order_walker<glt::local_id, std::int64_t>;
    using walkers = glt::detail::serial_walkers<walker, memory_space::host, glt::local_id, memory_space::host>;
    glt::detail::walk_alone<step, walkers> const walk{
        {{graph.view()},
         glt::detail::rows_ascend(cpu().executor(), graph.view()),
         glt::detail::node2vec_choice(options)},
        {from, options.walks_per_start, glt::detail::walk_key({.seed = 3}), {}, 11, {out.vertices(), out.edge_ids()}}};
    for (std::int64_t w = 0; w < out.num_walks(); ++w) {
      walk(w);
    }
    CHECK(glt_test::plain(out) == glt_test::naive_node2vec_walks(list, starts, options, {.seed = 3}));
  }
}
