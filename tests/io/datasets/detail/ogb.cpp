// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archives.hpp"
#include "support/errors.hpp"
#include "support/ogb_folders.hpp"
#include "support/public_data.hpp"
#include "support/scratch.hpp"

#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/datasets/detail/ogb.hpp>

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
using texts = ogb_texts;

std::string fault_of(texts const& all) {
  scratch_folder const scratch;
  write_ogb(scratch.path(), all);
  return thrown<io_error>([&] { static_cast<void>(io::detail::read_ogb(scratch.path())); });
}

template <class T>
std::vector<T> values_of(io::array const& array) {
  auto const values = array.values<T>();
  return {values.begin(), values.end()};
}

} // namespace

TEST_CASE("a set without types is read with all its tables, by any number of threads") {
  for (int const threads : {1, 3}) {
    scratch_folder const scratch;
    write_ogb(scratch / "ogbn_some", plain_ogb());
    auto const data = io::detail::read_ogb(scratch / "ogbn_some", {.reading = {.threads = threads, .on_progress = {}}});
    CHECK(data.name == "ogbn_some");
    REQUIRE(data.nodes.size() == 1);
    REQUIRE(data.edges.size() == 1);
    auto const& nodes = data.nodes[0];
    CHECK(nodes.num_nodes == 4);
    REQUIRE(nodes.features.size() == 2);
    CHECK(nodes.features[0].name == "node_feat");
    CHECK(nodes.features[0].values.matrix<float>()(1, 1) == 400);
    CHECK(io::detail::count_not_finite(nodes.features[0].values) == 1);
    CHECK(nodes.features[1].name == "node_species");
    CHECK(values_of<float>(nodes.features[1].values) == std::vector<float>{0.5, 1, 2, 3});
    CHECK(values_of<std::int64_t>(nodes.labels) == ids{0, 1, 2, 0});
    CHECK(nodes.labels.shape() == std::vector<std::int64_t>{4});
    CHECK(nodes.times == ids{1990, 1991, 1992, 1993});
    CHECK(nodes.train == ids{3, 0});
    CHECK(nodes.valid == ids{1});
    CHECK(nodes.test == ids{2});
    auto const& edges = data.edges[0];
    CHECK(edges.sources == ids{0, 3, 2});
    CHECK(edges.destinations == ids{1, 3, 0});
    CHECK(edges.weights == std::vector<float>{1, 2, 3.5});
    CHECK(edges.times == ids{2001, 2002, 2003});
    REQUIRE(edges.features.size() == 2);
    CHECK(edges.features[0].values.matrix<float>()(2, 0) == 2.5F);
    CHECK(edges.features[1].name == "edge_reltype");
    CHECK(values_of<std::int64_t>(edges.features[1].values) == ids{7, 8, 9});
    CHECK(edges.links.empty());
  }
}

TEST_CASE("edges and a number of vertices are enough") {
  scratch_folder const scratch;
  write_ogb(scratch.path(), {{"raw/num-node-list.csv.gz", "5"}, {"raw/edge.csv.gz", ""}});
  auto const data = io::detail::read_ogb(scratch / "raw");
  CHECK(data.nodes[0].num_nodes == 5);
  CHECK(data.nodes[0].features.empty());
  CHECK(data.edges[0].sources.empty());
}

TEST_CASE("labels of several columns stay a matrix") {
  scratch_folder const scratch;
  write_ogb(scratch.path(), with(plain_ogb(), "raw/node-label.csv.gz", "0,1\n1,0\n1,1\nnan,0\n"));
  auto const data = io::detail::read_ogb(scratch.path());
  CHECK(data.nodes[0].labels.shape() == std::vector<std::int64_t>{4, 2});
  CHECK(data.nodes[0].labels.type() == element_type::float32);
}

