// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What glt-partition makes within a limit of memory, and on several ranks, is what it makes in memory.
#include <doctest/doctest.h>

#include <glt/io/array/npy.hpp>
#include <glt/io/parts/parts_folder.hpp>

#include "support/archives.hpp"
#include "support/partition_tool.hpp"
#include "support/places.hpp"
#include "support/scratch.hpp"
#include "support/wordnet_files.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace fs = std::filesystem;
using namespace glt_test;

namespace {

void write_pairs(fs::path const& file, std::int64_t count, std::int64_t sources, std::int64_t destinations,
                 std::uint64_t key) {
  auto pairs = random_ids(count, sources, key);
  auto const second = random_ids(count, destinations, key + 1000);
  pairs.insert(pairs.end(), second.begin(), second.end());
  glt::io::write_npy(file, glt::host_matrix<std::int64_t const>(pairs.data(), 2, count));
}

void write_rows(fs::path const& file, std::int64_t rows, std::int64_t columns) {
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 251) / 4;
  }
  glt::io::write_npy(file, glt::host_matrix<float const>(values.data(), rows, columns));
}

// The different ones of as many random ids; a split has every vertex once.
std::vector<std::int64_t> random_split(std::int64_t count, std::int64_t vertices, std::uint64_t key) {
  auto const ids = random_ids(count, vertices, key);
  std::vector<std::int64_t> made;
  for (auto const id : ids) {
    if (std::ranges::count(made, id) == 0) {
      made.push_back(id);
    }
  }
  return made;
}

// Papers and authors with everything that a graph with types may have.
void write_typed(fs::path const& folder) {
  constexpr std::int64_t papers = 300;
  constexpr std::int64_t authors = 140;
  fs::create_directory(folder);
  write_pairs(folder / "edge_index.author__writes__paper.npy", 900, authors, papers, 1);
  write_pairs(folder / "edge_index.paper__by__author.npy", 800, papers, authors, 2);
  write_pairs(folder / "edge_index.paper__cites__paper.npy", 2000, papers, papers, 3);
  glt::io::write_npy(folder / "edge_weight.author__writes__paper.npy", std::vector<float>(900, 0.5F));
  glt::io::write_npy(folder / "edge_time.paper__cites__paper.npy", random_ids(2000, 50, 4));
  write_rows(folder / "edge_feat.paper__cites__paper.npy", 2000, 3);
  write_pairs(folder / "train_edge.author__writes__paper.npy", 60, authors, papers, 5);
  write_pairs(folder / "test_edge.author__writes__paper.npy", 30, authors, papers, 6);
  write_pairs(folder / "test_edge_neg.author__writes__paper.npy", 70, authors, papers, 7);
  write_rows(folder / "node_feat.paper.npy", papers, 4);
  write_rows(folder / "node_feat.author.npy", authors, 2);
  glt::io::write_npy(folder / "node_label.paper.npy", random_ids(papers, 7, 8));
  glt::io::write_npy(folder / "node_time.paper.npy", random_ids(papers, 100, 9));
  glt::io::write_npy(folder / "train_idx.paper.npy", random_split(40, papers, 10));
  glt::io::write_npy(folder / "train_idx.author.npy", random_split(20, authors, 11));
}

#ifdef GLT_TEST_LAUNCHER
constexpr bool has_ranks = true;
std::string launcher(int ranks) {
  return std::string(glt_test::places::launcher) + " -n " + std::to_string(ranks);
}
#else
constexpr bool has_ranks = false;
std::string launcher(int) {
  return "";
}
#endif

// Runs the tool on an input in memory, within a limit, and on ranks, and compares folders and reports.
void check_same(scratch_folder const& scratch, std::string const& arguments, std::vector<int> const& ranks = {2, 3},
                std::string const& limit = "24MB") {
  CAPTURE(arguments);
  auto const report = scratch / "report.json";
  auto const out = scratch / "out";
  struct made {
    std::map<std::string, std::string> files;
    std::string report;
  };
  auto const run = [&](std::string const& more, std::string const& launch) {
    auto const ran =
        run_tool(scratch, arguments + " --out " + out.string() + " --report " + report.string() + more, launch);
    CAPTURE(more);
    CAPTURE(launch);
    CAPTURE(ran.errors);
    REQUIRE(ran.status == 0);
    made result{files_of(out), read_bytes(report)};
    fs::remove_all(out);
    fs::remove(report);
    for (auto const& entry : fs::directory_iterator(scratch.path())) {
      CHECK(!entry.path().filename().string().starts_with("out"));
    }
    return result;
  };
  auto const expected = run("", "");
  CHECK(!expected.files.empty());
  auto const check = [&](made const& found) {
    CHECK(found.report == expected.report);
    REQUIRE(found.files.size() == expected.files.size());
    for (auto const& [path, bytes] : expected.files) {
      CAPTURE(path);
      REQUIRE(found.files.contains(path));
      CHECK((found.files.at(path) == bytes));
    }
  };
  check(run(" --memory " + limit, ""));
  for (int const number : ranks) {
    if (has_ranks) {
      check(run("", launcher(number)));
    }
  }
}

} // namespace

