// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/scratch.hpp"

#include <glt/io/datasets/detail/ogb.hpp>

#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("numbers are integers if all of them are, and one column is a list") {
  scratch_folder const scratch;
  io::read_options const reading;
  io::detail::tables_in_memory const tables(reading);
  auto const read = [&](char const* text) {
    write_bytes(scratch / "a.csv", text);
    return tables.read_numbers(scratch / "a.csv");
  };
  CHECK(read("1\n-2\n3e2\n").values<std::int64_t>()[2] == 300);
  CHECK(read("1\n2\n").shape() == std::vector<std::int64_t>{2});
  CHECK(read("1,2\n3,4.5\n").values<float>()[3] == 4.5F);
  CHECK(read("1,2\n3,4.5\n").shape() == std::vector<std::int64_t>{2, 2});
  CHECK(read("1\nnan\n").type() == element_type::float32);
  CHECK(read("").type() == element_type::int64);
}

TEST_CASE("columns of edges are read where they belong") {
  scratch_folder const scratch;
  io::read_options const reading;
  io::detail::tables_in_memory const tables(reading);
  io::raw_data::edge_table edges;
  write_bytes(scratch / "edge.csv", "1,2\n3,4\n");
  write_bytes(scratch / "value.csv", "5\n6\n");
  tables.read_pairs(scratch / "edge.csv", edges);
  tables.read_weights(scratch / "value.csv", edges);
  tables.read_times(scratch / "value.csv", edges);
  auto const columns = tables.columns_of(edges);
  CHECK(columns.sources[1] == 3);
  CHECK(columns.destinations[0] == 2);
  CHECK(columns.weights[1] == 6);
  CHECK(columns.times[0] == 5);
}
