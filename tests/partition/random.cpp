// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/graphs.hpp"

#include <glt/partition/quality/quality.hpp>
#include <glt/partition/simple_partitioners.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("sizes differ by at most one vertex") {
  for (std::int64_t const num_vertices : {0, 1, 2, 10, 1001}) {
    auto const rows = make_csr<device::cpu>(edge_list{"", num_vertices, {}, {}}.view());
    for (int const num_parts : {1, 2, 3, 7, 12}) {
      auto const part_of = random_partitioner{.seed = 9}(rows.view(), num_parts);
      auto const quality = measure_partition(rows.view(), part_of.view(), num_parts);
      CHECK(quality.largest_part - quality.smallest_part <= 1);
    }
  }
}

TEST_CASE("seeds differ, and every vertex is as likely to be in one part as in another") {
  auto const rows = make_csr<device::cpu>(edge_list{"", 12, {}, {}}.view());
  std::vector<double> counts(12 * 4, 0);
  constexpr int trials = 4000;
  for (int seed = 0; seed < trials; ++seed) {
    auto const part_of = random_partitioner{.seed = static_cast<std::uint64_t>(seed)}(rows.view(), 4);
    for (std::int64_t v = 0; v < 12; ++v) {
      ++counts[static_cast<std::size_t>(v * 4 + part_of[v])];
    }
  }
  double chi_square = 0;
  for (auto const count : counts) {
    chi_square += (count - trials / 4.0) * (count - trials / 4.0) / (trials / 4.0);
  }
  CHECK(chi_square < 67.9); // 33 degrees of freedom (sizes are fixed, which only lowers the spread), p = 0.0003
  CHECK(to_vector(random_partitioner{.seed = 1}(rows.view(), 4)) !=
        to_vector(random_partitioner{.seed = 2}(rows.view(), 4)));
}
