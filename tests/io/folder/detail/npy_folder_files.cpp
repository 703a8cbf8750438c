// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/folder/detail/npy_folder_files.hpp>

#include <initializer_list>
#include <string>

using namespace glt;
using namespace glt_test;

namespace {

// Files of these names, empty: only names are looked at.
void write_names(scratch_folder const& scratch, std::initializer_list<char const*> files) {
  for (char const* const file : files) {
    write_bytes(scratch / file, "");
  }
}

std::string fault_of(std::initializer_list<char const*> files) {
  scratch_folder const scratch;
  write_names(scratch, files);
  return thrown<io_error>([&] { io::detail::npy_folder_files const found(scratch.path()); });
}

} // namespace

TEST_CASE("a graph without types has one type of each") {
  scratch_folder const scratch;
  write_names(scratch, {"edge_index.npy", "node_label.npy", "valid_edge_neg.npy", "node_feat.csr.npz", "README.md",
                        "edge_index_raw.npy", "edge_index.csr.npz", "node_feat_present.npy"});
  io::detail::npy_folder_files const files(scratch.path() / "");
  CHECK(files.name() == scratch.path().filename().string());
  CHECK(files.num_files() == 4);
  REQUIRE(files.node_types().size() == 1);
  REQUIRE(files.edge_types().size() == 1);
  CHECK(files.node_types()[0].name == "node");
  CHECK(files.edge_types()[0].source == "node");
  CHECK(files.find("node_feat", "") == scratch / "node_feat.csr.npz");
  CHECK(files.find("valid_edge_neg", "") == scratch / "valid_edge_neg.npy");
  CHECK(!files.find("node_time", ""));
}

TEST_CASE("types come from the names, in alphabetical order, and dense features before sparse ones") {
  scratch_folder const scratch;
  write_names(scratch, {"edge_index.paper__to__author.npy", "edge_index.paper__in__conf.npy",
                        "edge_time.paper__in__conf.npy", "node_feat.author.npy", "node_feat.author.csr.npz"});
  io::detail::npy_folder_files const files(scratch.path());
  REQUIRE(files.edge_types().size() == 2);
  CHECK(files.edge_types()[0].name == "in");
  CHECK(files.edge_types()[0].destination == "conf");
  CHECK(files.edge_types()[1].name == "to");
  REQUIRE(files.node_types().size() == 3);
  CHECK(files.node_types()[0].name == "author");
  CHECK(files.node_types()[1].name == "conf");
  CHECK(files.node_types()[2].name == "paper");
  CHECK(files.find("node_feat", ".author") == scratch / "node_feat.author.npy");
  CHECK(files.find("edge_time", files.edge_types()[0].suffix).has_value());
}

TEST_CASE("arrays that are not read, but nearly named like those that are, are told") {
  scratch_folder const scratch;
  write_names(scratch, {"edge_index.a__b__c.npy", "node_labels.a.npy", "timestamps.npy", "node_feat_raw.npy",
                        "edge_weight.csr.npz", "notes.txt"});
  auto const found = io::detail::npy_folder_files(scratch.path()).nearly_known();
  REQUIRE(found.size() == 2);
  CHECK(found[0].first == scratch / "node_labels.a.npy");
  CHECK(found[0].second == "node_label.a.npy");
  CHECK(found[1].second == "edge_time.npy");
  CHECK(names(fault_of({"edge_idx.npy"}), "holds no edge_index.npy (is it edge_idx.npy?)"));
}

TEST_CASE("names that contradict each other are refused") {
  CHECK(names(fault_of({}), "no edge_index.npy"));
  CHECK(names(fault_of({"node_feat.npy"}), "no edge_index.npy"));
  for (char const* const type : {"edge_index.paper.npy", "edge_index.a__b.npy", "edge_index.a____b.npy",
                                 "edge_index.__a__b.npy", "edge_index.a__b__.npy", "edge_index.a__b__c__d.npy",
                                 "edge_index.a___r___b.npy", "edge_index.a__r___b.npy", "edge_index.a___r__b.npy"}) {
    CHECK(names(fault_of({type}), type, "source__relation__destination"));
  }
  CHECK(names(fault_of({"edge_index.npy", "edge_index.a__b__c.npy"}), "edge_index.npy", "no types"));
  CHECK(names(fault_of({"edge_index.npy", "node_feat.paper.npy"}), "node_feat.paper.npy", "'paper'"));
  CHECK(names(fault_of({"edge_index.a__b__c.npy", "train_idx.npy"}), "train_idx.npy", "train_idx.TYPE.npy"));
  CHECK(names(fault_of({"edge_index.a__b__c.npy", "train_idx.b.npy"}), "train_idx.b.npy", "'b'"));
  CHECK(names(fault_of({"edge_index.a__b__c.npy", "edge_time.a__x__c.npy"}), "'a__x__c'"));
  CHECK(names(thrown<io_error>([] { io::detail::npy_folder_files const files("/no/such/folder"); }), "/no/such/folder",
              "is no folder"));
}
