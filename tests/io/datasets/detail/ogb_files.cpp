// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/datasets/detail/ogb_files.hpp>

#include <filesystem>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

std::string fault_of(std::filesystem::path const& folder, std::string const& split = {}) {
  return thrown<io_error>([&] { io::detail::ogb_files const files(folder, {.split = split}); });
}

} // namespace

TEST_CASE("a set is found by its folder and by the raw one in it") {
  scratch_folder const scratch;
  auto const root = scratch / "ogbn_some";
  std::filesystem::create_directories(root / "raw");
  write_bytes(root / "raw/num-node-list.csv.gz", "");
  for (auto const& folder : {root, root / "", root / "raw", root / "raw/"}) {
    CAPTURE(folder.string());
    io::detail::ogb_files const files(folder, {});
    CHECK(files.raw() == root / "raw");
    CHECK(files.name() == "ogbn_some");
    CHECK(!files.split());
  }
  std::filesystem::rename(root / "raw", scratch / "other");
  CHECK(io::detail::ogb_files(scratch / "other", {}).name() == "other");
  CHECK(names(fault_of(root), "ogbn_some", "num-node-list.csv.gz", "unpacked"));
  CHECK(names(fault_of(scratch / "none"), "none", "num-node-dict.csv.gz"));
}

TEST_CASE("a split is taken if it is the only one, and chosen otherwise") {
  scratch_folder const scratch;
  std::filesystem::create_directories(scratch / "raw");
  write_bytes(scratch / "raw/num-node-dict.csv", "");
  CHECK(names(fault_of(scratch.path(), "time"), "no split 'time'", "but none"));
  std::filesystem::create_directories(scratch / "split/time/paper");
  CHECK(io::detail::ogb_files(scratch.path(), {}).split() == scratch / "split/time");
  std::filesystem::create_directories(scratch / "split/random");
  CHECK(names(fault_of(scratch.path()), "several splits: \"random\", \"time\"", "--split"));
  CHECK(names(fault_of(scratch.path(), "size"), "no split 'size'", "but \"random\", \"time\""));
  CHECK(io::detail::ogb_files(scratch.path(), {.split = "random"}).split() == scratch / "split/random");
}

TEST_CASE("sets whose edges count for both directions are known by their names") {
  scratch_folder const scratch;
  for (auto const& [name, expected] : {std::pair("ogbl_ddi", true), std::pair("ogbn-products", true),
                                       std::pair("ogbn_arxiv", false), std::pair("ogbl", false)}) {
    std::filesystem::create_directories(scratch / name);
    write_bytes(scratch / name / "num-node-list.csv", "1");
    CHECK(io::detail::ogb_files(scratch / name, {}).one_way() == expected);
  }
}

TEST_CASE("tables are found packed and not, and listed by the beginning of their names") {
  scratch_folder const scratch;
  for (char const* const name :
       {"node_year.csv.gz", "node_kind.csv", "node_kind.csv.gz", "node-feat.csv.gz", "node_x.txt"}) {
    write_bytes(scratch / name, "");
  }
  using io::detail::ogb_files;
  CHECK(ogb_files::find(scratch.path(), "node_kind") == scratch / "node_kind.csv.gz");
  CHECK(!ogb_files::find(scratch.path(), "node"));
  CHECK(ogb_files::list(scratch.path(), "node_") == std::vector<std::string>{"node_kind", "node_year"});
  CHECK(ogb_files::list(scratch / "none", "node_").empty());
  CHECK(names(thrown<io_error>([&] { static_cast<void>(ogb_files::require(scratch.path(), "edge")); }), "edge.csv.gz",
              "no such file"));
}