TEST_CASE("a set with types is read") {
  scratch_folder const scratch;
  write_ogb(scratch.path(), typed_ogb());
  auto const data = io::detail::read_ogb(scratch.path());
  REQUIRE(data.nodes.size() == 2);
  CHECK(data.nodes[0].name == "author");
  CHECK(data.nodes[0].num_nodes == 2);
  CHECK(data.nodes[0].features.empty());
  CHECK(data.nodes[0].train.empty());
  CHECK(data.nodes[1].name == "paper");
  CHECK(data.nodes[1].num_nodes == 3);
  CHECK(data.nodes[1].features[0].values.rows() == 3);
  CHECK(data.nodes[1].times == ids{1, 2, 3});
  CHECK(values_of<std::int64_t>(data.nodes[1].labels) == ids{5, 6, 7});
  CHECK(data.nodes[1].train == ids{2});
  CHECK(data.nodes[1].test == ids{1});
  REQUIRE(data.edges.size() == 2);
  CHECK(data.edges[0].source == "author");
  CHECK(data.edges[0].name == "writes");
  CHECK(data.edges[0].destinations == ids{2, 0});
  CHECK(data.edges[0].features[0].name == "edge_reltype");
  CHECK(data.edges[1].sources == ids{2});
}

TEST_CASE("a split that is only in a file of torch.save is refused with a way out") {
  for (std::string const name : {"train", "valid", "test", "split_dict"}) {
    scratch_folder const scratch;
    write_ogb(scratch.path(), {{"raw/num-node-list.csv.gz", "4"}, {"raw/edge.csv.gz", "0,1\n"}});
    auto const split = scratch / "split/target";
    std::filesystem::create_directories(split);
    write_bytes(split / (name + ".pt"), "a pickle that is not opened");
    auto const read = [&] { return io::detail::read_ogb(scratch / "raw"); };
    CHECK(names(thrown<io_error>([&] { static_cast<void>(read()); }), name + ".pt",
                "python3 examples/convert.py " + scratch.path().string() + " writes it as arrays"));
    auto const part = name == "split_dict" ? "valid" : name;
    write_bytes(split / (part + "_edge.npy"), npy_bytes("<i8", "(2, 1)", raw(ids{1, 0})));
    CHECK(read().edges[0].links.at(0).name == part);
    std::filesystem::remove(split / (part + "_edge.npy"));
    write_bytes(split / (part + ".csv"), "3\n1\n");
    auto const data = read();
    auto const& nodes = data.nodes[0];
    CHECK((part == "train" ? nodes.train : part == "valid" ? nodes.valid : nodes.test) == ids{3, 1});
  }
}

TEST_CASE("link splits are read from arrays of either shape, rather than from files of torch.save") {
  scratch_folder const scratch;
  write_ogb(scratch.path(), {{"raw/num-node-list.csv.gz", "4"}, {"raw/edge.csv.gz", "0,1\n"}});
  auto const split = scratch / "split/target";
  std::filesystem::create_directories(split);
  write_bytes(split / "valid.pt", "a pickle that nobody opens");
  write_bytes(split / "valid_edge.npy", npy_bytes("<i8", "(3, 2)", raw(ids{0, 1, 1, 2, 2, 3})));
  write_bytes(split / "valid_edge_neg.npy", npy_bytes("<i8", "(2, 1)", raw(ids{3, 0})));
  auto const data = io::detail::read_ogb(scratch.path());
  REQUIRE(data.edges[0].links.size() == 1);
  CHECK(data.edges[0].links[0].name == "valid");
  CHECK(data.edges[0].links[0].edges.sources == ids{0, 1, 2});
  CHECK(data.edges[0].links[0].edges.destinations == ids{1, 2, 3});
  CHECK(data.edges[0].links[0].negatives.sources == ids{3});
  write_bytes(split / "test_edge.npy", npy_bytes("<i8", "(1, 2)", raw(ids{0, 4})));
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::detail::read_ogb(scratch.path())); }), "test_edge.npy",
              "destination of pair 0 is 4"));
}