TEST_CASE("types, edge features and link splits: on disk and on ranks as in memory") {
  scratch_folder const scratch;
  write_typed(scratch / "set");
  auto const set = (scratch / "set").string();
  check_same(scratch, set + " --parts 3 --halo --method ldg --passes 2");
  check_same(scratch, set + " --parts 3 --method fennel --balance vertices,edges,seeds,types", {2});
  check_same(scratch, set + " --parts 3 --method multilevel --balance vertices,edges,seeds,types", {2});
  check_same(scratch, set + " --parts 4 --method contiguous --balance edges,vertices", {2});
  check_same(scratch, set + " --parts 2 --method random", {3});
}

TEST_CASE("limits without types: on disk and on ranks as in memory") {
  scratch_folder const scratch;
  write_folder(scratch / "set", 400, 3000, 3);
  auto const set = (scratch / "set").string();
  check_same(scratch, set + " --parts 3 --method ldg --balance vertices,edges,seeds --slack 0.01", {3});
  check_same(scratch, set + " --parts 3 --method multilevel", {3});
  check_same(scratch, set + " --parts 3 --method contiguous --balance seeds", {2});
  check_same(scratch, set + " --parts 5 --method contiguous", {});
}

TEST_CASE("hot rows and parts by frequency: on disk and on ranks as in memory") {
  scratch_folder const scratch;
  write_typed(scratch / "typed");
  write_folder(scratch / "plain", 300, 2500, 3);
  auto const typed = (scratch / "typed").string();
  auto const plain = (scratch / "plain").string();
  check_same(scratch, plain + " --parts 3 --method frequency --balance vertices,edges --fanout 4,3", {2});
  check_same(scratch, plain + " --parts 4 --cache-ratio 0.1 --fanout 5,5", {3});
  check_same(scratch, typed + " --parts 3 --method frequency --cache-ratio 0.05 --halo", {2});
}

TEST_CASE("every format: on disk and on ranks as in memory") {
  scratch_folder const scratch;
  auto const lines = [](std::int64_t count, std::int64_t bound, std::int64_t plus, char const* more) {
    std::string text;
    auto const ids = random_ids(2 * count, bound, static_cast<std::uint64_t>(count));
    for (std::size_t i = 0; i < ids.size(); i += 2) {
      text += std::to_string(ids[i] + plus) + " " + std::to_string(ids[i + 1] + plus) + more + "\n";
    }
    return text;
  };
  write_bytes(scratch / "graph.txt", "# a comment\n" + lines(700, 90, 5, ""));
  check_same(scratch, (scratch / "graph.txt").string() + " --parts 3 --halo");
  write_bytes(scratch / "packed.txt.gz", gzip(lines(300, 50, 0, "")));
  check_same(scratch, (scratch / "packed.txt.gz").string() + " --parts 2 --method fennel", {2});
  write_bytes(scratch / "graph.mtx",
              "%%MatrixMarket matrix coordinate real general\n60 60 500\n" + lines(500, 60, 1, " 0.25"));
  check_same(scratch, (scratch / "graph.mtx").string() + " --parts 3", {2});
  write_bytes(scratch / "ring.graph", "5 5\n2 5\n1 3\n2 4\n3 5\n1 4\n");
  check_same(scratch, (scratch / "ring.graph").string() + " --parts 2", {3});
  write_wordnet(scratch / "wordnet");
  check_same(scratch, (scratch / "wordnet").string() + " --parts 2", {2}, "2GB");
  write_zip(scratch / "small.npz",
            {{"edges.npy", npy_bytes("<i8", "(3, 2)", raw(std::vector<std::int64_t>{0, 2, 1, 1, 2, 0}))},
             {"node_labels.npy", npy_longs({0, 1, 0})}});
  check_same(scratch, (scratch / "small.npz").string() + " --parts 2", {2});
}

