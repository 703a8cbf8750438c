// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archives.hpp"
#include "support/errors.hpp"
#include "support/public_data.hpp"
#include "support/scratch.hpp"

#include <glt/core/random.hpp>
#include <glt/io/array/detail/npz.hpp>
#include <glt/io/array/npy.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

using members = std::vector<std::pair<std::string, std::string>>;

// The 3 x 4 matrix (0 2 0 0 | 0 0 0 0 | 5 0 0 1.5).
members good() {
  return {{"indices.npy", npy_longs({1, 0, 3})},
          {"indptr.npy", npy_longs({0, 1, 1, 3})},
          {"format.npy", npy_bytes("|S3", "()", "csr")},
          {"shape.npy", npy_longs({3, 4})},
          {"data.npy", npy_floats({2, 5, 1.5})}};
}

members with(members all, std::string const& name, std::string const& bytes) {
  std::ranges::find(all, name, &members::value_type::first)->second = bytes;
  return all;
}

members without(members all, std::string const& name) {
  std::erase_if(all, [&](auto const& member) { return member.first == name; });
  return all;
}

std::string fault_of(members const& all) {
  scratch_folder const scratch;
  write_zip(scratch / "m.npz", all);
  return thrown<io_error>([&] { static_cast<void>(io::detail::read_scipy_csr(scratch / "m.npz")); });
}

std::vector<float> values_of(io::array const& array) {
  auto const values = array.values<float>();
  return {values.begin(), values.end()};
}

} // namespace

TEST_CASE("a matrix is read, made dense, and made edges") {
  scratch_folder const scratch;
  write_zip(scratch / "m.npz", good());
  auto const matrix = io::detail::read_scipy_csr(scratch / "m.npz");
  CHECK(matrix.num_rows == 3);
  CHECK(matrix.num_columns == 4);
  CHECK(matrix.num_entries() == 3);
  auto const dense = io::detail::to_dense(matrix, "m.npz");
  CHECK(dense.shape() == std::vector<std::int64_t>{3, 4});
  CHECK(values_of(dense) == std::vector<float>{0, 2, 0, 0, 0, 0, 0, 0, 5, 0, 0, 1.5});
  auto const edges = io::detail::to_edges(matrix);
  CHECK(edges.sources == std::vector<global_id>{0, 2, 2});
  CHECK(edges.destinations == std::vector<global_id>{1, 0, 3});
}

TEST_CASE("values of other types, none at all, and entries at one place") {
  scratch_folder const scratch;
  auto const dense = [&](members const& all) {
    write_zip(scratch / "m.npz", all);
    return values_of(io::detail::to_dense(io::detail::read_scipy_csr(scratch / "m.npz"), "m.npz"));
  };
  CHECK(dense(with(good(), "data.npy", npy_longs({2, 5, 1})))[8] == 5);
  CHECK(dense(with(good(), "data.npy", npy_bytes("|b1", "(3,)", std::string("\1\1\1", 3))))[8] == 1);
  CHECK(dense(without(good(), "data.npy")) == std::vector<float>{0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1});
  CHECK(dense(without(good(), "format.npy"))[1] == 2);
  CHECK(dense(with(good(), "indices.npy", npy_longs({1, 3, 3})))[11] == 6.5F);
}

TEST_CASE("several matrices of one archive are told by a prefix") {
  scratch_folder const scratch;
  members all;
  for (auto const& [name, bytes] : good()) {
    all.emplace_back("adj_" + name, bytes);
  }
  write_zip(scratch / "m.npz", all);
  io::detail::npz_file file(scratch / "m.npz");
  CHECK(io::detail::read_scipy_csr(file, "adj_").columns == std::vector<std::int64_t>{1, 0, 3});
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::detail::read_scipy_csr(file)); }), "m.npz",
              "no array 'shape'"));
}

TEST_CASE("random matrices become what they were, also without rows, columns or entries") {
  scratch_folder const scratch;
  for (auto const& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{0, 0}, {0, 5}, {5, 0}, {1, 1}, {37, 13}}) {
    std::vector<float> dense(static_cast<std::size_t>(rows * columns));
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int64_t> indices;
    std::vector<float> values;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      auto const bits = random_key(3).fold(static_cast<std::uint64_t>(i)).bits();
      if (bits % 3 == 0) {
        dense[static_cast<std::size_t>(i)] = static_cast<float>(bits % 100 + 1);
        indices.push_back(i % columns);
        values.push_back(static_cast<float>(bits % 100 + 1));
      }
      if ((i + 1) % columns == 0) {
        offsets.push_back(std::ssize(indices));
      }
    }
    offsets.resize(static_cast<std::size_t>(rows) + 1, std::ssize(indices));
    write_zip(scratch / "m.npz", {{"indices.npy", npy_longs(indices)},
                                  {"indptr.npy", npy_longs(offsets)},
                                  {"shape.npy", npy_longs({rows, columns})},
                                  {"data.npy", npy_floats(values)}});
    auto const matrix = io::detail::read_scipy_csr(scratch / "m.npz");
    CHECK(values_of(io::detail::to_dense(matrix, "m.npz")) == dense);
    CHECK(std::ssize(io::detail::to_edges(matrix).sources) == matrix.num_entries());
  }
}

