// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archives.hpp"
#include "support/errors.hpp"
#include "support/folder_files.hpp"
#include "support/public_data.hpp"
#include "support/scratch.hpp"

#include <glt/io/array/npy.hpp>
#include <glt/io/folder/detail/npy_folder.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

using ids = std::vector<global_id>;

io::raw_data read(named_files const& all, io::detail::npy_folder_options const& options = {}) {
  scratch_folder const scratch;
  write(scratch, all);
  return io::detail::read_npy_folder(scratch.path(), options);
}

std::string fault_of(named_files const& all) {
  return thrown<io_error>([&] { static_cast<void>(read(all)); });
}

} // namespace

TEST_CASE("everything that a folder may hold is read") {
  auto const data = read(small_folder());
  REQUIRE(data.nodes.size() == 1);
  REQUIRE(data.edges.size() == 1);
  auto const& nodes = data.nodes[0];
  CHECK(nodes.name == "node");
  CHECK(nodes.num_nodes == 4);
  REQUIRE(nodes.features.size() == 1);
  CHECK(nodes.features[0].name == "node_feat");
  CHECK(nodes.features[0].values.matrix<float>()(3, 0) == 7);
  CHECK(nodes.labels.values<std::int32_t>()[2] == 2);
  CHECK(nodes.times == ids{1990, 1991, 1992, 1993});
  CHECK(nodes.train == ids{3, 0});
  CHECK(nodes.valid == ids{1});
  CHECK(nodes.test.empty());
  auto const& edges = data.edges[0];
  CHECK(edges.sources == ids{0, 1, 2, 2, 0});
  CHECK(edges.destinations == ids{1, 2, 2, 0, 1});
  CHECK(edges.features[0].values.type() == element_type::float16);
  CHECK(edges.weights == std::vector<float>{1, 2, 3, 4, 5});
  CHECK(edges.times == ids{5, 4, 3, 2, 1});
  REQUIRE(edges.links.size() == 2);
  CHECK(edges.links[0].name == "valid");
  CHECK(edges.links[0].edges.destinations == ids{3});
  CHECK(edges.links[0].negatives.sources == ids{0, 1});
  CHECK(edges.links[1].name == "test");
  CHECK(edges.links[1].edges.sources.empty());
  CHECK(edges.links[1].negatives.destinations == ids{3});
}

TEST_CASE("without rows of vertices the highest id counts them, and a number says it") {
  std::vector<std::string> const rows{"node_feat.npy", "node_label.npy", "node_time.npy"};
  CHECK(read(without(small_folder(), rows)).nodes[0].num_nodes == 4); // of a pair to predict
  auto alone = without(small_folder(), rows);
  alone.emplace_back("num_nodes.npy", npy_longs({9}));
  CHECK(read(alone).nodes[0].num_nodes == 9);
  CHECK(read(with(without(small_folder(), rows), "meta.json", R"({"nodes": 11})")).nodes[0].num_nodes == 11);
  CHECK(read({{"edge_index.npy", npy_pairs({})}}).nodes[0].num_nodes == 0);
  CHECK(read({{"edge_index.npy", npy_pairs({0, 0})}}).nodes[0].num_nodes == 1);
}

TEST_CASE("types are read from names, and sparse features become dense") {
  scratch_folder const scratch;
  write_bytes(scratch / "edge_index.paper__to__author.npy", npy_pairs({0, 4, 1, 0}));
  write_bytes(scratch / "edge_index.author__knows__author.npy", npy_pairs({0, 1}));
  write_bytes(scratch / "edge_weight.paper__to__author.npy", npy_floats({2, 3}));
  write_bytes(scratch / "node_label.author.npy", npy_longs({0, 1, 0}));
  write_bytes(scratch / "train_idx.author.npy", npy_longs({2}));
  write_zip(scratch / "node_feat.author.csr.npz", {{"indices.npy", npy_longs({1})},
                                                   {"indptr.npy", npy_longs({0, 0, 1, 1})},
                                                   {"shape.npy", npy_longs({3, 2})},
                                                   {"data.npy", npy_floats({5})}});
  auto const data = io::detail::read_npy_folder(scratch.path());
  REQUIRE(data.nodes.size() == 2);
  CHECK(data.nodes[0].name == "author");
  CHECK(data.nodes[0].num_nodes == 3);
  CHECK(data.nodes[0].features[0].values.matrix<float>()(1, 1) == 5);
  CHECK(data.nodes[0].train == ids{2});
  CHECK(data.nodes[1].name == "paper");
  CHECK(data.nodes[1].num_nodes == 5);
  REQUIRE(data.edges.size() == 2);
  CHECK(data.edges[0].name == "knows");
  CHECK(data.edges[1].source == "paper");
  CHECK(data.edges[1].destinations == ids{1, 0});
  CHECK(data.edges[1].weights == std::vector<float>{2, 3});
  CHECK(names(thrown<io_error>([&] {
                static_cast<void>(io::detail::read_npy_folder(scratch.path(), {.dense = {.max_bytes = 23}}));
              }),
              "node_feat.author.csr.npz", "23 bytes"));
  write_bytes(scratch / "edge_index.author__knows__author.npy", npy_pairs({0, 3}));
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::detail::read_npy_folder(scratch.path())); }),
              "edge_index.author__knows__author.npy", " of edge 0 is 3", "'author'"));
}

