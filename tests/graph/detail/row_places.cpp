// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/graph/detail/orders.hpp>

#include <glt/core/random.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

using glt::device::cpu;

TEST_CASE("edges that come in any order get the places of their rows, and then the order of their times and ids") {
  struct shape {
    std::int64_t num_rows;
    std::int64_t num_edges;
    std::int64_t num_times; // 0 without times
  };
  for (auto const& [num_rows, num_edges, num_times] :
       {shape{0, 0, 0}, {1, 0, 9}, {1, 1, 9}, {1, 9, 0}, {1, 9, 4}, {30, 500, 0}, {30, 500, 1}, {30, 500, 20}}) {
    using edge = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>; // row, time, id, column
    glt::random_stream draws(glt::random_key(6), static_cast<std::uint64_t>(num_edges));
    auto const below = [&](std::int64_t bound) {
      return static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(bound)));
    };
    std::vector<edge> edges;
    for (std::int64_t e = 0; e < num_edges; ++e) {
      auto const time = num_times > 0 ? below(num_times) - 7 : 0;
      edges.emplace_back(below(num_rows) * below(2), time, (e * 77 + 5) % 503, below(1000)); // row 0 is a hub
    }
    glt::detail::row_places places(num_rows);
    for (auto const& [row, time, id, column] : edges) {
      places.count(row);
    }
    REQUIRE(places.finish_counting() == num_edges);
    glt::buffer<cpu, glt::edge_id> ids(num_edges);
    glt::buffer<cpu, glt::global_id> columns(num_edges);
    std::vector<std::array<std::int16_t, 3>> values(edges.size());
    glt::buffer<cpu, std::int64_t> times(num_edges);
    for (auto const& [row, time, id, column] : edges) {
      auto const place = places.place(row);
      ids[place] = id;
      columns[place] = column;
      times[place] = time;
      values[static_cast<std::size_t>(place)] = {static_cast<std::int16_t>(id), 7, static_cast<std::int16_t>(column)};
    }
    auto const offsets = std::move(places).offsets();
    std::array const of_values{glt::detail::edge_bytes{reinterpret_cast<std::byte*>(values.data()), 6},
                               glt::detail::edge_bytes{reinterpret_cast<std::byte*>(times.data()), 8}};
    glt::detail::sort_rows(offsets.view(), columns.view(), ids.view(),
                           num_times > 0 ? times.cview() : glt::host_view<std::int64_t const>(), of_values);

    std::ranges::sort(edges);
    REQUIRE(offsets.size() == num_rows + 1);
    CHECK(offsets[num_rows] == num_edges);
    std::int64_t wrong = 0;
    for (std::int64_t r = 0; r < num_rows; ++r) {
      for (auto e = offsets[r]; e < offsets[r + 1]; ++e) {
        auto const at = static_cast<std::size_t>(e);
        wrong += edges[at] != edge(r, times[e], ids[e], columns[e]) ? 1 : 0;
        wrong += values[at][0] != ids[e] || values[at][1] != 7 || values[at][2] != columns[e] ? 1 : 0;
      }
    }
    CHECK(wrong == 0);
  }
}
