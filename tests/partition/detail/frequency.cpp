// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/cuts.hpp"
#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/naive_stream.hpp"

#include <glt/core/random.hpp>
#include <glt/partition/detail/part_capacities.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// By part, by vertex.
using hotness_rows = std::vector<std::vector<double>>;

// Values with many ties and zeros.
hotness_rows random_hotness(int num_parts, std::int64_t num_vertices) {
  hotness_rows rows(static_cast<std::size_t>(num_parts));
  for (std::size_t part = 0; part < rows.size(); ++part) {
    random_stream draws(random_key(17), part);
    for (std::int64_t v = 0; v < num_vertices; ++v) {
      rows[part].push_back(static_cast<double>(draws.below(3) * draws.below(5)) / 8);
    }
  }
  return rows;
}

std::vector<local_id> assigned(hotness_rows const& rows, detail::frequency_options const& options = {}) {
  std::vector<double> flat;
  for (auto const& row : rows) {
    flat.insert(flat.end(), row.begin(), row.end());
  }
  auto const num_vertices = rows.empty() ? 0 : static_cast<std::int64_t>(rows[0].size());
  return to_vector(detail::assign_by_hotness(
      host_matrix<double const>(flat.data(), static_cast<std::int64_t>(rows.size()), num_vertices), options));
}

// Looks for the next vertex, and for its part, among all that are left.
std::vector<local_id> naive(hotness_rows const& rows, detail::frequency_options const& options) {
  auto const n = rows[0].size();
  auto const num_parts = static_cast<int>(rows.size());
  auto const capacity =
      std::min(std::ceil((1 + options.capacity_slack) * static_cast<double>(n) / num_parts), static_cast<double>(n));
  std::vector<naive_limit> limits;
  for (auto const& limit : options.balance) {
    limits.emplace_back(limit, static_cast<std::int64_t>(n), num_parts);
  }
  auto const advantage = [&](std::size_t v) {
    std::vector<double> values{0}; // a part beside the only one
    for (auto const& row : rows) {
      values.push_back(row[v]);
    }
    std::ranges::sort(values, std::greater<>());
    return values[0] - values[1];
  };
  std::vector<local_id> part_of(n, -1);
  std::vector<double> sizes(rows.size(), 0);
  for (std::size_t round = 0; round < n; ++round) {
    std::size_t v = n;
    for (std::size_t other = 0; other < n; ++other) {
      if (part_of[other] < 0 && (v == n || advantage(other) > advantage(v))) {
        v = other;
      }
    }
    auto const fullness = [&](std::size_t part) {
      double fullest = (sizes[part] + 1) / capacity;
      for (auto const& limit : limits) {
        fullest = std::max(fullest, limit.fullness(static_cast<std::int64_t>(v), part));
      }
      return fullest;
    };
    std::size_t best = 0;
    for (std::size_t part = 1; part < rows.size(); ++part) {
      bool const room = fullness(part) <= 1;
      bool const best_room = fullness(best) <= 1;
      auto const gain = room && best_room   ? rows[part][v] - rows[best][v]
                        : room || best_room ? (room ? 1 : -1)
                                            : fullness(best) - fullness(part);
      if (gain > 0 || (gain == 0 && sizes[part] < sizes[best])) {
        best = part;
      }
    }
    part_of[v] = static_cast<local_id>(best);
    ++sizes[best];
    for (auto& limit : limits) {
      limit.add(static_cast<std::int64_t>(v), best);
    }
  }
  return part_of;
}

} // namespace

TEST_CASE("every vertex is where it is hottest, and the cold ones make sizes equal") {
  CHECK(assigned({{0.5, 0, 0.1, 0, 0}, {0.4, 0.9, 0, 0, 0}, {0, 0.2, 0, 0, 0.01}}) ==
        std::vector<local_id>{0, 1, 0, 1, 2});
  CHECK(assigned({{}, {}}) == std::vector<local_id>{});
  CHECK(assigned({{0.5, 0, 1}}) == std::vector<local_id>{0, 0, 0});
}

TEST_CASE("where a part has too little room, those stay that would lose most elsewhere") {
  // All want part 0, which takes 2 of them.
  CHECK(assigned({{0.5, 0.9, 0.6, 0.8}, {0.4, 0.7, 0.1, 0.3}}, {.capacity_slack = 0}) ==
        std::vector<local_id>{1, 1, 0, 0});
}

TEST_CASE("the assignment is that of the naive algorithm, with and without limits") {
  for (std::int64_t const num_vertices : {1, 2, 13, 200}) {
    std::vector<std::int32_t> weights;
    for (std::int64_t v = 0; v < num_vertices; ++v) {
      weights.push_back(static_cast<std::int32_t>(v * v % 23));
    }
    auto const cost = balance_limit::weights("cost", host_view<std::int32_t const>(weights), 0);
    for (int const num_parts : {1, 2, 5}) {
      auto const hotness = random_hotness(num_parts, num_vertices);
      for (auto const& options : {detail::frequency_options{}, detail::frequency_options{.capacity_slack = 0},
                                  detail::frequency_options{.capacity_slack = 1e300},
                                  detail::frequency_options{.capacity_slack = 0.3, .balance = {cost}}}) {
        CAPTURE(num_vertices);
        CAPTURE(num_parts);
        CHECK(assigned(hotness, options) == naive(hotness, options));
      }
    }
  }
}

TEST_CASE("capacities hold") {
  auto const part_of = assigned(random_hotness(7, 1000), {.capacity_slack = 0.02});
  CHECK(std::ranges::max(sizes_of_parts(part_of, 7)) <= 146);
}

TEST_CASE("no parts, wrong hotness and wrong options are refused") {
  auto const complaint = [](hotness_rows const& rows, detail::frequency_options const& options = {}) {
    return thrown<precondition_error>([&] { static_cast<void>(assigned(rows, options)); });
  };
  CHECK(names(complaint({}), "0 parts"));
  CHECK(names(complaint({{0, 1}, {0, -2}}), "vertex 1 in part 1 is -2"));
  CHECK(names(complaint({{std::numeric_limits<double>::quiet_NaN()}}), "vertex 0 in part 0 is nan"));
  CHECK(names(complaint({{0, 1}}, {.capacity_slack = -1}), "hotness", "-1"));
  CHECK(names(complaint({{0, 1}}, {.balance = {balance_limit::vertices(-3)}}), "vertices", "-3"));
}
