// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archives.hpp"
#include "support/errors.hpp"
#include "support/public_data.hpp"
#include "support/scratch.hpp"

#include <glt/io/datasets/detail/planetoid.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

using ids = std::vector<global_id>;
using members = std::vector<std::pair<std::string, std::string>>;

std::string npy_bools(std::string const& shape, std::string const& bits) {
  return npy_bytes("|b1", shape, bits);
}

// Three vertices: 0 to 2, 1 to 1, 2 to 0; as two SciPy matrices.
members sparse() {
  return {{"adj_data.npy", npy_floats({1, 1, 1})},
          {"adj_indices.npy", npy_bytes("<i4", "(3,)", raw(std::vector<std::int32_t>{2, 1, 0}))},
          {"adj_indptr.npy", npy_bytes("<i4", "(4,)", raw(std::vector<std::int32_t>{0, 1, 2, 3}))},
          {"adj_shape.npy", npy_longs({3, 3})},
          {"attr_data.npy", npy_floats({7, 8})},
          {"attr_indices.npy", npy_longs({0, 1})},
          {"attr_indptr.npy", npy_longs({0, 1, 1, 2})},
          {"attr_shape.npy", npy_longs({3, 2})},
          {"labels.npy", npy_longs({0, 1, 0})},
          {"class_names.npy", npy_bytes("|O", "(2,)", "a pickle that nobody opens")}};
}

// The same graph as arrays, with two splits.
members dense() {
  return {{"edges.npy", npy_bytes("<i8", "(3, 2)", raw(ids{0, 2, 1, 1, 2, 0}))},
          {"node_features.npy", npy_bytes("<f4", "(3, 2)", raw(std::vector<float>{7, 0, 0, 0, 0, 8}))},
          {"node_labels.npy", npy_longs({0, 1, 0})},
          {"train_masks.npy", npy_bools("(2, 3)", std::string("\1\0\0\0\1\0", 6))},
          {"val_masks.npy", npy_bools("(2, 3)", std::string("\0\1\0\0\0\1", 6))},
          {"test_masks.npy", npy_bools("(2, 3)", std::string("\0\0\1\1\0\0", 6))}};
}

members with(members all, std::string const& name, std::string const& bytes) {
  std::erase_if(all, [&](auto const& member) { return member.first == name; });
  all.emplace_back(name, bytes);
  return all;
}

members without(members all, std::string const& name) {
  std::erase_if(all, [&](auto const& member) { return member.first == name; });
  return all;
}

io::raw_data read(members const& all, io::detail::planetoid_options const& options = {}) {
  scratch_folder const scratch;
  write_zip(scratch / "cora_ml.npz", all);
  return io::detail::read_planetoid_npz(scratch / "cora_ml.npz", options);
}

std::string fault_of(members const& all, io::detail::planetoid_options const& options = {}) {
  return thrown<io_error>([&] { static_cast<void>(read(all, options)); });
}

} // namespace

TEST_CASE("a graph is read from SciPy matrices and from arrays") {
  for (auto const& all : {sparse(), dense()}) {
    auto const data = read(all);
    CHECK(data.name == "cora_ml");
    REQUIRE(data.nodes.size() == 1);
    CHECK(data.nodes[0].num_nodes == 3);
    CHECK(std::ranges::equal(data.nodes[0].features[0].values.values<float>(), std::vector<float>{7, 0, 0, 0, 0, 8}));
    CHECK(data.nodes[0].labels.values<std::int64_t>()[1] == 1);
    CHECK(data.edges[0].sources == ids{0, 1, 2});
    CHECK(data.edges[0].destinations == ids{2, 1, 0});
    CHECK(data.edges[0].weights.empty());
  }
}

TEST_CASE("weights are kept if they are not all 1") {
  auto const data = read(with(sparse(), "adj_data.npy", npy_floats({1, 0.5, 1})));
  CHECK(data.edges[0].weights == std::vector<float>{1, 0.5, 1});
}

