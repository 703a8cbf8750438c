// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/partition/quality/partition_quality.hpp>

#include <cstdint>

namespace {

glt::detail::part_counts counts(std::int64_t first) {
  glt::detail::part_counts made;
  made.num_edges = first;
  made.num_cut_edges = first + 1;
  made.num_vertices = first + 2;
  made.num_boundary_vertices = first + 3;
  made.halo_size = first + 4;
  made.communication_volume = first + 5;
  made.num_train = first + 6;
  made.num_valid = first + 7;
  made.num_test = first + 8;
  return made;
}

} // namespace

TEST_CASE("every count is added") {
  auto sum = counts(10);
  sum += counts(300);
  CHECK(sum.num_edges == 310);
  CHECK(sum.num_cut_edges == 312);
  CHECK(sum.num_vertices == 314);
  CHECK(sum.num_boundary_vertices == 316);
  CHECK(sum.halo_size == 318);
  CHECK(sum.communication_volume == 320);
  CHECK(sum.num_train == 322);
  CHECK(sum.num_valid == 324);
  CHECK(sum.num_test == 326);
}

TEST_CASE("counts that differ in one place are not equal") {
  CHECK(counts(1) == counts(1));
  for (auto const count : {&glt::detail::part_counts::num_vertices, &glt::detail::part_counts::halo_size,
                           &glt::detail::part_counts::num_test}) {
    auto other = counts(1);
    ++(other.*count);
    CHECK(other != counts(1));
  }
  auto other = counts(1);
  ++other.num_cut_edges;
  CHECK(other != counts(1));
}

TEST_CASE("the balance is the largest by the mean") {
  glt::detail::part_table table;
  CHECK(table.balance(&glt::detail::part_counts::num_vertices) == 1);
  table.parts.resize(4);
  CHECK(table.balance(&glt::detail::part_counts::num_edges) == 1);
  table.parts[1].num_train = 6;
  table.parts[3].num_train = 2;
  table.num_train = 8;
  CHECK(table.balance(&glt::detail::part_counts::num_train) == 3);
  table.parts[2].num_edges = 5;
  table.num_edges = 5;
  CHECK(table.balance(&glt::detail::part_counts::num_edges) == 4);
}

TEST_CASE("fractions and factors of nothing are those of a perfect partition") {
  glt::detail::part_table table;
  CHECK(table.cut_fraction() == 0);
  CHECK(table.replication_factor() == 1);
  table.num_vertices = 8;
  table.halo_size = 4;
  table.num_edges = 16;
  table.num_cut_edges = 2;
  CHECK(table.cut_fraction() == 0.125);
  CHECK(table.replication_factor() == 1.5);
}

TEST_CASE("edges between parts are found by row and column") {
  glt::partition_quality quality;
  quality.parts.resize(2);
  quality.edges_between = {1, 2, 3, 4};
  CHECK(quality.num_parts() == 2);
  CHECK(quality.edges(0, 1) == 2);
  CHECK(quality.edges(1, 0) == 3);
}
