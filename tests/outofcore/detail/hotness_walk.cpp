// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/outofcore/detail/hotness.hpp>

#include <glt/comm/serial.hpp>

#include "support/errors.hpp"
#include "support/ranks.hpp"
#include "support/typed_sets.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace io = glt::io;

TEST_CASE("as many columns as fit beside parts and degrees, one at least, and no more than are wanted") {
  glt_test::on_ranks([](auto comm) {
    auto const columns = [&](io::detail::memory_plan const& plan, std::int64_t wanted) {
      return io::detail::hotness_walk_on_disk<decltype(comm)>::agree_on_columns(comm, 1200, wanted, plan);
    };
    std::int64_t const slice = 1200 / comm.size();
    auto const bytes = [&](std::int64_t count) { return 4 * 1200 + 4 * slice + count * (16 * 1200 + 8 * slice); };
    CHECK(columns({}, 9) == 1);
    CHECK(columns({.for_vertices = bytes(3)}, 9) == 3);
    CHECK(columns({.for_vertices = bytes(3) - 1}, 9) == 2);
    CHECK(columns({.for_vertices = 0, .for_edges = 2 * bytes(5)}, 9) == 5);
    CHECK(columns({.for_vertices = bytes(30)}, 9) == 9);
    CHECK(columns({.for_vertices = bytes(comm.rank() == 0 ? 7 : 2)}, 9) == (comm.size() == 1 ? 7 : 2));
    // What a plan has for vertices is what a column, parts and degrees take on one rank.
    CHECK(bytes(1) <= io::detail::memory_plan::bytes_a_vertex * 1200);
  });
}

TEST_CASE("fewer columns than there is room for, and then more, are those of a walk of their own") {
  auto const data = glt_test::typed_set(40, 300);
  io::detail::all_types const graph(data.view());
  io::detail::hotness_estimate_options const options{.hotness = {.neighbors = {.fanouts = {2, 2}}, .batch_size = 1}};
  glt_test::on_ranks([&](auto comm) {
    auto const degrees = io::detail::count_in_edges(comm, graph);
    io::detail::hotness_walk_on_disk walk(comm, graph, glt::host_view<std::int64_t const>(degrees), 3, 2, options);
    io::detail::hotness_walk_on_disk single(comm, graph, glt::host_view<std::int64_t const>(degrees), 1, 100, options);
    for (std::int64_t const columns : {2, 1, 3}) {
      walk.estimate(columns, [&](auto give) {
        for (std::int64_t c = 0; c < columns; ++c) {
          give(5 + c, c);
          give(9, c);
        }
      });
      for (std::int64_t c = 0; c < columns; ++c) {
        single.estimate(1, [&](auto give) {
          give(9, 0);
          give(5 + c, 0);
        });
        auto const expected = single.hotness(0);
        auto const found = walk.hotness(c);
        CHECK(std::vector(found.begin(), found.end()) == std::vector(expected.begin(), expected.end()));
      }
    }
  });
}

TEST_CASE("a vertex with more edges than are counted is refused") {
  auto const data = glt_test::plain_set(2, {0}, {1}, {});
  io::detail::all_types const graph(data.view());
  std::vector<std::int64_t> const degrees{0, std::int64_t{1} << 32};
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] {
                          io::detail::hotness_walk_on_disk<glt::serial_comm> const walk(
                              {}, graph, glt::host_view<std::int64_t const>(degrees), 1, 1, {});
                        }),
                        "edges into a vertex", "4294967296"));
}
