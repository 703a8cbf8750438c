// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/io/peers/pyg_folder.hpp>

#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/peer_checks.hpp"
#include "support/peer_folders.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

using namespace glt::io;
using namespace glt_test::pickled;
using glt_test::names;

namespace fs = std::filesystem;

namespace {

std::string refused(fs::path const& dir) {
  return glt_test::thrown<glt::io_error>([&] { static_cast<void>(read_pyg_folder(dir)); });
}

} // namespace

TEST_CASE("Folders come back as the graph before partitioning, with its parts") {
  for (bool const typed : {false, true}) {
    for (bool const through : {false, true}) {
      for (int const num_parts : {1, 2, 3}) {
        for (std::int64_t const size : {1, 2, 17}) {
          glt_test::scratch_folder const dir;
          auto const graph = glt_test::random_peer_graph(typed, num_parts, size, 3 * size, through, 5);
          glt_test::write_pyg(dir / "set", graph, through && typed);
          auto const read = read_pyg_folder(dir / "set/");
          glt_test::check_same(read, graph, "x", "edge_attr");
          CHECK(read.data.name == "set");
        }
      }
    }
  }
}

TEST_CASE("Times of vertices and edges are put where they belong") {
  for (bool const typed : {false, true}) {
    glt_test::scratch_folder const dir;
    auto const graph = glt_test::random_peer_graph(typed, 3, 11, 30, false, 2);
    glt_test::write_pyg(dir.path(), graph, false, true);
    auto const read = read_pyg_folder(dir.path());
    glt_test::check_same(read, graph, "x", "edge_attr");
    for (auto const& table : read.data.nodes) {
      REQUIRE(std::ssize(table.times) == table.num_nodes);
      for (std::size_t i = 0; i < table.times.size(); ++i) {
        CHECK(table.times[i] == 3 * static_cast<std::int64_t>(i));
      }
    }
    for (auto const& table : read.data.edges) {
      REQUIRE(table.times.size() == table.sources.size());
      for (std::size_t i = 0; i < table.times.size(); ++i) {
        CHECK(table.times[i] == 1000 + static_cast<std::int64_t>(i));
      }
    }
  }
}

TEST_CASE("A folder without features of edges needs no file for them") {
  glt_test::scratch_folder const dir;
  auto graph = glt_test::random_peer_graph(false, 2, 6, 10, false, 2);
  graph.edge_types[0].features.clear();
  graph.node_types[0].features.clear();
  glt_test::write_pyg(dir.path(), graph, false);
  glt_test::check_same(read_pyg_folder(dir.path()), graph, "x", "edge_attr");
  fs::remove(dir / "part_0/edge_feats.pt");
  fs::remove(dir / "part_1/edge_feats.pt");
  glt_test::check_same(read_pyg_folder(dir.path()), graph, "x", "edge_attr");
}

TEST_CASE("Ids within parts, as unreleased versions wrote them, are refused") {
  glt_test::scratch_folder const dir;
  auto const graph = glt_test::random_peer_graph(false, 2, 40, 80, false, 2);
  glt_test::write_pyg(dir.path(), graph, false);
  for (int p = 0; p < 2; ++p) {
    auto const ids = glt_test::peer_members(graph.edge_types[0].part, p);
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      places.push_back(static_cast<std::int64_t>(i) % 15);
    }
    glt_test::torch_writer writer;
    auto const root = dict({{text("edge_id"), writer.tensor(ids)},
                            {text("row"), writer.tensor(places)},
                            {text("col"), writer.tensor(places)}});
    writer.save(dir / ("part_" + std::to_string(p)) / "graph.pt", root);
  }
  CHECK(names(refused(dir.path()), "graph.pt", "neither start nor end in part", "released version"));
}

TEST_CASE("Folders that contradict themselves are refused and name the file") {
  glt_test::scratch_folder const dir;
  auto const graph = glt_test::random_peer_graph(true, 2, 9, 20, false, 3);
  auto const fresh = [&] {
    fs::remove_all(dir / "set");
    glt_test::write_pyg(dir / "set", graph, false);
    return dir / "set";
  };
  auto book = graph.node_types[0].part;
  book[0] = 1 - book[0];
  glt_test::save_tensor(fresh() / "node_map/paper.pt", book);
  CHECK(names(refused(dir / "set"), "node_feats.pt", "vertices of type 'paper'", "which is in part"));
  book.push_back(0);
  glt_test::save_tensor(fresh() / "node_map/paper.pt", book);
  CHECK(names(refused(dir / "set"), "node_feats.pt", "list 9 of 10"));
  glt_test::save_tensor(fresh() / "node_map/paper.pt", std::vector<std::int64_t>(9, 5));
  CHECK(names(refused(dir / "set"), "paper.pt", "part 5"));
  glt_test::save_tensor(fresh() / "node_map/paper.pt", std::vector<std::int64_t>(9, 0), {3, 3});
  CHECK(names(refused(dir / "set"), "paper.pt", "ids in a line"));
  glt_test::save_bools(fresh() / "node_map/paper.pt", 9);
  CHECK(names(refused(dir / "set"), "paper.pt", "type bool, not numbers"));
  glt_test::save_tensor(fresh() / "edge_map/author__writes__paper.pt", std::vector<std::int64_t>(19, 0));
  CHECK(names(refused(dir / "set"), "20 rows for 19"));
  fs::remove(fresh() / "part_1/graph.pt");
  CHECK(names(refused(dir / "set"), "part_1/graph.pt", "no such file"));
  glt_test::torch_writer const empty;
  empty.save(fresh() / "part_1/graph.pt", dict({}));
  CHECK(names(refused(dir / "set"), "part_1/graph.pt", "lacks edge_id"));
  empty.save(dir / "set/part_1/graph.pt", list({}));
  CHECK(names(refused(dir / "set"), "part_1/graph.pt", "a list and no dict"));
  empty.save(fresh() / "part_0/node_feats.pt", dict({}));
  CHECK(names(refused(dir / "set"), "part_0/node_feats.pt", "lacks global_id"));
  empty.save(fresh() / "part_0/node_feats.pt", dict({{text("paper"), dict({{text("id"), text("x")}})}}));
  CHECK(names(refused(dir / "set"), "text where a tensor belongs"));
}

TEST_CASE("A META.json that says nothing of use is refused") {
  glt_test::scratch_folder const dir;
  auto const fault = [&](std::string const& content) {
    glt_test::write_bytes(dir / "META.json", content);
    return refused(dir.path());
  };
  CHECK(names(refused(dir.path()), "META.json", "no such file"));
  CHECK(names(fault("{"), "no JSON"));
  CHECK(names(fault("[]"), "no object"));
  CHECK(names(fault("{}"), "num_parts"));
  CHECK(names(fault(R"({"num_parts": 0, "is_hetero": false})"), "0 parts"));
  CHECK(names(fault(R"({"num_parts": -1, "is_hetero": false})"), "num_parts"));
  CHECK(names(fault(R"({"num_parts": 2, "is_hetero": true, "node_types": ["../x"], "edge_types": []})"),
              "names no file"));
  CHECK(names(fault(R"({"num_parts": 2, "is_hetero": true, "node_types": [], "edge_types": [["a", "b"]]})"),
              "three names"));
  CHECK(names(fault(R"({"num_parts": 2, "is_hetero": true, "node_types": [], "edge_types": [["a", "b", "c"]]})"),
              "vertex type 'a'"));
}