TEST_CASE("splits come from masks of one or several, or from lists") {
  CHECK(read(sparse()).nodes[0].train.empty());
  auto const second = read(dense(), {.split = 1});
  CHECK(second.nodes[0].train == ids{1});
  CHECK(second.nodes[0].valid == ids{2});
  CHECK(second.nodes[0].test == ids{0});
  CHECK(read(dense()).nodes[0].test == ids{2});
  auto all = with(sparse(), "train_mask.npy", npy_bools("(3,)", std::string("\1\0\1", 3)));
  all = with(all, "val_idx.npy", npy_longs({1}));
  CHECK(read(all).nodes[0].train == ids{0, 2});
  CHECK(read(all).nodes[0].valid == ids{1});
  auto const listed = without(all, "train_mask.npy");
  auto const as_list = with(listed, "train_idx.npy", npy_bools("(3,)", std::string("\1\0\1", 3)));
  CHECK(read(as_list).nodes[0].train == ids{0, 2});
  CHECK(names(fault_of(with(listed, "train_idx.npy", npy_longs({2, 0, 2}))), "train_idx.npy", "id 2 is 2, as id 0 is"));
  CHECK(
      names(fault_of(with(dense(), "edges.npy", npy_bools("(1, 2)", "\1\1"))), "edges.npy", "type bool, not numbers"));
  CHECK(names(fault_of(dense(), {.split = 2}), "train_masks.npy", "no split 2", "0 to 1"));
  CHECK(names(fault_of(dense(), {.split = -1}), "no split -1"));
  CHECK(names(fault_of(all, {.split = 1}), "train_mask.npy", "no split 1"));
  CHECK(names(fault_of(with(dense(), "train_masks.npy", npy_bools("(1, 2)", "\1\1"))), "train_masks.npy",
              "2 rows for 3"));
  auto const halves = npy_bytes("<f4", "(3,)", raw(std::vector<float>{1, 0.5, 0}));
  CHECK(
      names(fault_of(with(sparse(), "train_mask.npy", halves)), "train_mask.npy", "element 1 is 0.5, no whole number"));
  CHECK(names(fault_of(with(sparse(), "test_idx.npy", npy_longs({3}))), "test_idx.npy", "id 0 is 3"));
}

TEST_CASE("edges alone are enough, and nothing else is") {
  auto const data = read({{"edge_index.npy", npy_bytes("<i8", "(2, 2)", raw(ids{0, 3, 1, 1}))}});
  CHECK(data.nodes[0].num_nodes == 4);
  CHECK(data.edges[0].sources == ids{0, 3});
  CHECK(names(fault_of(without(dense(), "edges.npy")), "cora_ml.npz", "adj_indptr", "edge_index"));
}

TEST_CASE("arrays that contradict each other are refused") {
  CHECK(names(fault_of(with(sparse(), "labels.npy", npy_longs({0}))), "labels.npy", "wrong row count", "1 rows for 3"));
  CHECK(names(fault_of(with(dense(), "node_labels.npy", npy_longs({0}))), "node_labels.npy", "1 rows for 3"));
  auto const two_rows = with(sparse(), "attr_shape.npy", npy_longs({2, 2}));
  CHECK(names(fault_of(with(two_rows, "attr_indptr.npy", npy_longs({0, 1, 2}))), "attr_shape.npy", "2 rows for 3"));
  CHECK(names(fault_of(with(sparse(), "adj_shape.npy", npy_longs({3, 4}))), "adj_shape.npy", "3 x 4",
              "as many columns as rows"));
  CHECK(names(fault_of(with(sparse(), "adj_shape.npy", npy_longs({3, 2}))), "adj_indices.npy", "outside [0, 2)"));
  CHECK(names(fault_of(with(dense(), "edges.npy", npy_bytes("<i8", "(1, 2)", raw(ids{0, 3})))), "edges.npy",
              "of edge 0 is 3"));
  CHECK(names(fault_of(with(dense(), "edges.npy", npy_bytes("<i8", "(2, 3)", raw(ids{0, 1, 2, 0, 1, 2})))), "edges.npy",
              "(2, 3)", "transpose"));
  CHECK(names(fault_of({{"adj_matrix.npy", npy_bytes("|O", "()", "a pickle")}}), "adj_matrix.npy", "never executed"));
}

TEST_CASE("a public archive of pickled matrices is refused with the way out" *
          doctest::test_suite("data amazon-photo")) {
  auto const folder = public_data("amazon-photo");
  if (!folder) {
    return;
  }
  auto const file = *folder / "raw/amazon_photo.npz";
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::detail::read_planetoid_npz(file)); }),
              "amazon_photo.npz/adj_matrix.npy", "pickled Python objects", "save the numbers in them as arrays"));
  io::detail::npz_file archive(file);
  CHECK(archive.read("node_label").rows() == 7650);
}