TEST_CASE("OGB sets with and without types: on disk and on ranks as in memory") {
  scratch_folder const scratch;
  auto const column = [](std::vector<std::int64_t> const& values, std::int64_t columns) {
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i) {
      text += std::to_string(values[i]) + (static_cast<std::int64_t>(i + 1) % columns == 0 ? "\n" : ",");
    }
    return text;
  };
  auto const plain = scratch / "plain";
  write_gzip(plain / "raw/num-node-list.csv.gz", "50\n");
  write_gzip(plain / "raw/num-edge-list.csv.gz", "400\n");
  write_gzip(plain / "raw/edge.csv.gz", column(random_ids(800, 50, 1), 2));
  write_gzip(plain / "raw/edge-feat.csv.gz", column(random_ids(1200, 9, 2), 3));
  write_gzip(plain / "raw/node-feat.csv.gz", column(random_ids(100, 99, 3), 2));
  write_gzip(plain / "raw/node-label.csv.gz", column(random_ids(50, 4, 4), 1));
  write_gzip(plain / "split/time/train.csv.gz", "3\n0\n7\n");
  write_gzip(plain / "split/time/valid.csv.gz", "1\n");
  write_gzip(plain / "split/time/test.csv.gz", "2\n");
  check_same(scratch, plain.string() + " --parts 3 --halo --balance edges,seeds");

  auto const typed = scratch / "typed";
  write_gzip(typed / "raw/num-node-dict.csv.gz", "author,paper\n20,30\n");
  write_gzip(typed / "raw/nodetype-has-feat.csv.gz", "author,paper\nFalse,True\n");
  write_gzip(typed / "raw/triplet-type-list.csv.gz", "author,writes,paper\npaper,cites,paper\n");
  auto const relations = typed / "raw/relations";
  write_gzip(relations / "author___writes___paper/edge.csv.gz", column(random_ids(100, 20, 5), 2));
  write_gzip(relations / "author___writes___paper/num-edge-list.csv.gz", "50\n");
  write_gzip(relations / "paper___cites___paper/edge.csv.gz", column(random_ids(200, 30, 6), 2));
  write_gzip(typed / "raw/node-feat/paper/node-feat.csv.gz", column(random_ids(60, 99, 7), 2));
  check_same(scratch, typed.string() + " --parts 2 --method fennel", {2});
}

TEST_CASE("parts that a file gives, as those of another library: on disk and on ranks as in memory") {
  scratch_folder const scratch;
  write_typed(scratch / "typed");
  glt::io::write_npy(scratch / "typed/part.npy", random_ids(440, 3, 12)); // authors, then papers
  auto const arguments = (scratch / "typed").string() + " --method file --assignment " +
                         (scratch / "typed/part.npy").string() + " --halo --parts ";
  check_same(scratch, arguments + "3", {3});
  auto const refused = run_tool(scratch, arguments + "2 --memory 100MB --out " + (scratch / "out").string());
  CHECK(refused.status == 1);
  CHECK(has(refused.errors, "is 2, outside [0, 2)"));
}

TEST_CASE("a cache without training vertices is refused, and empty parts are named") {
  scratch_folder const scratch;
  write_folder(scratch / "set", 30, 200, 2);
  fs::remove(scratch / "set" / "train_idx.npy");
  auto const arguments = (scratch / "set").string() + " --out " + (scratch / "out").string() + " --parts ";
  for (std::string const limit : {"", " --memory 100MB"}) {
    auto const refused = run_tool(scratch, arguments + "2 --cache-ratio 0.1" + limit);
    CHECK(refused.status == 1);
    CHECK(has(refused.errors, "--cache-ratio of a data set without training vertices"));
    CHECK(!fs::exists(scratch / "out"));
    auto const both = run_tool(scratch, arguments + "31 --cache-ratio 0.1" + limit); // the same of two faults first
    CHECK(has(both.errors, "--cache-ratio of a data set without training vertices"));
    auto const many = run_tool(scratch, arguments + "25 --method hash" + limit);
    CHECK(many.status == 0);
    CHECK(has(many.out, " of 25 parts have no vertices: "));
    fs::remove_all(scratch / "out");
    auto const full = run_tool(scratch, arguments + "25 --slack 1" + limit);
    CHECK(full.status == 0);
    CHECK_FALSE(has(full.out, "have no vertices"));
    fs::remove_all(scratch / "out");
  }
}

