// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/ranks.hpp"
#include "support/raw_data.hpp"
#include "support/scratch.hpp"

#include <glt/core/random.hpp>
#include <glt/io/folder/detail/mapped_raw_data.hpp>
#include <glt/io/folder/detail/npy_folder.hpp>
#include <glt/io/folder/npy_folder_writer.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

io::raw_data random_plain(std::int64_t num_nodes, std::int64_t num_edges) {
  random_stream draws(random_key(7), static_cast<std::uint64_t>(num_nodes));
  io::raw_data data{.name = "some", .nodes = {}, .edges = {}};
  data.nodes.push_back(random_nodes(draws, "node", num_nodes));
  data.edges.push_back(random_edges(draws, data.nodes[0], "edge", data.nodes[0], num_edges));
  return data;
}

io::raw_data random_typed(bool alphabetical) {
  random_stream draws(random_key(8), 1);
  io::raw_data data{.name = "typed", .nodes = {}, .edges = {}};
  data.nodes.push_back(random_nodes(draws, alphabetical ? "author" : "z.author", 5));
  data.nodes.push_back(random_nodes(draws, "paper", 7));
  data.edges.push_back(random_edges(draws, data.nodes[0], "writes", data.nodes[1], 11));
  data.edges.push_back(random_edges(draws, data.nodes[1], "cites", data.nodes[1], 4));
  return data;
}

// Writes, reads and maps a data set, and checks that it stays the same.
void check_round_trip(io::raw_data const& data) {
  scratch_folder const scratch;
  io::write_npy_folder(scratch / "set", data);
  auto const read = io::detail::read_npy_folder(scratch / "set");
  CHECK(read.name == "set");
  check_same(read.view(), data.view());
  io::detail::mapped_raw_data const mapped(scratch / "set");
  check_same(mapped.view(), data.view());
}

std::string fault_of(io::raw_data const& data) {
  scratch_folder const scratch;
  auto const fault = thrown<precondition_error>([&] { io::write_npy_folder(scratch / "set", data); });
  CHECK(scratch.num_entries() == 0);
  return fault;
}

} // namespace

TEST_CASE("a data set without types is read and mapped as it was written") {
  for (auto const& [num_nodes, num_edges] : {std::pair{1, 0}, std::pair{1, 1}, std::pair{3, 8}, std::pair{40, 333}}) {
    check_round_trip(random_plain(num_nodes, num_edges));
  }
  io::raw_data empty;
  empty.nodes.emplace_back();
  empty.edges.emplace_back();
  check_round_trip(empty);
  empty.nodes[0].num_nodes = 9;
  check_round_trip(empty);
}

TEST_CASE("names say what they can, and meta.json the rest") {
  scratch_folder const scratch;
  io::write_npy_folder(scratch / "plain", random_plain(4, 3));
  CHECK(!std::filesystem::exists(scratch / "plain/meta.json"));
  CHECK(std::filesystem::exists(scratch / "plain/edge_index.npy"));
  auto ordered = random_typed(true);
  std::swap(ordered.edges[0], ordered.edges[1]);
  io::write_npy_folder(scratch / "typed", random_typed(true)); // author__writes before paper__cites
  CHECK(!std::filesystem::exists(scratch / "typed/meta.json"));
  io::write_npy_folder(scratch / "ordered", ordered);
  CHECK(std::filesystem::exists(scratch / "ordered/meta.json"));
  check_round_trip(ordered);
}

TEST_CASE("types keep their order and odd names, also those without edges") {
  check_round_trip(random_typed(true));
  auto data = random_typed(false);
  check_round_trip(data);
  random_stream draws(random_key(3), 1);
  data.nodes.push_back(random_nodes(draws, "a lone__type", 2));
  data.edges.push_back(random_edges(draws, data.nodes[2], "_is__odd_", data.nodes[2], 3));
  check_round_trip(data);
}

TEST_CASE("several features and every type of element stay as they are") {
  random_stream draws(random_key(9), 1);
  for (std::int64_t const rows : {0, 1, 13}) {
    io::raw_data data;
    auto& nodes = data.nodes.emplace_back();
    auto& edges = data.edges.emplace_back();
    nodes.num_nodes = rows;
    edges.sources.assign(static_cast<std::size_t>(2 * rows), 0);
    edges.destinations = edges.sources;
    for (int type = 0; type < 9; ++type) {
      auto const element = static_cast<element_type>(type);
      nodes.features.push_back({"x" + std::to_string(type), random_array(draws, element, rows, 1 + type % 3)});
      edges.features.push_back({std::string(detail::name_of(element)), random_array(draws, element, 2 * rows, 2)});
    }
    nodes.features.push_back({"node_feat", random_array(draws, element_type::bfloat16, rows, 4)});
    check_round_trip(data);
  }
}

TEST_CASE("link splits stay, whole, half and empty") {
  auto data = random_plain(5, 9);
  data.edges[0].links[0].negatives = {};
  data.edges[0].links[1].edges = {};
  data.edges[0].links[2].edges = {};
  data.edges[0].links[2].negatives = {};
  check_round_trip(data);
  data.edges[0].links.erase(data.edges[0].links.begin());
  check_round_trip(data);
}

