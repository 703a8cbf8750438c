// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/io/peers/graphlearn_folder.hpp>

#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/peer_checks.hpp"
#include "support/peer_folders.hpp"

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
  return glt_test::thrown<glt::io_error>([&] { static_cast<void>(read_graphlearn_folder(dir)); });
}

} // namespace

TEST_CASE("Folders come back as the graph before partitioning, with its parts") {
  for (bool const typed : {false, true}) {
    for (bool const chunks : {false, true}) {
      for (int const num_parts : {1, 2, 3}) {
        for (std::int64_t const size : {1, 2, 17}) {
          glt_test::scratch_folder const dir;
          auto const graph = glt_test::random_peer_graph(typed, num_parts, size, 3 * size, chunks, 7);
          glt_test::write_graphlearn(dir / "set", graph, chunks);
          auto const read = read_graphlearn_folder(dir / "set");
          glt_test::check_same(read, graph, "feat", "feat");
          CHECK(read.data.name == "set");
          auto const& table = read.data.edges.back();
          CHECK(std::vector<float>(table.weights.begin(), table.weights.end()) == graph.edge_types.back().features);
        }
      }
    }
  }
}

TEST_CASE("A folder without edges or features is read, and a slash behind its name does not matter") {
  glt_test::scratch_folder const dir;
  auto graph = glt_test::random_peer_graph(false, 2, 5, 0, true, 1);
  graph.node_types[0].features.clear();
  glt_test::write_graphlearn(dir / "set", graph, true);
  auto const read = read_graphlearn_folder(dir / "set/");
  glt_test::check_same(read, graph, "feat", "feat");
  CHECK(read.data.name == "set");
}

TEST_CASE("Edges of a folder with one cached graph are numbered in its order") {
  glt_test::scratch_folder const dir;
  auto graph = glt_test::random_peer_graph(false, 2, 9, 20, true, 3);
  graph.edge_types[0].features.clear();
  glt_test::write_graphlearn(dir.path(), graph, true);
  fs::remove(dir / "edge_pb.pt");
  for (std::string const part : {"part0", "part1"}) {
    fs::remove_all(dir / part / "graph");
  }
  fs::create_directories(dir / "graph");
  glt_test::save_tensor(dir / "graph/rows.pt", graph.edge_types[0].rows);
  glt_test::save_tensor(dir / "graph/cols.pt", graph.edge_types[0].cols);
  glt_test::check_same(read_graphlearn_folder(dir.path()), graph, "feat", "feat");
}

TEST_CASE("Books that are objects of a class are refused with a way out") {
  glt_test::scratch_folder const dir;
  auto const graph = glt_test::random_peer_graph(false, 2, 9, 20, true, 3);
  glt_test::write_graphlearn(dir.path(), graph, false);
  glt_test::torch_writer const writer;
  writer.save(dir / "node_pb.pt", name("graphlearn_torch.partition.partition_book", "RangePartitionBook") + ")\x81");
  CHECK(names(refused(dir.path()), "node_pb.pt", "RangePartitionBook", "torch.save its tensors"));
}

