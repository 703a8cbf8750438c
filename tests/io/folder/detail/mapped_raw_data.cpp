// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archives.hpp"
#include "support/errors.hpp"
#include "support/folder_files.hpp"
#include "support/raw_data.hpp"
#include "support/scratch.hpp"

#include <glt/io/folder/detail/mapped_raw_data.hpp>
#include <glt/io/folder/detail/npy_folder.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// Adds link splits to the files of a small folder, of which every array can stay in its file.
named_files plain() {
  return with(with(small_folder(), "train_edge.npy", npy_pairs({0, 1, 1, 2})), "train_edge_neg.npy",
              npy_pairs({0, 2, 1, 3, 3, 3}));
}

named_files typed() {
  return {{"edge_index.paper__to__author.npy", npy_pairs({0, 4, 1, 0})},
          {"edge_index.author__knows__author.npy", npy_pairs({})},
          {"edge_index.author__writes__paper.npy", npy_pairs({0, 1, 2, 3, 5, 1})},
          {"edge_feat.paper__to__author.npy", npy_bytes("|i1", "(2, 3)", "abcdef")},
          {"edge_weight.paper__to__author.npy", npy_floats({2, 3})},
          {"edge_time.author__writes__paper.npy", npy_longs({1, 2, 3})},
          {"test_edge.author__writes__paper.npy", npy_pairs({2, 5})},
          {"node_label.author.npy", npy_longs({0, 1, 0})},
          {"train_idx.author.npy", npy_longs({2})}};
}

void check_as_in_memory(named_files const& all) {
  scratch_folder const folder;
  write(folder, all);
  io::detail::mapped_raw_data const mapped(folder.path());
  auto const data = io::detail::read_npy_folder(folder.path());
  CHECK(mapped.name() == data.name);
  CHECK(mapped.view().name == data.name);
  check_same(mapped.view(), data.view());
}

std::string fault_of(named_files const& all) {
  scratch_folder const folder;
  write(folder, all);
  return thrown<io_error>([&] { io::detail::mapped_raw_data const mapped(folder.path()); });
}

} // namespace

TEST_CASE("a mapped folder is the data set that is read from it") {
  check_as_in_memory(plain());
  check_as_in_memory({{"edge_index.npy", npy_pairs({})}});
  check_as_in_memory({{"edge_index.npy", npy_pairs({0, 0})}});
  check_as_in_memory(typed());
  check_as_in_memory(without(plain(), {"train_edge.npy", "valid_edge.npy"})); // negatives alone
  check_as_in_memory(without(plain(), {"train_edge_neg.npy", "valid_edge_neg.npy", "test_edge_neg.npy"}));
}

TEST_CASE("vertices are counted as they are when it is read") {
  auto const rows = std::vector<std::string>{"node_feat.npy", "node_label.npy", "node_time.npy"};
  auto const bare = without(plain(), rows);
  check_as_in_memory(bare); // vertex 3 is in link splits only
  check_as_in_memory(with(bare, "num_nodes.npy", npy_longs({9})));
  check_as_in_memory(with(bare, "meta.json", R"({"nodes": 11})"));
  check_as_in_memory(with(bare, "meta.json", R"({"num_nodes": 12})"));
  auto const by_type = without(typed(), {"node_label.author.npy"});
  check_as_in_memory(by_type);
  check_as_in_memory(with(by_type, "meta.json", R"({"num_nodes": {"author": 8, "paper": 6}})"));
  check_as_in_memory(with(by_type, "num_nodes.paper.npy", npy_longs({7})));
  for (auto const& file : {std::pair{"num_nodes.npy", npy_longs({9, 9})}, {"num_nodes.npy", npy_longs({-1})}}) {
    CHECK(names(fault_of(with(bare, file.first, file.second)), "num_nodes.npy", "single number"));
  }
  CHECK(names(fault_of(with(plain(), "num_nodes.npy", npy_longs({5}))), "wrong row count", "4 rows for 5"));
  CHECK(names(fault_of(with(plain(), "meta.json", R"({"nodes": 11})")), "wrong row count"));
}

TEST_CASE("arrays move with the data set, which may be moved") {
  scratch_folder const folder;
  write(folder, plain());
  io::detail::mapped_raw_data first(folder.path());
  auto const second = std::move(first);
  auto const data = io::detail::read_npy_folder(folder.path());
  check_same(second.view(), data.view());
}

