// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/parts/detail/parts_files.hpp>

#include <set>
#include <string>

using namespace glt;
namespace paths = glt::io::detail;

TEST_CASE("plain names are file names as they are") {
  CHECK(paths::part_folder(12) == "part-12");
  CHECK(paths::node_folder("node_A-1") == "node_A-1");
  CHECK(paths::edge_folder({"node", "edge", "node"}) == "node.edge.node");
  CHECK(paths::feature_file("feat") == "feat.npy");
  CHECK(paths::hot_feature_file("feat") == "hot-feat.npy");
  CHECK(paths::links_file("train", false) == "links-train.edges.npy");
  CHECK(paths::links_file("train", true) == "links-train.negatives.npy");
}

TEST_CASE("no name leads elsewhere") {
  CHECK(paths::node_folder("../x") == "%2E%2E%2Fx");
  CHECK(paths::node_folder("..") == "%2E%2E");
  CHECK(paths::node_folder("\xFF%") == "%FF%25");
  CHECK(paths::edge_folder({"a.b", "/", ""}) == "a%2Eb.%2F.");
  CHECK(paths::feature_file("") == ".npy");
}

TEST_CASE("different names have different files, also beside the arrays that have names of their own") {
  std::set<std::string> files{"original.npy", "labels.npy",  "times.npy",    "train.npy",   "valid.npy", "test.npy",
                              "offsets.npy",  "sources.npy", "edge_ids.npy", "weights.npy", "halo.npy",  "hot_ids.npy"};
  auto const before = files.size();
  int names = 0;
  for (char const* name :
       {"original", "labels",   "times", "train",   "valid", "test", "offsets",          "sources",
        "edge_ids", "weights",  "halo",  "hot_ids", "feat",  "Feat", "feature-labels",   "feature-feat",
        "feature-", "hot-feat", "a.b",   "a%2Eb",   "a b",   "a_b",  "links-train.edges"}) {
    files.insert(paths::feature_file(name));
    ++names;
  }
  for (char const* name : {"feat", "ids", "labels"}) {
    files.insert(paths::hot_feature_file(name));
    ++names;
  }
  CHECK(files.size() == before + static_cast<std::size_t>(names));
  CHECK(paths::edge_folder({"a", "b.c", "d"}) != paths::edge_folder({"a.b", "c", "d"}));
}