TEST_CASE("arrays of the wrong row count are refused") {
  CHECK(names(fault_of(with(small_folder(), "node_feat.npy", npy_bytes("<f4", "(5, 1)", std::string(20, '\0')))),
              "wrong row count", "vertices of type 'node'"));
  CHECK(names(fault_of(with(small_folder(), "node_label.npy", npy_longs({1, 2, 3}))), "node_label.npy",
              "wrong row count", "3 rows for 4"));
  CHECK(names(fault_of(with(small_folder(), "node_time.npy", npy_longs({1}))), "node_time.npy", "1 rows for 4"));
  CHECK(names(fault_of(with(small_folder(), "num_nodes.npy", npy_longs({5}))), "node_feat.npy", "4 rows for 5"));
  CHECK(names(fault_of(with(small_folder(), "meta.json", R"({"num_nodes": 5})")), "node_feat.npy", "4 rows for 5"));
  CHECK(names(fault_of(with(small_folder(), "meta.json", "{")), "meta.json", "no JSON"));
  CHECK(names(fault_of(with(small_folder(), "edge_feat.npy", npy_floats({1}))), "edge_feat.npy", "1 rows for 5"));
  CHECK(names(fault_of(with(small_folder(), "edge_weight.npy", npy_floats({1}))), "edge_weight.npy", "1 rows for 5"));
  CHECK(names(fault_of(with(small_folder(), "edge_time.npy", npy_longs({1}))), "edge_time.npy", "1 rows for 5"));
  for (double const bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto const times = npy_bytes("<f8", "(5,)", raw(std::vector<double>{1, 2, bad, 4, 5}));
    CHECK(names(fault_of(with(small_folder(), "edge_time.npy", times)), "edge_time.npy", "element 2 is",
                "no whole number"));
    auto const of_nodes = npy_bytes("<f8", "(4,)", raw(std::vector<double>{bad, 2, 3, 4}));
    CHECK(names(fault_of(with(small_folder(), "node_time.npy", of_nodes)), "node_time.npy", "element 0 is",
                "no whole number"));
  }
  auto const weights = npy_bytes("<f8", "(5,)", raw(std::vector<double>{1, 2, 3, 1e300, 5}));
  CHECK(names(fault_of(with(small_folder(), "edge_weight.npy", weights)), "edge_weight.npy", "element 3 is 1e+300",
              "float32"));
}

TEST_CASE("ids that no vertex has are refused, and their file is named") {
  for (char const* const name : {"edge_index.npy", "valid_edge.npy", "valid_edge_neg.npy", "test_edge_neg.npy"}) {
    auto all = without(small_folder(), {"edge_feat.npy", "edge_weight.npy", "edge_time.npy"});
    CHECK(names(fault_of(with(all, name, npy_pairs({0, 4, 0, 1}))), name, "source of ", " 1 is 4",
                "outside [0, 4), the vertices of type 'node'; correct the id or the number"));
    CHECK(names(fault_of(with(all, name, npy_pairs({0, 1, -1, 1}))), name, "destination of ", " 0 is -1"));
  }
  for (char const* const name : {"train_idx.npy", "valid_idx.npy", "test_idx.npy"}) {
    CHECK(names(fault_of(with(small_folder(), name, npy_longs({0, 1, 4}))), name, "id 2 is 4"));
    CHECK(names(fault_of(with(small_folder(), name, npy_longs({-7}))), name, "id 0 is -7"));
    CHECK(names(fault_of(with(small_folder(), name, npy_pairs({0, 1}))), name, "one dimension"));
  }
  CHECK(names(fault_of({{"edge_index.npy", npy_pairs({0, INT64_MAX})}}), "edge_index.npy", "destination of edge 0",
              "outside"));
  CHECK(names(fault_of({{"edge_index.npy", npy_pairs({0, -1})}}), "edge_index.npy", "destination of edge 0 is -1"));
}

TEST_CASE("arrays of another shape or damaged ones are refused") {
  CHECK(names(fault_of(with(small_folder(), "edge_index.npy", npy_bytes("<i8", "(5, 2)", std::string(80, '\0')))),
              "edge_index.npy", "(5, 2)", "transpose"));
  CHECK(names(fault_of(with(small_folder(), "num_nodes.npy", npy_longs({1, 2}))), "num_nodes.npy", "single number"));
  CHECK(names(fault_of(with(small_folder(), "num_nodes.npy", npy_longs({-1}))), "num_nodes.npy", "0 or more"));
  for (auto const& [name, bytes] : small_folder()) {
    if (name != "edge_index_raw.npy") {
      CHECK(names(fault_of(with(small_folder(), name, bytes.substr(0, 30))), name));
    }
  }
}

