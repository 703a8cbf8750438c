// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "partition/quality_report.hpp"
#include "support/qualities.hpp"

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace {

using json = nlohmann::ordered_json;

glt::detail::part_counts counts_of(json const& object) {
  REQUIRE(object.size() == 9);
  glt::detail::part_counts counts;
  counts.num_vertices = object.at("num_vertices");
  counts.num_edges = object.at("num_edges");
  counts.num_cut_edges = object.at("num_cut_edges");
  counts.num_boundary_vertices = object.at("num_boundary_vertices");
  counts.halo_size = object.at("halo_size");
  counts.communication_volume = object.at("communication_volume");
  counts.num_train = object.at("num_train");
  counts.num_valid = object.at("num_valid");
  counts.num_test = object.at("num_test");
  return counts;
}

// Reads a table and checks what follows from it.
glt::detail::part_table table_of(json const& object) {
  glt::detail::part_table table;
  static_cast<glt::detail::part_counts&>(table) = counts_of(object.at("total"));
  for (auto const& part : object.at("parts")) {
    table.parts.push_back(counts_of(part));
  }
  CHECK(object.at("cut_fraction") == table.cut_fraction());
  CHECK(object.at("replication_factor") == table.replication_factor());
  auto const& balance = object.at("balance");
  CHECK(balance.size() == 9);
  CHECK(balance.at("vertices") == table.balance(&glt::detail::part_counts::num_vertices));
  CHECK(balance.at("edges") == table.balance(&glt::detail::part_counts::num_edges));
  CHECK(balance.at("cut") == table.balance(&glt::detail::part_counts::num_cut_edges));
  CHECK(balance.at("boundary") == table.balance(&glt::detail::part_counts::num_boundary_vertices));
  CHECK(balance.at("halo") == table.balance(&glt::detail::part_counts::halo_size));
  CHECK(balance.at("communication_volume") == table.balance(&glt::detail::part_counts::communication_volume));
  CHECK(balance.at("train") == table.balance(&glt::detail::part_counts::num_train));
  CHECK(balance.at("valid") == table.balance(&glt::detail::part_counts::num_valid));
  CHECK(balance.at("test") == table.balance(&glt::detail::part_counts::num_test));
  return table;
}

glt::partition_quality quality_of(json const& object) {
  glt::partition_quality quality;
  static_cast<glt::detail::part_table&>(quality) = table_of(object);
  CHECK(object.at("num_parts") == quality.num_parts());
  quality.smallest_part = object.at("smallest_part");
  quality.largest_part = object.at("largest_part");
  for (auto const& row : object.at("edges_between")) {
    CHECK(row.size() == quality.parts.size());
    for (std::int64_t const edges : row) {
      quality.edges_between.push_back(edges);
    }
  }
  for (auto const& type : object.at("node_types")) {
    quality.node_types.push_back({table_of(type), type.at("name")});
  }
  for (auto const& type : object.at("edge_types")) {
    glt::detail::edge_type_quality of_type{{type.at("num_edges"), type.at("num_cut_edges")},
                                           {type.at("source"), type.at("name"), type.at("destination")},
                                           {}};
    CHECK(type.at("cut_fraction") == of_type.cut_fraction());
    for (auto const& part : type.at("parts")) {
      of_type.parts.push_back({part.at("num_edges"), part.at("num_cut_edges")});
    }
    quality.edge_types.push_back(of_type);
  }
  return quality;
}

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

TEST_CASE("the text gives all numbers back") {
  for (int const parts : {1, 3, 70}) {
    CAPTURE(parts);
    for (auto const& quality :
         {glt_test::random_quality(parts), glt_test::academic_quality(parts), glt_test::random_quality(parts, 0)}) {
      auto const text = glt_partition::quality_json(quality);
      CHECK(text.back() == '\n');
      CHECK(quality_of(json::parse(text)) == quality);
      CHECK(json::parse(text) == glt_partition::quality_object(quality));
    }
  }
}

TEST_CASE("keys keep their order") {
  auto const object = glt_partition::quality_object(glt_test::random_quality(2));
  std::vector<std::string> keys;
  for (auto const& [key, value] : object.items()) {
    keys.push_back(key);
  }
  CHECK(keys == std::vector<std::string>{"num_parts", "total", "cut_fraction", "replication_factor", "balance", "parts",
                                         "smallest_part", "largest_part", "edges_between", "node_types", "edge_types"});
}

TEST_CASE("names are escaped, and bytes that are no text replaced") {
  auto const quality = glt_test::awkward_quality(2);
  auto const object = json::parse(glt_partition::quality_json(quality));
  CHECK(object.at("node_types").at(0).at("name") == "<a & \"b\">");
  CHECK(object.at("node_types").at(2).at("name") == "Straße");
  CHECK(object.at("node_types").at(3).at("name") == "bad \xEF\xBF\xBD\x01");
}

TEST_CASE("a table written out") {
  glt_test::edge_list const graph{"", 5, {0, 1, 2, 3, 3, 4}, {1, 2, 2, 0, 0, 0}};
  auto const rows = glt::make_csr<glt::device::cpu>(graph.view());
  std::vector<glt::local_id> const part_of{0, 0, 1, 1, 0};
  std::vector<glt::global_id> const train{0, 1, 3};
  auto const quality = glt::measure_partition(rows.view(), glt::host_view<glt::local_id const>(part_of), 2,
                                              {.splits = {.train = train}});
  CHECK(glt_partition::quality_table(quality) ==
        "part      vertices  edges    cut  boundary   halo  communication_volume  train  cut %\n"
        "0                3      4      2         2      1                     1      2   50.0\n"
        "1                2      2      1         2      1                     1      1   50.0\n"
        "total            5      6      3         4      2                     2      3   50.0\n"
        "max/mean     1.200  1.333  1.333     1.000  1.000                 1.000  1.333\n"
        "\n"
        "replication factor 1.400, communication volume 2, 3 of 6 edges cut (50.0 %)\n");
}

TEST_CASE("every part has its row, and types have tables") {
  auto const quality = glt_test::academic_quality(3);
  auto const lines = words_of(glt_partition::quality_table(quality));
  REQUIRE(lines.size() == 6 + 2 + 6 + 6 + 9);
  CHECK(lines[0] == std::vector<std::string>{"part", "vertices", "edges", "cut", "boundary", "halo",
                                             "communication_volume", "cut", "%"}); // no seeds were given
  for (std::size_t p = 0; p < 3; ++p) {
    auto const& part = quality.parts[p];
    CHECK(lines[1 + p][0] == std::to_string(p));
    CHECK(lines[1 + p][1] == std::to_string(part.num_vertices));
    CHECK(lines[1 + p][2] == std::to_string(part.num_edges));
    CHECK(lines[1 + p][3] == std::to_string(part.num_cut_edges));
    CHECK(lines[1 + p][4] == std::to_string(part.num_boundary_vertices));
    CHECK(lines[1 + p][5] == std::to_string(part.halo_size));
    CHECK(lines[1 + p][6] == std::to_string(part.communication_volume));
  }
  CHECK(lines[10][0] == "paper");
  CHECK(lines[10][2] == std::to_string(quality.node_types[0].num_edges));
  CHECK(lines[15] == std::vector<std::string>{"vertices", "of", "part", "paper", "author", "institution", "topic"});
  CHECK(lines[17][1] == std::to_string(quality.node_types[0].parts[1].num_vertices));
  CHECK(lines[22][2] == "paper)");
  CHECK(lines[22][3] == std::to_string(quality.edge_types[0].num_edges));
}

TEST_CASE("columns are aligned by characters, not bytes") {
  CHECK(glt_partition::aligned({{"Straße", "1"}, {"x", "ß2"}, {"y"}}) == "Straße   1\nx       ß2\ny\n");
}
