// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/known_sets.hpp"
#include "support/scratch.hpp"

#include <glt/io/parts/detail/rank_parts.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

relabelling write(std::filesystem::path const& dir, edge_list const& graph, int parts) {
  auto labels = random_labels(graph.num_vertices, parts);
  io::write_parts(dir, known_set(graph), std::span(&labels, 1), {.halo = true});
  return labels;
}

// What a part should be, told from the edge list.
void check_part(dist::data_part<device::cpu> const& loaded, edge_list const& graph, relabelling const& labels,
                partition_book const& book) {
  auto expected = naive_rows(graph);
  std::ranges::for_each(expected, std::ranges::reverse); // times fall from edge to edge
  auto const part = loaded.graph.part;
  auto const rows = rows_of(loaded.graph.relations[0].view());
  auto const& data = loaded.vertices[0];
  auto const features = data.tensors.view<float>("x").features;
  auto const labels_of_rows = data.tensors.view<std::int64_t>("y").features.flat();
  REQUIRE(loaded.graph.books[0].matches(book));
  REQUIRE(std::ssize(rows) == book.size(part));
  REQUIRE(features.rows() == book.size(part));
  REQUIRE(features.columns() == known_width);
  std::int64_t place = 0;
  for (std::int64_t r = 0; r < book.size(part); ++r) {
    auto const v = loaded.graph.original[0][r];
    REQUIRE(v == labels.original[book.begin(part) + r]);
    auto row = rows[static_cast<std::size_t>(r)];
    for (auto& [source, edge] : row) {
      source = labels.original[source];
      REQUIRE(loaded.edges[0].weights[place] == static_cast<float>(edge));
      REQUIRE(loaded.edges[0].times[place++] == -edge);
    }
    REQUIRE(row == expected[static_cast<std::size_t>(v)]);
    REQUIRE(labels_of_rows[r] == 100 + v);
    REQUIRE(data.times[r] == 1000 + v);
    REQUIRE(features(r, known_width - 1) == static_cast<float>(v * 10 + known_width - 1));
  }
}

// Every list, of all parts together and by original id, is that of the data set, each part has its own vertices, and
// those of a part keep their order.
void check_lists(std::vector<dist::data_part<device::cpu>> const& parts, edge_list const& graph,
                 relabelling const& labels) {
  auto const data = known_set(graph);
  std::array const wanted{data.nodes[0].train, data.nodes[0].valid, data.nodes[0].test};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::vector<global_id> all;
    for (auto const& part : parts) {
      std::vector<global_id> original;
      if (part.vertices[0].splits.empty()) {
        continue;
      }
      for (auto const id : part.vertices[0].splits[i].vertices) {
        REQUIRE(part.graph.books[0].owner(id) == part.graph.part);
        original.push_back(labels.original[id]);
      }
      if (parts.size() == 4) { // not of several parts in one
        CHECK(std::ranges::is_sorted(original, std::greater()));
      }
      all.insert(all.end(), original.begin(), original.end());
    }
    std::ranges::sort(all, std::greater());
    CHECK(all == wanted[i]);
  }
}

} // namespace

TEST_CASE("parts come back with their rows, data and lists, on any number of ranks") {
  for (auto const& graph :
       {edge_list{"empty", 0, {}, {}}, edge_list{"multi-edges", 4, {3, 3, 0, 3, 0}, {1, 1, 1, 1, 1}},
        edge_list{"one self-loop", 3, {2}, {2}}, random_graph(101, 37), random_graph(257, 4099)}) {
    scratch_folder const scratch;
    auto const labels = write(scratch / "parts", graph, 4);
    io::parts_folder const folder(scratch / "parts");
    for (int const ranks : {1, 3, 4, 7}) {
      CAPTURE(graph.name);
      CAPTURE(ranks);
      auto const book = io::detail::book_of_ranks(labels.book, ranks);
      std::vector<dist::data_part<device::cpu>> parts;
      for (int rank = 0; rank < ranks; ++rank) {
        parts.push_back(folder.load_for_rank(rank, ranks));
        REQUIRE(parts.back().graph.part == rank);
        check_part(parts.back(), graph, labels, book);
      }
      check_lists(parts, graph, labels);
    }
  }
}

TEST_CASE("one part of a folder") {
  scratch_folder const scratch;
  auto const graph = random_graph(31, 100);
  auto const labels = write(scratch / "parts", graph, 2);
  for (int const part : {0, 1}) {
    check_part(io::parts_folder(scratch / "parts")
                   .load_for_rank(part, 2, {.verify = true, .populate = true, .huge_pages = true}),
               graph, labels, labels.book);
  }
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::parts_folder(scratch / "elsewhere")); }),
              "elsewhere/manifest.json", "no such file", "check the path"));
  std::filesystem::create_directory(scratch / "arrays");
  write_bytes(scratch / "arrays/edge_index.npy", "");
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::parts_folder(scratch / "arrays")); }),
              "arrays/manifest.json", "no such file", "run glt-partition"));
}

TEST_CASE("a rank that is none is told what to do") {
  scratch_folder const scratch;
  write(scratch / "parts", random_graph(31, 100), 4);
  io::parts_folder const folder(scratch / "parts");
  auto const fault = [&](int rank, int ranks) {
    return thrown<precondition_error>([&] { static_cast<void>(folder.load_for_rank(rank, ranks)); });
  };
  CHECK(names(fault(3, 3), "rank 3 of 3"));
  CHECK(names(fault(-1, 2), "rank -1 of 2"));
}
