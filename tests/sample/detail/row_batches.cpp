// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/full_neighborhoods.hpp>

#include <glt/core/random.hpp>

#include "support/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

std::vector<glt::detail::row_batch> batches_of(std::vector<std::int64_t> const& degrees,
                                               glt::detail::row_batch_limits limits) {
  auto const degree_of = [&](std::int64_t row) { return degrees[static_cast<std::size_t>(row)]; };
  std::vector<glt::detail::row_batch> batches;
  auto const rows = static_cast<std::int64_t>(degrees.size());
  for (auto batch = glt::detail::next_row_batch({}, rows, degree_of, limits); batch.num_rows > 0;
       batch = glt::detail::next_row_batch(batch, rows, degree_of, limits)) {
    batches.push_back(batch);
  }
  return batches;
}

// Every edge as (row, position in the row), in the order in which the batches bring them.
std::vector<std::pair<std::int64_t, std::int64_t>> edges_of(std::vector<glt::detail::row_batch> const& batches,
                                                            std::vector<std::int64_t> const& degrees) {
  std::vector<std::pair<std::int64_t, std::int64_t>> edges;
  for (auto const& batch : batches) {
    if (batch.first_piece && batch.last_piece) {
      for (auto row = batch.first; row < batch.first + batch.num_rows; ++row) {
        for (std::int64_t i = 0; i < degrees[static_cast<std::size_t>(row)]; ++i) {
          edges.emplace_back(row, i);
        }
      }
      continue;
    }
    for (auto i = batch.first_edge; i < batch.first_edge + batch.num_edges; ++i) {
      edges.emplace_back(batch.first, i);
    }
  }
  return edges;
}

} // namespace

TEST_CASE("batches cover every row once, in order, within the limits, and cut only what does not fit") {
  glt::random_stream draws(glt::random_key(5), 0);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::int64_t> degrees(draws.below(30));
    for (auto& degree : degrees) {
      degree = static_cast<std::int64_t>(draws.below(draws.below(5) == 0 ? 60 : 6));
    }
    glt::detail::row_batch_limits const limits{.max_edges = 1 + static_cast<std::int64_t>(draws.below(20)),
                                               .max_rows = 1 + static_cast<std::int64_t>(draws.below(7))};
    auto const batches = batches_of(degrees, limits);
    std::int64_t next_row = 0;
    for (std::size_t i = 0; i < batches.size(); ++i) {
      auto const& batch = batches[i];
      CHECK(batch.num_edges <= limits.max_edges);
      CHECK(batch.num_rows <= limits.max_rows);
      CHECK(batch.first_piece == (batch.first_edge == 0));
      if (batch.first_piece) {
        CHECK(batch.first == next_row);
        next_row = batch.first + batch.num_rows;
      }
      if (batch.first_piece && batch.last_piece) {
        CHECK(batch.first_edge == 0);
      } else {
        CHECK(batch.num_rows == 1);
        CHECK(batch.num_edges > 0);
        CHECK(degrees[static_cast<std::size_t>(batch.first)] > limits.max_edges);
        CHECK((batch.last_piece || batch.num_edges == limits.max_edges));
        CHECK((batch.last_piece || !batches[i + 1].first_piece));
      }
    }
    CHECK(next_row == static_cast<std::int64_t>(degrees.size()));
    std::vector<std::pair<std::int64_t, std::int64_t>> expected;
    for (std::size_t row = 0; row < degrees.size(); ++row) {
      for (std::int64_t e = 0; e < degrees[row]; ++e) {
        expected.emplace_back(row, e);
      }
    }
    CHECK(edges_of(batches, degrees) == expected);
  }
}

TEST_CASE("batches are as full as whole rows allow") {
  auto const batches = batches_of({2, 2, 3, 0, 0, 1, 9, 4}, {.max_edges = 4, .max_rows = 3});
  CHECK(batches ==
        std::vector<glt::detail::row_batch>{
            {.first = 0, .num_rows = 2, .num_edges = 4},
            {.first = 2, .num_rows = 3, .num_edges = 3},
            {.first = 5, .num_rows = 1, .num_edges = 1},
            {.first = 6, .num_rows = 1, .num_edges = 4, .last_piece = false},
            {.first = 6, .num_rows = 1, .first_edge = 4, .num_edges = 4, .first_piece = false, .last_piece = false},
            {.first = 6, .num_rows = 1, .first_edge = 8, .num_edges = 1, .first_piece = false},
            {.first = 7, .num_rows = 1, .num_edges = 4}});
}

TEST_CASE("limits below 1 are refused") {
  for (auto const& limits :
       {glt::detail::row_batch_limits{.max_edges = 0}, glt::detail::row_batch_limits{.max_rows = 0}}) {
    CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { glt::detail::validate(limits); }), "at most",
                          " 0 ", "1 or more"));
  }
  glt::detail::validate(glt::detail::row_batch_limits{.max_edges = 1, .max_rows = 1});
}
