// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <glt/partition/simple_partitioners.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

using namespace glt;
using namespace glt_test;

static_assert(partitioner<hash_partitioner, local_id> && partitioner<hash_partitioner, global_id>);

TEST_CASE("the part of a vertex depends on its id and the seed, not on the graph") {
  hash_partitioner const hash{.seed = 7};
  for (std::int64_t const num_vertices : {0, 1, 100, 1001}) {
    auto const rows = make_csr<device::cpu>(edge_list{"", num_vertices, {}, {}}.view());
    for (int const num_parts : {1, 2, 3, 1000}) {
      auto const part_of = hash(rows.view(), num_parts);
      REQUIRE(part_of.size() == num_vertices);
      for (std::int64_t v = 0; v < num_vertices; ++v) {
        CHECK(part_of[v] == hash.part_of(v, num_parts));
        CHECK(part_of[v] >= 0);
        CHECK(part_of[v] < num_parts);
      }
    }
  }
  // A hash that changed would scatter graphs that are stored already.
  std::vector<local_id> first;
  for (std::int64_t v = 0; v < 8; ++v) {
    first.push_back(hash_partitioner{}.part_of(v, 10));
  }
  CHECK(first == std::vector<local_id>{6, 1, 8, 9, 7, 3, 9, 7});
}

TEST_CASE("parts are equally likely, for ids in a row and far apart, and seeds differ") {
  for (std::int64_t const stride : {std::int64_t{1}, std::int64_t{8}, std::int64_t{1} << 40}) {
    std::vector<double> counts(7, 0);
    std::int64_t moved = 0;
    for (std::int64_t i = 0; i < 70'000; ++i) {
      auto const part = hash_partitioner{}.part_of(i * stride, 7);
      ++counts[static_cast<std::size_t>(part)];
      moved += part != hash_partitioner{.seed = 2}.part_of(i * stride, 7) ? 1 : 0;
    }
    double chi_square = 0;
    for (auto const count : counts) {
      chi_square += (count - 10'000) * (count - 10'000) / 10'000;
    }
    CHECK(chi_square < 24); // 6 degrees of freedom, p = 0.0005
    CHECK(moved > 59'000);
    CHECK(moved < 61'000);
  }
  CHECK(hash_partitioner{}.part_of(5, std::numeric_limits<int>::max()) >= 0);
}

TEST_CASE("fewer parts than one and graphs that are not square are refused") {
  auto const rows = make_csr<device::cpu>(random_graph(11, 30).view());
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(hash_partitioner{}(rows.view(), 0)); }), "0 parts"));
  csr_view<memory_space::host> const wide(99, rows.view().offsets(), rows.view().sources());
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(hash_partitioner{}(wide, 2)); }), "99 columns"));
}