TEST_CASE("progress is told by files, and may end the work") {
  std::vector<std::int64_t> done;
  io::detail::npy_folder_options options;
  options.reading.on_progress = [&](io::task_progress const& now) {
    done.push_back(now.done);
    CHECK(now.total == 13);
  };
  static_cast<void>(read(small_folder(), options));
  CHECK(done.size() == 13);
  CHECK(std::ranges::is_sorted(done));
  options.reading.on_progress = [](io::task_progress const&) { throw std::runtime_error("enough"); };
  CHECK(thrown<std::runtime_error>([&] { static_cast<void>(read(small_folder(), options)); }) == "enough");
}

namespace {

// The set, or nothing where it is missing; without a file whose rows are too wide for a test.
io::raw_data public_set(std::string const& name) {
  auto const folder = public_data(name);
  if (!folder) {
    return {};
  }
  scratch_folder const scratch;
  std::filesystem::create_directory(scratch / name);
  for (auto const& entry : std::filesystem::directory_iterator(*folder)) {
    if (entry.path().filename() != "node_feat.paper.csr.npz") {
      std::filesystem::create_symlink(entry.path(), scratch / name / entry.path().filename());
    }
  }
  return io::detail::read_npy_folder(scratch / name);
}

} // namespace

TEST_CASE("Cora has the counts that were published" * doctest::test_suite("data planetoid-cora")) {
  if (auto const cora = public_set("planetoid-cora"); !cora.nodes.empty()) {
    CHECK(cora.name == "planetoid-cora");
    CHECK(cora.nodes[0].num_nodes == 2708);
    CHECK(cora.nodes[0].features[0].values.columns() == 1433);
    CHECK(cora.nodes[0].train.size() == 140);
    CHECK(cora.nodes[0].test.size() == 1000);
    CHECK(cora.edges[0].sources.size() == 10556);
  }
}

TEST_CASE("DBLP with types has the counts that were published" * doctest::test_suite("data hetero-dblp")) {
  if (auto const dblp = public_set("hetero-dblp"); !dblp.nodes.empty()) {
    REQUIRE(dblp.nodes.size() == 4);
    std::vector<std::int64_t> counts;
    for (auto const& nodes : dblp.nodes) {
      counts.push_back(nodes.num_nodes);
    }
    CHECK(counts == std::vector<std::int64_t>{4057, 20, 14328, 7723}); // author, conf, paper, term
    REQUIRE(dblp.edges.size() == 3);
    CHECK(dblp.edges[0].sources.size() == 85810);
    CHECK(dblp.edges[2].destination == "author");
    CHECK(dblp.edges[2].sources.size() == 19645);
    CHECK(dblp.nodes[0].train.size() == 80);
    CHECK(dblp.nodes[0].features[0].values.columns() == 334);
  }
}

TEST_CASE("PubMed in time has the counts that were published" * doctest::test_suite("data pubmed-temporal")) {
  if (auto const pubmed = public_set("pubmed-temporal"); !pubmed.nodes.empty()) {
    CHECK(pubmed.nodes[0].times.size() == 19717);
    auto const& edges = pubmed.edges[0];
    REQUIRE(edges.times.size() == 88648);
    bool latest = true;
    for (std::size_t i = 0; i < edges.times.size(); ++i) {
      auto const time = [&](global_id vertex) { return pubmed.nodes[0].times[static_cast<std::size_t>(vertex)]; };
      latest = latest && edges.times[i] == std::max(time(edges.sources[i]), time(edges.destinations[i]));
    }
    CHECK(latest);
  }
}

TEST_CASE("the messages of UCI has the counts that were published" * doctest::test_suite("data temporal-uci")) {
  if (auto const uci = public_set("temporal-uci"); !uci.nodes.empty()) {
    CHECK(uci.nodes[0].num_nodes == 1899);
    CHECK(uci.edges[0].times.size() == 59835);
    CHECK(uci.edges[0].times.front() == 1082008561);
    CHECK(std::ranges::is_sorted(uci.edges[0].times));
  }
}

TEST_CASE("DBLP of 2010 has the counts that were published" * doctest::test_suite("data webgraph-dblp-2010")) {
  if (auto const web = public_set("webgraph-dblp-2010"); !web.nodes.empty()) {
    CHECK(web.nodes[0].num_nodes == 326186); // the last three have no edges: meta.json counts them
    CHECK(web.edges[0].sources.size() == 1615400);
  }
}

TEST_CASE("Amazon Photo has the counts that were published" * doctest::test_suite("data amazon-photo")) {
  if (auto const photo = public_set("amazon-photo"); !photo.nodes.empty()) {
    CHECK(photo.nodes[0].num_nodes == 7650);
    CHECK(photo.edges[0].sources.size() == 143663);
  }
}

TEST_CASE("ogbl-ddi has the counts that were published" * doctest::test_suite("data ogbl-ddi")) {
  if (auto const ddi = public_set("ogbl-ddi"); !ddi.nodes.empty()) {
    CHECK(ddi.nodes[0].num_nodes == 4267);
    REQUIRE(ddi.edges[0].links.size() == 2);
    CHECK(ddi.edges[0].links[0].edges.sources.size() == 133489);
    CHECK(ddi.edges[0].links[0].negatives.sources.size() == 101882);
    CHECK(ddi.edges[0].links[1].negatives.sources.size() == 95599);
  }
}