TEST_CASE("arrays that contradict each other are refused") {
  auto const all = good();
  for (char const* const name : {"indices", "indptr", "shape"}) {
    CHECK(names(fault_of(without(all, std::string(name) + ".npy")), "m.npz", "no array '", name));
  }
  CHECK(names(fault_of(with(all, "format.npy", npy_bytes("|S3", "()", "csc"))), "m.npz/format.npy", "'csc'",
              "csr_matrix"));
  CHECK(names(fault_of(with(all, "shape.npy", npy_longs({3}))), "m.npz/shape.npy", "two sides"));
  CHECK(names(fault_of(with(all, "shape.npy", npy_longs({3, -4}))), "m.npz/shape.npy", "(3, -4)"));
  CHECK(names(fault_of(with(all, "shape.npy", npy_longs({4, 4}))), "m.npz/indptr.npy", "4 offsets for 4 rows"));
  CHECK(names(fault_of(with(all, "shape.npy", npy_longs({-1, 4}))), "m.npz/shape.npy"));
  CHECK(names(fault_of(with(all, "indptr.npy", npy_longs({}))), "m.npz/indptr.npy", "is empty"));
  for (std::vector<std::int64_t> const& offsets :
       {std::vector<std::int64_t>{1, 1, 1, 3}, {0, 2, 1, 3}, {0, 1, 1, 2}, {0, 1, 1, 4}, {0, -1, 1, 3}}) {
    CHECK(names(fault_of(with(all, "indptr.npy", npy_longs(offsets))), "m.npz/indptr.npy", "ascend from 0 to 3"));
  }
  CHECK(names(fault_of(with(all, "indices.npy", npy_longs({1, 0, 4}))), "m.npz/indices.npy", "element 2 is 4",
              "outside [0, 4)"));
  CHECK(names(fault_of(with(all, "indices.npy", npy_longs({-1, 0, 3}))), "element 0 is -1"));
  CHECK(names(fault_of(with(all, "indices.npy", npy_bytes("<f8", "(3,)", raw<double>({1, 0.5, 3})))),
              "m.npz/indices.npy", "whole number"));
  CHECK(names(fault_of(with(all, "data.npy", npy_floats({1, 2}))), "m.npz/data.npy", "2 values for 3 entries"));
  CHECK(names(fault_of(with(all, "data.npy", npy_floats({}))), "m.npz/data.npy", "0 values for 3 entries"));
}

TEST_CASE("a matrix that is too large when dense is refused") {
  io::detail::csr_matrix const matrix{3, 1000, {0, 0, 0, 0}, {}, {}};
  CHECK(io::detail::to_dense(matrix, "m.npz", {.max_bytes = 12000}).rows() == 3);
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::detail::to_dense(matrix, "m.npz", {.max_bytes = 11999})); }),
              "m.npz", "3 x 1000", "11999 bytes allowed", "max_bytes"));
  io::detail::csr_matrix const huge{1, INT64_MAX, {0, 0}, {}, {}};
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::detail::to_dense(huge, "m.npz")); }),
              "1 x 9223372036854775807"));
}

namespace {

void check_sparse_is_dense(std::string const& set, std::string const& name) {
  auto const folder = public_data(set);
  if (!folder) {
    return;
  }
  auto const sparse = *folder / (name + ".csr.npz");
  auto const expected = io::read_npy<float>(*folder / (name + ".npy"), 2);
  auto const made = io::detail::to_dense(io::detail::read_scipy_csr(sparse), sparse.string());
  CHECK(made.shape() == expected.shape);
  CHECK(std::ranges::equal(made.values<float>(), expected.data));
}

} // namespace

TEST_CASE("the features of Cora are those of their dense file" * doctest::test_suite("data planetoid-cora")) {
  check_sparse_is_dense("planetoid-cora", "node_feat");
}

TEST_CASE("the features of DBLP are those of their dense file" * doctest::test_suite("data hetero-dblp")) {
  check_sparse_is_dense("hetero-dblp", "node_feat.author");
}
