// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "partition/staging.hpp"

#include "support/archives.hpp"
#include "support/errors.hpp"
#include "support/ogb_folders.hpp"
#include "support/ranks.hpp"
#include "support/raw_data.hpp"
#include "support/scratch.hpp"

#include <glt/core/random.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/folder/npy_folder_writer.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;
using glt_partition::options;

namespace {

// Checks that ranks get the data set that the tool makes in memory.
void check(options const& chosen, std::string const& format) {
  glt_partition::console quiet(false, true);
  auto expected = glt_partition::read_input(chosen, format, quiet);
  glt_partition::prepare(expected, chosen, quiet);
  auto const before = std::filesystem::is_directory(chosen.input) ? files_of(chosen.input) : decltype(files_of("")){};
  scratch_folder const scratch;
  on_ranks([&](auto comm) {
    auto const own = scratch / std::to_string(comm.size());
    if (comm.rank() == 0) {
      std::filesystem::create_directory(own);
    }
    comm.barrier();
    glt_partition::console silent(false, true);
    auto const made = glt_partition::stage_input(comm, chosen, format, own, silent);
    auto const view = made.view();
    CHECK(view.name == expected.name);
    check_same(view, expected.view());
    comm.barrier();
  });
  if (std::filesystem::is_directory(chosen.input)) {
    CHECK(files_of(chosen.input) == before);
  }
}

std::string fault_of(options const& chosen, std::string const& format) {
  scratch_folder const scratch;
  glt_partition::console quiet(false, true);
  return thrown<collective_error>(
      [&] { static_cast<void>(glt_partition::stage_input(serial_comm(), chosen, format, scratch.path(), quiet)); });
}

io::raw_data random_set(bool plain) {
  random_stream draws(random_key(8), 1);
  io::raw_data data{.name = "typed", .nodes = {}, .edges = {}};
  data.nodes.push_back(random_nodes(draws, plain ? "node" : "paper", 19));
  data.edges.push_back(random_edges(draws, data.nodes[0], plain ? "edge" : "cites", data.nodes[0], 60));
  if (!plain) {
    data.nodes.push_back(random_nodes(draws, "author", 5));
    data.edges.push_back(random_edges(draws, data.nodes[1], "writes", data.nodes[0], 30));
  }
  data.nodes[0].features.push_back({"more", random_array(draws, element_type::float32, 19, 4)});
  return data;
}

} // namespace

TEST_CASE("text is the data set that it is in memory") {
  scratch_folder const scratch;
  write_bytes(scratch / "web.txt", "# a list\n1 2 0.5\n2 1 3\n7 7 1\n1 2 4\n");
  write_gzip(scratch / "packed.txt.gz", "1 2\n2 1\n9 7\n");
  write_bytes(scratch / "m.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n2 1\n4 3\n");
  write_bytes(scratch / "g.graph", "3 2 110 1\n5 1 2\n6 2 1 3\n7 3 2\n");
  check({.input = scratch / "web.txt"}, "snap");
  check({.input = scratch / "packed.txt.gz"}, "snap");
  check({.input = scratch / "packed.txt.gz", .symmetrize = true, .memory = 100}, "snap");
  check({.input = scratch / "m.mtx"}, "mtx");
  check({.input = scratch / "m.mtx", .symmetrize = true, .normalize = true, .memory = 1 << 20}, "mtx");
  check({.input = scratch / "g.graph"}, "metis");
}

TEST_CASE("folders of arrays stay where they are, or are read where they cannot") {
  scratch_folder const scratch;
  for (bool const plain : {true, false}) {
    auto const folder = scratch / (plain ? "plain" : "typed");
    io::write_npy_folder(folder, random_set(plain));
    check({.input = folder}, "npy");
    check({.input = folder, .normalize = true}, "npy");
    check({.input = folder, .add_reverse = true}, "npy");
  }
  auto simple = random_set(true);
  simple.edges[0].weights.clear();
  simple.edges[0].times.clear();
  simple.edges[0].features.clear();
  io::write_npy_folder(scratch / "simple", simple);
  check({.input = scratch / "simple", .symmetrize = true, .normalize = true}, "npy");
  check({.input = scratch / "simple", .symmetrize = true, .add_self_loops = true}, "npy");
  simple.edges[0].weights.assign(simple.edges[0].sources.size(), 0.5F);
  io::write_npy_folder(scratch / "weighted", simple);
  check({.input = scratch / "weighted", .add_reverse = true, .add_self_loops = true}, "npy");

  std::filesystem::create_directory(scratch / "narrow");
  std::vector<std::int64_t> const shape{2, 3};
  io::write_npy(scratch / "narrow/edge_index.npy", std::vector<std::int32_t>{0, 1, 2, 2, 1, 0}, shape);
  check({.input = scratch / "narrow"}, "npy");
  check({.input = scratch / "narrow", .symmetrize = true, .memory = 100}, "npy");
  io::write_npy(scratch / "narrow/edge_weight.npy", std::vector<double>{1, 2});
  CHECK(names(fault_of({.input = scratch / "narrow"}, "npy"), scratch.path().string() + "/narrow/edge_weight.npy",
              "wrong row count: 2 rows for 3 edges"));
}

TEST_CASE("sets of the Open Graph Benchmark are what they are in memory") {
  scratch_folder const scratch;
  auto plain = plain_ogb();
  for (auto& [name, text] : plain) {
    if (auto const place = text.find("nan"); name == "raw/node-feat.csv.gz" && place != std::string::npos) {
      text.replace(place, 3, "7.5"); // refused as features
    }
  }
  write_ogb(scratch / "plain_ogb", plain);
  write_ogb(scratch / "typed_ogb", typed_ogb());
  check({.input = scratch / "plain_ogb"}, "ogb");
  check({.input = scratch / "typed_ogb/raw", .normalize = true, .memory = 1 << 20}, "ogb");
  check({.input = scratch / "typed_ogb", .add_reverse = true}, "ogb");
  CHECK(names(fault_of({.input = scratch / "plain_ogb", .memory = 1000}, "wordnet"), "reading",
              "as wordnet takes about", "--memory allows 1000; save it as .npy files", "or allow more"));
}

TEST_CASE("what cannot be is said on all ranks") {
  scratch_folder const scratch;
  io::write_npy_folder(scratch / "typed", random_set(false));
  io::write_npy_folder(scratch / "plain", random_set(true));
  CHECK(names(fault_of({.input = scratch / "typed", .symmetrize = true}, "npy"), "--symmetrize of a graph with types"));
  CHECK(names(fault_of({.input = scratch / "plain", .symmetrize = true}, "npy"), "--symmetrize of edges with values"));
  CHECK(names(fault_of({.input = scratch / "missing"}, "npy"), "missing"));
  CHECK(names(fault_of({.input = scratch / "missing.txt"}, "snap"), "missing.txt", "no such file"));
  write_bytes(scratch / "web.txt", "1 2 nan\n2 1 3\n");
  CHECK(names(fault_of({.input = scratch / "web.txt"}, "snap"), "web.txt: weight 0 of edges 'edge' is nan",
              "finite numbers of 0 or more"));
  std::filesystem::create_directory(scratch / "odd");
  std::vector<std::int64_t> const shape{2, 3};
  io::write_npy(scratch / "odd/edge_index.npy", std::vector<std::int64_t>{0, 1, 2, -2, 1, 0}, shape);
  CHECK(names(fault_of({.input = scratch / "odd", .symmetrize = true}, "npy"),
              "odd/edge_index.npy: destination of edge 0 is -2, outside [0, 3)"));
}
