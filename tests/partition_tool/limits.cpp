// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/graph/generators.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/parts/parts_folder.hpp>

#include "support/partition_tool.hpp"
#include "support/scratch.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

using namespace glt_test;

TEST_CASE("a limit that the parts exceed is told, and fails where it must be kept") {
  scratch_folder const scratch;
  // Every edge ends in vertex 0: one part has all of them.
  constexpr std::int64_t vertices = 40;
  std::vector<std::int64_t> edges;
  for (std::int64_t v = 1; v < vertices; ++v) {
    edges.push_back(v);
  }
  edges.resize(2 * edges.size(), 0);
  std::filesystem::create_directory(scratch / "set");
  glt::io::write_npy(scratch / "set" / "edge_index.npy",
                     glt::host_matrix<std::int64_t const>(edges.data(), 2, vertices - 1));
  auto const run = [&](std::string const& out, std::string const& arguments) {
    return run_tool(scratch, (scratch / "set").string() + " --parts 2 --out " + (scratch / out).string() + arguments);
  };
  for (std::string const limit : {"", " --memory 100MB"}) {
    for (std::string const method : {"ldg", "fennel", "multilevel", "contiguous"}) {
      auto const name = method + std::to_string(limit.size());
      auto const arguments = limit + " --balance vertices,edges --method " + method;
      auto const noted = run(name, arguments);
      CAPTURE(noted.out);
      CHECK(noted.status == 0);
      CHECK(has(noted.out, " has 39 of 39 edges, 2.000 times its share; --slack 0.05 allows 21"));
      auto const refused = run(name + "strict", arguments + " --strict");
      CHECK(refused.status == 1);
      CHECK(has(refused.errors, "--strict: the parts exceed "));
      CHECK(glt::io::parts_folder(scratch / (name + "strict")).num_parts() == 2);
    }
    auto const kept = run("kept" + std::to_string(limit.size()), limit + " --strict");
    CHECK(kept.status == 0);
    CHECK_FALSE(has(kept.out, "note: part"));
    CHECK(run("hash" + std::to_string(limit.size()), limit + " --strict --method hash").status == 0);
  }
}

TEST_CASE("vertices leave the parts that a method leaves too full") {
  scratch_folder const scratch;
  auto const graph = glt::make_rmat<glt::global_id>({.scale = 10, .edge_factor = 16});
  auto const from = graph.view().sources();
  auto const to = graph.view().destinations();
  std::vector<std::int64_t> edges(from.begin(), from.end());
  edges.insert(edges.end(), to.begin(), to.end());
  std::filesystem::create_directory(scratch / "set");
  glt::io::write_npy(scratch / "set" / "edge_index.npy",
                     glt::host_matrix<std::int64_t const>(edges.data(), 2, std::ssize(edges) / 2));
  for (std::string const parts : {"2", "5"}) {
    for (std::string const limit : {"", " --memory 100MB"}) {
      auto const made = run_tool(scratch, (scratch / "set").string() + " --parts " + parts + " --out " +
                                              (scratch / (parts + (limit.empty() ? "" : "m"))).string() + limit +
                                              " --method fennel --passes 1 --balance vertices,edges --strict");
      CAPTURE(made.out);
      CHECK(made.status == 0);
    }
    CHECK(files_of(scratch / parts) == files_of(scratch / (parts + "m")));
  }
}
