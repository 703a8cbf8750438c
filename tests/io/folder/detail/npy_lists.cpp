// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archives.hpp"
#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/folder/detail/mapped_raw_data.hpp>
#include <glt/io/folder/detail/npy_folder.hpp>
#include <glt/outofcore/staging/detail/stage_folder.hpp>

#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

std::string npy_bools(std::vector<bool> const& values) {
  std::string bytes;
  for (bool const value : values) {
    bytes += value ? '\1' : '\0';
  }
  return npy_bytes("|b1", "(" + std::to_string(values.size()) + ",)", bytes);
}

// What reading a folder of ten vertices says where a file of it is another one, in memory and mapped.
struct faults {
  std::string read;
  std::string mapped;
};
faults faults_of(char const* name, std::string const& bytes) {
  scratch_folder const folder;
  write_bytes(folder / "edge_index.npy", npy_pairs({0, 1, 1, 2}));
  write_bytes(folder / "num_nodes.npy", npy_longs({10}));
  write_bytes(folder / name, bytes);
  return {thrown<io_error>([&] { static_cast<void>(io::detail::read_npy_folder(folder.path())); }),
          thrown<io_error>([&] { static_cast<void>(io::detail::mapped_raw_data(folder.path())); })};
}

} // namespace

TEST_CASE("a split of bool is a mask with an element for every vertex") {
  scratch_folder const folder;
  write_bytes(folder / "edge_index.npy", npy_pairs({0, 1, 1, 2}));
  write_bytes(folder / "num_nodes.npy", npy_longs({10}));
  write_bytes(folder / "train_idx.npy", npy_bools({false, false, true, false, false, true, false, false, false, true}));
  write_bytes(folder / "test_idx.npy", npy_bools(std::vector<bool>(10)));
  std::vector<global_id> const chosen{2, 5, 9};
  CHECK(io::detail::read_npy_folder(folder.path()).nodes[0].train == chosen);
  CHECK(io::detail::read_npy_folder(folder.path()).nodes[0].test.empty());
  CHECK(io::detail::mapped_raw_data(folder.path()).view().nodes[0].train == chosen);
  scratch_folder const staged;
  io::detail::stage_npy_folder(folder.path(), staged / "folder");
  CHECK(io::detail::mapped_raw_data(staged / "folder").view().nodes[0].train == chosen);

  for (auto const& fault : {faults_of("valid_idx.npy", npy_bools(std::vector<bool>(9))),
                            faults_of("valid_idx.npy", npy_bools(std::vector<bool>(11, true)))}) {
    CHECK(names(fault.read, "valid_idx.npy", "wrong row count", "for 10 vertices"));
    CHECK(fault.mapped == fault.read);
  }
}

TEST_CASE("bool is refused where ids and times belong") {
  auto const pairs = npy_bytes("|b1", "(2, 2)", std::string(4, '\1'));
  for (char const* const name : {"edge_index.npy", "train_edge.npy", "test_edge_neg.npy"}) {
    auto const fault = faults_of(name, pairs);
    CHECK(names(fault.read, name, "type bool, not numbers"));
    CHECK(names(fault.mapped, name, "'|b1'"));
  }
  for (char const* const name : {"num_nodes.npy", "node_time.npy", "edge_time.npy"}) {
    CHECK(names(faults_of(name, npy_bools({true})).read, name, "type bool, not numbers"));
  }
  CHECK(names(faults_of("node_time.npy", npy_bools({true})).mapped, "node_time.npy", "type bool, not numbers"));
  scratch_folder const folder;
  write_bytes(folder / "edge_index.npy", pairs);
  CHECK(names(thrown<io_error>([&] { io::detail::stage_npy_folder(folder.path(), folder / "staged"); }),
              "edge_index.npy", "type bool, not numbers"));
}

TEST_CASE("weights and times of edges have one row for each, in memory as on disk") {
  auto const shaped = [](char const* type, char const* shape, std::size_t bytes) {
    return npy_bytes(type, shape, std::string(bytes, '\0'));
  };
  for (auto const& fault : {faults_of("edge_weight.npy", shaped("<f4", "(1, 2)", 8)),
                            faults_of("edge_weight.npy", shaped("<f4", "(2, 2)", 16))}) {
    CHECK(names(fault.read, "edge_weight.npy", "wrong row count"));
    CHECK(fault.mapped.substr(fault.mapped.rfind('/')) == fault.read.substr(fault.read.rfind('/')));
  }
  auto const times = faults_of("edge_time.npy", shaped("<i8", "(2, 2)", 32));
  CHECK(names(times.read, "edge_time.npy", "a list of one dimension"));
  CHECK(times.mapped.substr(times.mapped.rfind('/')) == times.read.substr(times.read.rfind('/')));
}

TEST_CASE("a vertex that comes twice in a split is named with both places") {
  auto const fault = faults_of("valid_idx.npy", npy_longs({3, 7, 1, 7, 2}));
  CHECK(names(fault.read, "valid_idx.npy", "id 3 is 7, as id 1 is"));
  CHECK(fault.mapped.substr(fault.mapped.rfind('/')) == fault.read.substr(fault.read.rfind('/')));
}

TEST_CASE("a mask that is not of type bool is refused, with the type that masks have") {
  auto const numbers = [](char const* type, std::vector<char> const& values, std::size_t width) {
    std::string bytes;
    for (char const value : values) {
      bytes += value + std::string(width - 1, '\0');
    }
    return npy_bytes(type, "(" + std::to_string(values.size()) + ",)", bytes);
  };
  for (auto const& fault : {faults_of("valid_idx.npy", numbers("|u1", {1, 0, 1, 0, 1, 0, 0, 1, 1, 0}, 1)),
                            faults_of("train_idx.npy", numbers("|i1", std::vector<char>(10, 0), 1)),
                            faults_of("train_idx.npy", numbers("|u1", {1, 0, 1}, 1)), // of another length
                            faults_of("test_idx.npy", numbers("<i8", {1, 0, 1, 0, 1, 0, 0, 1, 1, 0}, 8))}) {
    CHECK(names(fault.read, "_idx.npy", "elements 0 or 1 of type ", " for 10 vertices; save a mask as bool"));
    CHECK_FALSE(names(fault.read, "numpy.unique"));
    CHECK(fault.mapped.substr(fault.mapped.rfind('/')) == fault.read.substr(fault.read.rfind('/')));
  }
  scratch_folder const folder;
  write_bytes(folder / "edge_index.npy", npy_pairs({0, 1, 1, 0}));
  write_bytes(folder / "train_idx.npy", numbers("|u1", {0, 1}, 1));
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::detail::read_npy_folder(folder.path())); }),
              "has 2 elements 0 or 1 of type uint8"));
  write_bytes(folder / "train_idx.npy", npy_longs({0, 1, 0}));
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::detail::read_npy_folder(folder.path())); }),
              "save numpy.flatnonzero of it if it is a mask"));
  write_bytes(folder / "train_idx.npy", npy_longs({0, 1}));
  CHECK(io::detail::read_npy_folder(folder.path()).nodes[0].train == std::vector<global_id>{0, 1});
  write_bytes(folder / "train_idx.npy", numbers("|u1", {1}, 1));
  CHECK(io::detail::read_npy_folder(folder.path()).nodes[0].train == std::vector<global_id>{1});
}
