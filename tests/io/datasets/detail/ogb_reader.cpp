// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/ogb_folders.hpp"
#include "support/scratch.hpp"

#include <glt/io/datasets/detail/ogb.hpp>

#include <filesystem>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

struct noted_edges : io::raw_data::edge_table {
  std::string file;
};

// Reads into memory and takes note of the file of the edges.
struct noting_tables : io::detail::tables_in_memory {
  using edges_type = noted_edges;
  using tables_in_memory::tables_in_memory;
  void read_pairs(std::filesystem::path const& file, noted_edges& edges) const {
    tables_in_memory::read_pairs(file, edges);
    edges.file = file.filename().string();
  }
};

} // namespace

TEST_CASE("what reads the tables decides what edges are") {
  scratch_folder const scratch;
  write_ogb(scratch / "set", typed_ogb());
  io::detail::ogb_options const options;
  auto const read = io::detail::ogb_reader(scratch / "set", options, noting_tables(options.reading)).read();
  CHECK(read.name == "set");
  REQUIRE(read.nodes.size() == 2);
  REQUIRE(read.edges.size() == 2);
  CHECK(read.edges[1].name == "cites");
  CHECK(read.edges[1].sources == std::vector<global_id>{2});
  CHECK(read.edges[1].file == "edge.csv.gz");
}
