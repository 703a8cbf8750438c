// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/folder/detail/npy_folder_files.hpp>

#include <array>
#include <string_view>

using glt::io::detail::edit_distance;
using glt::io::detail::find_nearly_known;

TEST_CASE("the distance of texts is the least number of changed letters") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("edge_idx", "edge_index") == 2);
  CHECK(edit_distance("abcd", "acbd") == 2);
}

TEST_CASE("names that are nearly right lead to the right one, others to none") {
  constexpr std::array<std::string_view, 6> known{"node_feat",  "node_label",     "edge_index",
                                                  "valid_edge", "valid_edge_neg", "train_idx"};
  auto const meant = [&](std::string_view name) { return find_nearly_known(name, known).value_or("none"); };
  CHECK(meant("node_labels") == "node_label");
  CHECK(meant("node_features") == "node_feat");
  CHECK(meant("Node-Label") == "node_label");
  CHECK(meant("edge_idx") == "edge_index");
  CHECK(meant("val_edge") == "valid_edge");
  CHECK(meant("val_edge_neg") == "valid_edge_neg");
  CHECK(meant("train_ids") == "train_idx");
  CHECK(meant("timestamps") == "edge_time");
  CHECK(meant("y") == "node_label");
  CHECK(meant("edge_index_raw") == "none");
  CHECK(meant("node_feat_present") == "none");
  CHECK(meant("readme") == "none");
}