TEST_CASE("files that are missing, cut or contradict each other are refused") {
  CHECK(names(fault_of(gone(plain_ogb(), "raw/num-node-list.csv.gz")), "num-node-list.csv.gz"));
  CHECK(names(fault_of(gone(plain_ogb(), "raw/edge.csv.gz")), "raw/edge.csv.gz", "no such file"));
  CHECK(names(fault_of(gone(typed_ogb(), "raw/triplet-type-list.csv.gz")), "triplet-type-list.csv.gz", "no such file"));
  CHECK(names(fault_of(gone(typed_ogb(), "raw/relations/paper___cites___paper/edge.csv.gz")),
              "paper___cites___paper/edge.csv.gz", "no such file"));
  CHECK(names(fault_of(with(plain_ogb(), "raw/num-node-list.csv.gz", "4\n5\n")), "num-node-list.csv.gz", "2 graphs"));
  CHECK(names(fault_of(with(plain_ogb(), "raw/num-node-list.csv.gz", "-4\n")), "counts -4"));
  CHECK(names(fault_of(with(plain_ogb(), "raw/num-edge-list.csv.gz", "4\n")), "edge.csv.gz", "3 rows for 4"));
  CHECK(names(fault_of(with(plain_ogb(), "raw/edge.csv.gz", "0,1\n4,3\n2,0\n")), "edge.csv.gz: source of edge 1 is 4",
              "outside [0, 4)"));
  CHECK(names(fault_of(with(plain_ogb(), "raw/edge.csv.gz", "0,1\n0,3\n2,-1\n")), "destination of edge 2 is -1"));
  CHECK(names(fault_of(with(plain_ogb(), "raw/edge.csv.gz", "0,1\n0\n2,1\n")), "edge.csv.gz", "line 2"));
  CHECK(names(fault_of(with(plain_ogb(), "raw/node-feat.csv.gz", "1\n2\n")), "node-feat.csv.gz", "wrong row count",
              "2 rows for 4"));
  for (char const* const name :
       {"node-label", "node_year", "node_species", "edge-feat", "edge_weight", "edge_year", "edge_reltype"}) {
    CHECK(names(fault_of(with(plain_ogb(), "raw/" + std::string(name) + ".csv.gz", "1\n")), name, "wrong row count"));
  }
  CHECK(names(fault_of(with(plain_ogb(), "raw/edge_weight.csv.gz", "1\n1e-60\n2\n")), "edge_weight.csv.gz",
              "element 1 is 1e-60, too small"));
  CHECK(names(fault_of(with(plain_ogb(), "raw/edge_weight.csv.gz", "1\n2\n1e39\n")), "edge_weight.csv.gz", "1e+39"));
  for (char const* const name : {"train", "valid", "test"}) {
    CHECK(
        names(fault_of(with(plain_ogb(), "split/time/" + std::string(name) + ".csv.gz", "0\n4\n")), name, "id 1 is 4"));
    CHECK(names(fault_of(with(plain_ogb(), "split/time/" + std::string(name) + ".csv.gz", "2\n2\n")), name,
                "id 1 is 2, as id 0 is"));
  }
  CHECK(names(fault_of(with(plain_ogb(), "split/time/train.csv.gz", "1\n0\n1\n0\n")), "train.csv.gz",
              "id 3 is 0, as id 1 is", "save numpy.flatnonzero of it if it is a mask"));
  CHECK(names(fault_of(with(typed_ogb(), "split/time/paper/test.csv.gz", "3\n")), "paper/test.csv.gz", "id 0 is 3"));
  CHECK(names(fault_of(with(plain_ogb(), "split/size/train.csv.gz", "0\n")), "several splits: \"size\", \"time\""));
  CHECK(names(fault_of(with(typed_ogb(), "raw/num-node-dict.csv.gz", "")), "num-node-dict.csv.gz", "is empty"));
  CHECK(names(fault_of(with(typed_ogb(), "raw/num-node-dict.csv.gz", "author,paper\n2,3\n2,3\n")),
              "num-node-dict.csv.gz", "one graph"));
  CHECK(names(fault_of(with(typed_ogb(), "raw/num-node-dict.csv.gz", "author,paper\n2,-3\n")), "counts -3"));
  CHECK(names(fault_of(with(typed_ogb(), "raw/num-node-dict.csv.gz", "paper,paper\n3,3\n")), "'paper' twice"));
  CHECK(names(fault_of(with(typed_ogb(), "raw/nodetype-has-feat.csv.gz", "author,paper\nTrue,True\n")),
              "node-feat/author/node-feat.csv.gz", "no such file"));
  CHECK(
      names(fault_of(gone(typed_ogb(), "raw/node-label/paper/node-label.csv.gz")), "node-label/paper", "no such file"));
  CHECK(names(fault_of(with(typed_ogb(), "raw/triplet-type-list.csv.gz", "author,writes\n")), "triplet-type-list",
              "2 words"));
  CHECK(names(fault_of(with(typed_ogb(), "raw/triplet-type-list.csv.gz", "author,writes,book\n")), "'book'",
              "num-node-dict"));
  CHECK(names(fault_of(with(typed_ogb(), "raw/node-label/paper/node-label.csv.gz", "5\n")), "node-label.csv.gz",
              "1 rows for 3 vertices of type 'paper'"));

  scratch_folder const scratch;
  write_ogb(scratch.path(), plain_ogb());
  for (char const* const path : {"raw/edge.csv.gz", "raw/node-feat.csv.gz", "split/time/train.csv.gz"}) {
    auto const whole = read_bytes(scratch / path);
    write_bytes(scratch / path, whole.substr(0, whole.size() - 3));
    CHECK(names(thrown<io_error>([&] { static_cast<void>(io::detail::read_ogb(scratch.path())); }), path));
    write_bytes(scratch / path, whole);
  }
}