TEST_CASE("Folders that contradict themselves are refused and name the file") {
  glt_test::scratch_folder const dir;
  auto const graph = glt_test::random_peer_graph(false, 2, 9, 20, true, 3);
  auto const fresh = [&](bool chunks = false) {
    fs::remove_all(dir / "set");
    glt_test::write_graphlearn(dir / "set", graph, chunks);
    return dir / "set";
  };
  auto const own = glt_test::peer_members(graph.edge_types[0].part, 0);
  auto const nodes = glt_test::peer_members(graph.node_types[0].part, 0);
  auto const folder = fresh() / "part0";
  REQUIRE(own.size() > 2);
  REQUIRE(nodes.size() > 2);

  auto without = own;
  without.back() = without.front();
  glt_test::save_tensor(folder / "graph/eids.pt", without);
  CHECK(names(refused(dir / "set"), "part0/graph/eids.pt", "listed before"));
  without.back() = 20;
  glt_test::save_tensor(folder / "graph/eids.pt", without);
  CHECK(names(refused(dir / "set"), "part0/graph/eids.pt", "lists 20", "outside [0, 20)"));
  without.back() = -1;
  glt_test::save_tensor(folder / "graph/eids.pt", without);
  CHECK(names(refused(dir / "set"), "lists -1"));
  without.pop_back();
  glt_test::save_tensor(folder / "graph/eids.pt", without);
  CHECK(names(refused(dir / "set"), "part0/graph/eids.pt", "wrong row count"));

  fresh();
  glt_test::save_tensor(folder / "graph/rows.pt", std::vector<std::int64_t>(own.size(), 9));
  CHECK(names(refused(dir / "set"), "id 0 is 9, outside [0, 9)"));
  fresh();
  std::int64_t foreign = 0;
  while (graph.node_types[0].part[static_cast<std::size_t>(foreign)] == 0) {
    ++foreign;
  }
  std::vector<std::int64_t> const others(own.size(), foreign);
  glt_test::save_tensor(folder / "graph/rows.pt", others);
  glt_test::save_tensor(folder / "graph/cols.pt", others);
  CHECK(names(refused(dir / "set"), "neither start nor end in part 0"));

  fresh();
  auto book = graph.edge_types[0].part;
  book[static_cast<std::size_t>(own[0])] = 1;
  glt_test::save_tensor(dir / "set/edge_pb.pt", book);
  CHECK(names(refused(dir / "set"), "which is in part 1"));
  book[0] = 2;
  glt_test::save_tensor(dir / "set/edge_pb.pt", book);
  CHECK(names(refused(dir / "set"), "edge_pb.pt", "puts 0 into part 2"));
  book = graph.edge_types[0].part;
  book.push_back(0);
  glt_test::save_tensor(dir / "set/edge_pb.pt", book);
  CHECK(names(refused(dir / "set"), "20 rows for 21"));

  for (char const* const ids : {"graph/eids.pt", "graph/rows.pt", "node_feat/ids.pt"}) {
    fresh();
    glt_test::save_bools(folder / ids, std::ssize(std::string(ids).starts_with("graph") ? own : nodes));
    CHECK(names(refused(dir / "set"), ids, "type bool, not numbers"));
  }

  fresh();
  fs::remove(folder / "node_feat/feats.pt");
  CHECK(names(refused(dir / "set"), "list", "of 9"));
  fresh();
  glt_test::save_tensor(folder / "node_feat/feats.pt", std::vector<float>(3, 0), {1, 3});
  CHECK(names(refused(dir / "set"), "feats.pt", "wrong row count"));
  fresh();
  glt_test::save_tensor(folder / "node_feat/feats.pt", std::vector<float>(nodes.size() * 3, 0), {std::ssize(nodes), 3});
  CHECK(names(refused(dir / "set"), "another type or size"));
  fresh();
  fs::remove(folder / "graph/cols.pt");
  CHECK(names(refused(dir / "set"), "cols.pt", "no such file"));
  fresh();
  fs::remove(folder / "graph/eids.pt");
  fs::remove(dir / "set/part1/graph/eids.pt");
  fs::remove(dir / "set/edge_pb.pt");
  CHECK(names(refused(dir / "set"), "edges without ids"));
  fresh(true);
  fs::remove(dir / "set/META");
  CHECK(names(refused(dir / "set"), "META", "no such file"));
}

TEST_CASE("A META that says nothing of use is refused") {
  glt_test::scratch_folder const dir;
  auto const fault = [&](std::string const& value) {
    glt_test::write_bytes(dir / "META", whole(value));
    return refused(dir.path());
  };
  auto const meta = [&](std::string const& parts, std::string const& kind, std::string const& nodes,
                        std::string const& edges) {
    return fault(dict({{text("num_parts"), parts},
                       {text("data_cls"), kind},
                       {text("node_types"), nodes},
                       {text("edge_types"), edges}}));
  };
  CHECK(names(fault(none()), "META", "None where a dict"));
  CHECK(names(fault(dict({})), "there are 0 parts"));
  CHECK(names(meta(integer(std::int64_t{1} << 40), text("homo"), none(), none()), "1099511627776 parts"));
  CHECK(names(meta(integer(2), text("else"), none(), none()), "neither 'homo' nor 'hetero'"));
  CHECK(names(meta(integer(2), text("hetero"), none(), none()), "no list of node_types"));
  CHECK(names(meta(integer(2), text("hetero"), list({integer(1)}), list({})), "an integer as the name of a type"));
  CHECK(names(meta(integer(2), text("hetero"), list({text("../../x")}), list({})), "names no file"));
  CHECK(names(meta(integer(2), text("hetero"), list({}), list({text("a")})), "three names"));
  CHECK(names(meta(integer(2), text("hetero"), list({}), list({tuple({text("a"), text("b"), text("c")})})),
              "vertex type 'a'"));
}
