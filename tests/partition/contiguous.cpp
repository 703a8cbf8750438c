// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <glt/core/random.hpp>
#include <glt/partition/simple_partitioners.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("parts are ranges of ids whose sizes differ by at most one, the larger ones first") {
  auto const part_of = [](std::int64_t num_vertices, int num_parts) {
    auto const rows = make_csr<device::cpu>(edge_list{"", num_vertices, {}, {}}.view());
    return to_vector(contiguous_partitioner{}(rows.view(), num_parts));
  };
  CHECK(part_of(0, 3) == std::vector<local_id>{});
  CHECK(part_of(1, 3) == std::vector<local_id>{0});
  CHECK(part_of(7, 3) == std::vector<local_id>{0, 0, 0, 1, 1, 2, 2});
  CHECK(part_of(6, 3) == std::vector<local_id>{0, 0, 1, 1, 2, 2});
  CHECK(part_of(2, 5) == std::vector<local_id>{0, 1});
  CHECK(part_of(4, 1) == std::vector<local_id>{0, 0, 0, 0});
}

namespace {

std::vector<local_id> cut(std::vector<std::int64_t> const& weights, int num_parts, balance_constraints balance) {
  auto const rows = make_csr<device::cpu>(edge_list{"", std::ssize(weights), {}, {}}.view());
  return to_vector(contiguous_partitioner{.balance = std::move(balance)}(rows.view(), num_parts));
}

balance_limit weighing(std::vector<std::int64_t> const& weights) {
  return balance_limit::weights("weights", host_view<std::int64_t const>(weights));
}

} // namespace

TEST_CASE("with weights the cuts stand at equal shares of them") {
  std::vector<std::int64_t> const weights{9, 1, 1, 1, 3, 3, 0, 0, 18};
  CHECK(cut(weights, 2, {weighing(weights)}) == std::vector<local_id>{0, 0, 0, 0, 0, 0, 1, 1, 1});
  CHECK(cut({5, 0, 0}, 3, {weighing({0, 0, 0})}) == std::vector<local_id>{0, 1, 2}); // nothing weighs: vertices count
  std::vector<std::int64_t> const front{8, 0, 0, 0};
  CHECK(cut(front, 2, {weighing(front)}) == std::vector<local_id>{1, 1, 1, 1});
  CHECK(cut(front, 2, {weighing(front), balance_limit::vertices()}) == std::vector<local_id>{0, 1, 1, 1});

  random_stream draws(random_key(3), 1);
  for (std::int64_t const vertices : {0, 1, 7, 500}) {
    for (int const parts : {1, 3, 8}) {
      std::vector<std::int64_t> drawn;
      for (std::int64_t v = 0; v < vertices; ++v) {
        drawn.push_back(static_cast<std::int64_t>(draws.below(draws.below(50) + 1)));
      }
      auto const part_of = cut(drawn, parts, {weighing(drawn)});
      CHECK(std::ranges::is_sorted(part_of));
      std::vector<std::int64_t> loads(static_cast<std::size_t>(parts), 0);
      std::int64_t total = 0;
      std::int64_t heaviest = 0;
      for (std::size_t v = 0; v < drawn.size(); ++v) {
        REQUIRE(part_of[v] >= 0);
        REQUIRE(part_of[v] < parts);
        loads[static_cast<std::size_t>(part_of[v])] += drawn[v];
        total += drawn[v];
        heaviest = std::max(heaviest, drawn[v]);
      }
      for (auto const load : loads) {
        CHECK(std::abs(load * parts - total) <= heaviest * parts);
      }
    }
  }
}

TEST_CASE("every type is cut for itself, in equal ranges") {
  std::vector<local_id> const types{0, 0, 0, 0, 2, 2, 1, 1, 1, 1, 0, 0};
  auto const of_type = balance_limit::types(host_view<local_id const>(types), 3);
  auto const part_of = cut(std::vector<std::int64_t>(12), 2, {of_type});
  CHECK(part_of == std::vector<local_id>{0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1, 1});
  // The mean of vertices and weights, within each type.
  std::vector<std::int64_t> const weights{9, 0, 0, 0, 1, 1, 0, 0, 0, 9, 0, 0};
  CHECK(cut(weights, 2, {weighing(weights), of_type}) == std::vector<local_id>{0, 1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 1});
}

TEST_CASE("wrong limits are refused") {
  auto const text = thrown<precondition_error>([] { static_cast<void>(cut({1, -2}, 2, {weighing({1, -2})})); });
  CHECK(names(text, "vertex 1 weighs -2"));
}