TEST_CASE("the original files of a public link set are its arrays" * doctest::test_suite("data ogbl-ddi")) {
  auto const folder = public_data("ogbl-ddi");
  if (!folder) {
    return;
  }
  scratch_folder const scratch; // the set with its splits as arrays, as examples/convert.py writes them
  auto const set = scratch / "ogbl_ddi";
  std::filesystem::create_directories(set / "split/target");
  std::filesystem::create_directory_symlink(std::filesystem::absolute(*folder / "raw/ogbl_ddi/raw"), set / "raw");
  for (std::string const name : {"valid_edge.npy", "valid_edge_neg.npy", "test_edge.npy", "test_edge_neg.npy"}) {
    std::filesystem::copy(*folder / name, set / "split/target" / name);
  }
  auto const data = io::detail::read_ogb(set);
  CHECK(data.name == "ogbl_ddi");
  CHECK(data.nodes[0].num_nodes == 4267);
  auto const expected = io::read_npy<std::int64_t>(*folder / "edge_index.npy", 2);
  REQUIRE(data.edges[0].sources.size() == 1067911);
  CHECK(std::ranges::equal(data.edges[0].sources, expected.matrix().row(0)));
  CHECK(std::ranges::equal(data.edges[0].destinations, expected.matrix().row(1)));
  REQUIRE(data.edges[0].links.size() == 2);
  for (auto const& [name, edges, negatives] : data.edges[0].links) {
    for (auto const& [pairs, kind] : {std::pair(&edges, "_edge"), std::pair(&negatives, "_edge_neg")}) {
      auto const same = io::detail::to_pairs(io::detail::read_npy_any(*folder / (name + kind + ".npy")), name,
                                             io::detail::pair_layout::either);
      CHECK(pairs->sources == same.sources);
      CHECK(pairs->destinations == same.destinations);
    }
  }
}
