// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/outofcore/detail/hotness.hpp>

#include "support/typed_sets.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

using glt::detail::log_miss;
namespace io = glt::io;

TEST_CASE("every edge adds the values of its destination to the sums of its source, until these are certain") {
  std::vector<std::int64_t> const sources{1, 0, 1, 1, 2};
  std::vector<std::int64_t> const destinations{0, 0, 1, 1, 0};
  // Sources from vertex 2 on, destinations from vertex 1 on; two columns.
  std::vector<log_miss> const values{100, 200, 3, 4, 0, glt::detail::certain - 1, 300, 400, 500, 600};
  std::vector<log_miss> sums(10, 0);
  io::detail::checked_pairs const ends{
      .sources = sources, .destinations = destinations, .num_sources = 3, .num_destinations = 2};
  io::detail::spread_listed_edges const work{.ends = ends,
                                             .first = 0,
                                             .last = 5,
                                             .first_source = 2,
                                             .first_destination = 1,
                                             .values = values,
                                             .sums = sums,
                                             .columns = 2};
  work(0);
  CHECK(sums[6] == 3);
  CHECK(sums[7] >= glt::detail::certain);
  sums[7] = 0;
  CHECK(sums == std::vector<log_miss>{0, 0, 0, 0, 3, 4, 3, 0, 3, 4});
}

TEST_CASE("shares have every edge once") {
  constexpr auto size = io::detail::spread_listed_edges::share_size;
  for (std::int64_t const edges : {size - 1, size, size + 1, 3 * size - 5}) {
    std::vector<std::int64_t> const ends(static_cast<std::size_t>(edges), 0);
    std::vector<log_miss> const values{1};
    std::vector<log_miss> sums{0};
    io::detail::checked_pairs const pairs{
        .sources = ends, .destinations = ends, .num_sources = 1, .num_destinations = 1};
    io::detail::spread_listed_edges const work{.ends = pairs,
                                               .first = 0,
                                               .last = edges,
                                               .first_source = 0,
                                               .first_destination = 0,
                                               .values = values,
                                               .sums = sums,
                                               .columns = 1};
    CHECK(work.num_shares() == (edges - 1) / size + 1);
    for (std::int64_t share = 0; share < work.num_shares(); ++share) {
      work(share);
    }
    CHECK(sums[0] == static_cast<log_miss>(edges));
  }
}

TEST_CASE("slices of all ranks have every edge of every type once, and progress is told of the own ones") {
  auto const data = glt_test::typed_set(50, 700);
  io::detail::all_types const graph(data.view());
  auto const whole = glt_test::whole_graph_of(data);
  std::vector<log_miss> values;
  std::vector<log_miss> expected(static_cast<std::size_t>(graph.num_vertices()), 0);
  for (std::int64_t v = 0; v < graph.num_vertices(); ++v) {
    values.push_back(static_cast<log_miss>(v % 5));
    for (auto const source : whole.view().row(v)) {
      expected[static_cast<std::size_t>(source)] += values.back();
    }
  }
  for (int const ranks : {1, 3, 2000}) {
    std::vector<log_miss> sums(expected.size(), 0);
    std::int64_t edges = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      io::detail::spread_own_edges(graph, ranks, rank, values, sums, 1, {}, [&](io::task_progress const& now) {
        CHECK(now.done == now.total);
        edges += now.done;
      });
    }
    CHECK(edges == graph.num_edges());
    CHECK(sums == expected);
  }
}