TEST_CASE("files whose arrays stay in them are watched, lists that were read are not") {
  for (auto const& [name, watched] : {std::pair{"edge_index.npy", true},
                                      {"edge_feat.npy", true},
                                      {"edge_weight.npy", true},
                                      {"edge_time.npy", true},
                                      {"train_edge.npy", true},
                                      {"node_feat.npy", true},
                                      {"node_label.npy", true},
                                      {"train_idx.npy", false}}) {
    scratch_folder const folder;
    write(folder, plain());
    io::detail::mapped_raw_data const mapped(folder.path());
    auto const* const inputs = mapped.view().inputs;
    REQUIRE(inputs != nullptr);
    CHECK_NOTHROW(inputs->check());
    std::filesystem::resize_file(folder / name, 8);
    if (watched) {
      CHECK(names(thrown<io_error>([&] { inputs->check(); }), name, "8 bytes instead of"));
    } else {
      CHECK_NOTHROW(inputs->check());
    }
  }
}

TEST_CASE("what cannot stay in its file is refused with its name") {
  auto const pairs32 = npy_bytes("<i4", "(2, 5)", std::string(40, '\0'));
  CHECK(names(fault_of(with(plain(), "edge_index.npy", pairs32)), "edge_index.npy", "'<i4'", "astype"));
  CHECK(names(fault_of(with(plain(), "train_edge.npy", pairs32)), "train_edge.npy", "'<i4'"));
  CHECK(names(fault_of(with(plain(), "edge_weight.npy", npy_bytes("<f8", "(5,)", std::string(40, '\0')))),
              "edge_weight.npy", "'<f8'"));
  CHECK(names(fault_of(with(plain(), "edge_time.npy", npy_bytes("<i4", "(5,)", std::string(20, '\0')))),
              "edge_time.npy", "'<i4'"));
  CHECK(names(fault_of(with(plain(), "edge_feat.npy", npy_bytes("<u2", "(5,)", std::string(10, '\0')))),
              "edge_feat.npy", "cannot stay in their file"));
  scratch_folder const folder;
  write(folder, without(plain(), {"node_feat.npy"}));
  write_zip(folder / "node_feat.csr.npz", {{"indices.npy", npy_longs({1})}});
  CHECK(names(thrown<io_error>([&] { io::detail::mapped_raw_data const mapped(folder.path()); }), "node_feat.csr.npz",
              "is sparse"));
}

TEST_CASE("wrong shapes and row counts are refused with the file") {
  CHECK(names(fault_of(with(plain(), "edge_index.npy", npy_longs({0, 1}))), "edge_index.npy", "(2,)", "[2, E]"));
  CHECK(names(fault_of(with(plain(), "edge_index.npy", npy_bytes("<i8", "(5, 2)", std::string(80, '\0')))),
              "edge_index.npy", "transpose"));
  CHECK(names(fault_of(with(plain(), "valid_edge.npy", npy_longs({0, 1}))), "valid_edge.npy", "[2, E]"));
  CHECK(names(fault_of(with(plain(), "edge_weight.npy", npy_floats({1, 2}))), "edge_weight.npy", "2 rows for 5",
              "edges 'node edge node'"));
  CHECK(names(fault_of(with(plain(), "edge_weight.npy", npy_bytes("<f4", "(5, 2)", std::string(40, '\0')))),
              "edge_weight.npy", "10 rows for 5"));
  CHECK(names(fault_of(with(plain(), "edge_time.npy", npy_longs({1}))), "edge_time.npy", "1 rows for 5"));
  CHECK(names(fault_of(with(plain(), "edge_time.npy", npy_bytes("<i8", "(5, 1)", std::string(40, '\0')))),
              "edge_time.npy", "one dimension"));
  CHECK(names(fault_of(with(plain(), "edge_feat.npy", npy_bytes("<f2", "(4, 1)", std::string(8, '\0')))),
              "edge_feat.npy", "4 rows for 5"));
  CHECK(names(fault_of(with(plain(), "node_feat.npy", npy_bytes("<f4", "(5, 1)", std::string(20, '\0')))),
              "wrong row count", "vertices of type 'node'"));
  CHECK(names(fault_of(with(plain(), "node_time.npy", npy_bytes("<i8", "(2, 2)", std::string(32, '\0')))),
              "node_time.npy", "one dimension"));
  CHECK(names(fault_of(with(plain(), "train_idx.npy", npy_bytes("<i8", "(1, 1)", std::string(8, '\0')))),
              "train_idx.npy", "one dimension"));
  CHECK(
      names(fault_of(with(plain(), "edge_weight.npy", npy_floats({1, 2, 3, 4, 5}).substr(0, 80))), "edge_weight.npy"));
}

TEST_CASE("vertices of splits that do not exist are refused with the file") {
  CHECK(names(fault_of(with(plain(), "train_idx.npy", npy_longs({0, 4}))), "train_idx.npy", "id 1 is 4", "[0, 4)"));
  CHECK(names(fault_of(with(plain(), "test_idx.npy", npy_longs({-1}))), "test_idx.npy", "id 0 is -1"));
  CHECK(names(fault_of(with(typed(), "train_idx.author.npy", npy_longs({3}))), "train_idx.author.npy", "'author'"));
}