TEST_CASE("what a folder cannot hold is refused, and nothing is left") {
  auto data = random_plain(5, 9);
  data.nodes[0].features[0].name = "a/b";
  CHECK(names(fault_of(data), "feature 'a/b'", "rename"));
  data.nodes[0].features[0].name = "node_feat";
  data.nodes[0].features.push_back({"node_feat", io::array::of<float>(std::vector<float>(5))});
  CHECK(names(fault_of(data), "two features"));
  data.nodes[0].features.pop_back();
  data.nodes[0].features[0].values = io::array::of<float>(std::vector<float>(4));
  CHECK(names(fault_of(data), "node type 'node': features 'node_feat' have 4 rows for 5"));
  data = random_plain(5, 9);
  data.edges[0].weights.pop_back();
  CHECK(names(fault_of(data), "edges 'node edge node': weights have 8 rows for 9"));
  data = random_plain(5, 9);
  data.edges[0].links[1].name = "validation";
  CHECK(names(fault_of(data), "link split 'validation'"));
  data.edges[0].links[1].name = "train";
  CHECK(names(fault_of(data), "link split 'train'", "each once"));
  data = random_typed(true);
  data.edges[1] = io::raw_data::edge_table{.source = "author", .name = "writes", .destination = "paper"};
  CHECK(names(fault_of(data), "two types of edges"));
  data.edges[1].source = "book";
  CHECK(names(fault_of(data), "vertex type 'book'"));
  data.nodes[1].name = "author";
  CHECK(names(fault_of(data), "two types of vertices 'author'"));
  data.nodes[1].name = "\xff";
  data.edges[0].destination = "\xff";
  data.edges.pop_back();
  CHECK(names(fault_of(data), "not UTF-8"));
  data.edges.clear();
  CHECK(names(fault_of(data), "without edges"));
}

TEST_CASE("a folder that is there is not replaced") {
  scratch_folder const scratch;
  io::write_npy_folder(scratch / "set", random_plain(2, 2));
  auto const before = files_of(scratch / "set");
  CHECK(
      names(thrown<io_error>([&] { io::write_npy_folder(scratch / "set", random_plain(3, 2)); }), "is there already"));
  CHECK(files_of(scratch / "set") == before);
}

TEST_CASE("ranks write their rows together, byte for byte as one does") {
  scratch_folder const scratch;
  auto const data = random_plain(23, 101);
  io::write_npy_folder(scratch / "alone", data);
  auto const expected = files_of(scratch / "alone");
  on_ranks([&](auto comm) {
    auto const folder = scratch / ("together" + std::to_string(comm.size()));
    if (comm.rank() == 0) {
      std::filesystem::create_directory(folder);
    }
    comm.barrier();
    // The last rank has most of the rows, rank 1 none.
    auto const piece = [&](std::int64_t n) {
      auto const at = [&](int rank) {
        return rank == comm.size() ? n : rank < 2 ? rank * (n / 9) : (rank - 1) * (n / 9);
      };
      return std::pair{at(comm.rank()), at(comm.rank() + 1) - at(comm.rank())};
    };
    auto const rows = [&](io::array const& whole) {
      auto const [first, count] = piece(whole.rows());
      auto shape = whole.shape();
      auto const row_bytes = whole.columns() * glt::detail::size_of(whole.type());
      shape[0] = count;
      buffer<device::cpu, std::byte> bytes(count * row_bytes);
      std::copy_n(whole.bytes().begin() + first * row_bytes, count * row_bytes, bytes.begin());
      return io::array(whole.type(), std::move(shape), std::move(bytes));
    };
    auto const part = [&](auto const& list) {
      auto const [first, count] = piece(std::ssize(list));
      return std::vector(list.begin() + first, list.begin() + first + count);
    };
    auto const pairs = [&](glt::link_split::pairs const& all) {
      return glt::link_split::pairs{part(all.sources), part(all.destinations)};
    };
    auto const& nodes = data.nodes[0];
    auto const& edges = data.edges[0];
    io::raw_data own{.name = "own", .nodes = {}, .edges = {}};
    auto& own_nodes = own.nodes.emplace_back();
    own_nodes.num_nodes = nodes.num_nodes;
    own_nodes.features.push_back({"node_feat", rows(nodes.features[0].values)});
    own_nodes.labels = rows(nodes.labels);
    own_nodes.times = part(nodes.times);
    own_nodes.train = part(nodes.train);
    own_nodes.valid = part(nodes.valid);
    own_nodes.test = part(nodes.test);
    auto& own_edges = own.edges.emplace_back();
    own_edges.sources = part(edges.sources);
    own_edges.destinations = part(edges.destinations);
    own_edges.weights = part(edges.weights);
    own_edges.times = part(edges.times);
    own_edges.features.push_back({"edge_feat", rows(edges.features[0].values)});
    for (auto const& links : edges.links) {
      own_edges.links.push_back({links.name, pairs(links.edges), pairs(links.negatives)});
    }
    io::detail::write_npy_folder_together(comm, folder, own.view());
    comm.barrier();
    if (comm.rank() == 0) {
      CHECK(files_of(folder) == expected);
    }
  });
}

TEST_CASE("a rank that fails alone, or has another layout, ends all of them") {
  scratch_folder const scratch;
  auto const data = random_plain(5, 9);
  on_ranks(
      [&](auto comm) {
        CHECK(names(thrown<collective_error>(
                        [&] { io::detail::write_npy_folder_together(comm, scratch / "missing", data.view()); }),
                    "rank 0", "missing"));
        io::raw_data other = random_plain(comm.rank() == 0 ? 5 : 6, 9);
        CHECK(names(thrown<collective_error>(
                        [&] { io::detail::write_npy_folder_together(comm, scratch.path(), other.view()); }),
                    "rank 1", "than rank 0"));
      },
      {2, 3});
}
