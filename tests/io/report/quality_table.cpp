// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/qualities.hpp"

#include <glt/io/report/quality_table.hpp>

#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

namespace {

// The words of every line.
std::vector<std::vector<std::string>> words_of(std::string const& text) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) {
    std::istringstream words(line);
    auto& list = lines.emplace_back();
    for (std::string word; words >> word;) {
      list.push_back(word);
    }
  }
  return lines;
}

} // namespace

TEST_CASE("a table written out") {
  glt_test::edge_list const graph{"", 5, {0, 1, 2, 3, 3, 4}, {1, 2, 2, 0, 0, 0}};
  auto const rows = glt::make_csr<glt::device::cpu>(graph.view());
  std::vector<glt::local_id> const part_of{0, 0, 1, 1, 0};
  std::vector<glt::global_id> const train{0, 1, 3};
  auto const quality = glt::measure_partition(rows.view(), glt::host_view<glt::local_id const>(part_of), 2,
                                              {.splits = {.train = train}});
  CHECK(glt::io::quality_table(quality) ==
        "part      edges    cut  cut %  vertices  boundary   halo  volume  train\n"
        "0             4      2   50.0         3         2      1       1      2\n"
        "1             2      1   50.0         2         2      1       1      1\n"
        "total         6      3   50.0         5         4      2       2      3\n"
        "max/mean  1.333  1.333            1.200     1.000  1.000   1.000  1.333\n"
        "\n"
        "replication factor 1.400, communication volume 2, 3 of 6 edges cut (50.0 %)\n");
}

TEST_CASE("every part has its row, and types have tables") {
  auto const quality = glt_test::academic_quality(3);
  auto const lines = words_of(glt::io::quality_table(quality));
  REQUIRE(lines.size() == 6 + 2 + 6 + 6 + 9);
  CHECK(lines[0] == std::vector<std::string>{"part", "edges", "cut", "cut", "%", "vertices", "boundary", "halo",
                                             "volume"}); // no seeds were given
  for (std::size_t p = 0; p < 3; ++p) {
    auto const& part = quality.parts[p];
    CHECK(lines[1 + p][0] == std::to_string(p));
    CHECK(lines[1 + p][1] == std::to_string(part.num_edges));
    CHECK(lines[1 + p][2] == std::to_string(part.num_cut_edges));
    CHECK(lines[1 + p][4] == std::to_string(part.num_vertices));
    CHECK(lines[1 + p][5] == std::to_string(part.num_boundary_vertices));
    CHECK(lines[1 + p][6] == std::to_string(part.halo_size));
    CHECK(lines[1 + p][7] == std::to_string(part.communication_volume));
  }
  CHECK(lines[10][0] == "paper");
  CHECK(lines[10][1] == std::to_string(quality.node_types[0].num_edges));
  CHECK(lines[15] == std::vector<std::string>{"vertices", "of", "part", "paper", "author", "institution", "topic"});
  CHECK(lines[17][1] == std::to_string(quality.node_types[0].parts[1].num_vertices));
  CHECK(lines[22][2] == "paper)");
  CHECK(lines[22][3] == std::to_string(quality.edge_types[0].num_edges));
}

TEST_CASE("columns are aligned by characters, not bytes") {
  auto const text = glt::io::quality_table(glt_test::awkward_quality(2));
  std::istringstream input(text);
  std::size_t width = 0;
  for (std::string line; std::getline(input, line);) {
    if (line.starts_with("node type")) {
      width = glt::io::detail::places(line);
    }
    if (line.starts_with("Straße") || line.starts_with("<a &")) {
      CHECK(glt::io::detail::places(line) == width);
    }
  }
  CHECK(width > 0);
}