TEST_CASE("an id out of range is told with its file, in memory and on disk") {
  scratch_folder const scratch;
  write_folder(scratch / "set", 30, 200, 2);
  std::vector<std::int64_t> const pairs{0, 1, 2, 3, 30, 4};
  std::vector<std::int32_t> const narrow(pairs.begin(), pairs.end());
  std::vector<std::int64_t> const shape{2, 3};
  std::vector<std::int64_t> const splits{30, 2};
  for (std::string const name : {"edge_index", "valid_edge", "test_edge_neg", "test_idx"}) {
    auto const file = scratch / "set" / (name + ".npy");
    auto const good = fs::exists(file) ? read_bytes(file) : std::string();
    for (bool const is_narrow : {false, true}) {
      if (name == "test_idx") {
        glt::io::write_npy(file, splits);
      } else if (is_narrow) { // which does not stay in its file
        glt::io::write_npy(file, narrow, shape);
      } else {
        glt::io::write_npy(file, pairs, shape);
      }
      auto const what = name == "test_idx"     ? "id 0"
                        : name == "edge_index" ? "destination of edge 1"
                                               : "destination of pair 1";
      auto const expected = file.string() + ": " + what +
                            " is 30, outside [0, 30), the vertices of type 'node'; correct the id or the number of "
                            "vertices";
      for (std::string const change : {"", " --normalize", " --add-self-loops", " --add-reverse"}) {
        for (std::string const limit : {"", " --memory 100MB"}) {
          CAPTURE(change + limit);
          auto const refused = run_tool(scratch, (scratch / "set").string() + " --parts 2 --out " +
                                                     (scratch / "out").string() + change + limit);
          CHECK(refused.status == 1);
          CHECK(has(refused.errors, expected.c_str()));
        }
      }
    }
    good.empty() ? static_cast<void>(fs::remove(file)) : write_bytes(file, good);
  }
}

TEST_CASE("splits that share something are noted, and refused by --strict, in memory and on disk") {
  scratch_folder const scratch;
  write_folder(scratch / "set", 30, 200, 2);
  glt::io::write_npy(scratch / "set" / "valid_idx.npy", std::vector<std::int64_t>{3, 7, 9});
  auto const arguments = (scratch / "set").string() + " --parts 2 --out " + (scratch / "out").string();
  for (std::string const limit : {"", " --memory 100MB"}) {
    auto const strict = run_tool(scratch, arguments + " --strict" + limit);
    CHECK(strict.status == 1);
    CHECK(has(strict.errors, "--strict: 1 vertices of type 'node' are in train_idx and valid_idx, such as 7"));
    CHECK(!fs::exists(scratch / "out"));
    for (bool const checks : {true, false}) {
      auto const noted = run_tool(scratch, arguments + limit + (checks ? "" : " --strict --no-check-splits"));
      CHECK(noted.status == 0);
      CHECK(has(noted.out, "note: 1 vertices of type 'node' are in train_idx and valid_idx") == checks);
      fs::remove_all(scratch / "out");
    }
  }
}

TEST_CASE("what is done to a data set first: on disk and on ranks as in memory") {
  scratch_folder const scratch;
  write_folder(scratch / "set", 100, 900, 3);
  check_same(scratch, (scratch / "set").string() + " --parts 2 --symmetrize --normalize", {2});
  write_typed(scratch / "typed");
  check_same(scratch, (scratch / "typed").string() + " --parts 2 --add-reverse", {2});
  std::vector<float> features(300, 1);
  features[77] = std::numeric_limits<float>::infinity();
  glt::io::write_npy(scratch / "set" / "node_feat.npy", glt::host_matrix<float const>(features.data(), 100, 3));
  auto const arguments = (scratch / "set").string() + " --parts 2 --out " + (scratch / "out").string();
  for (int const ranks : {1, 2}) {
    auto const refused =
        run_tool(scratch, arguments + " --memory 100MB", ranks > 1 && has_ranks ? launcher(ranks) : "");
    CHECK(refused.status == 1);
    CHECK(has(refused.errors, "features 'node_feat' of vertices 'node': row 25, column 2 is not finite"));
    CHECK(!fs::exists(scratch / "out"));
  }
}
