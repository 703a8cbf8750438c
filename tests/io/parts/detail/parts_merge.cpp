// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/known_sets.hpp"
#include "support/raw_data.hpp"
#include "support/scratch.hpp"

#include <glt/comm/threads_node.hpp>
#include <glt/core/random.hpp>
#include <glt/dist/shared/shared_table.hpp>
#include <glt/io/parts/detail/rank_parts.hpp>
#include <glt/io/parts/parts_writer.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// Returns the largest number of in-edges of a rank, and the largest of a vertex.
std::pair<std::int64_t, std::int64_t> most_in_edges(io::parts_folder const& folder, int ranks, bool balance_edges) {
  std::pair<std::int64_t, std::int64_t> most{0, 0};
  for (int rank = 0; rank < ranks; ++rank) {
    auto const part = io::detail::load_content_for_rank(folder, rank, ranks, {.balance_edges = balance_edges});
    auto const rows = part.graph.relations[0].view();
    most.first = std::max(most.first, rows.num_edges());
    for (std::int64_t row = 0; row < rows.num_rows(); ++row) {
      most.second = std::max(most.second, rows.offset(row + 1) - rows.offset(row));
    }
  }
  return most;
}

// A set of one type with parts that are empty or have no training vertices.
io::raw_data uneven_set() {
  auto made = known_set(random_graph(101, 700));
  std::erase_if(made.nodes[0].train, [](global_id v) { return v < 40; });
  return made;
}
std::vector<relabelling> uneven_labels(io::raw_data const& data) {
  std::vector<relabelling> labels;
  for (auto const& table : data.nodes) {
    std::vector<local_id> part_of(static_cast<std::size_t>(table.num_nodes));
    for (std::size_t v = 0; v < part_of.size(); ++v) {
      part_of[v] = static_cast<local_id>(v % 7 == 0 ? 0 : v % 3 == 0 ? 1 : 3); // part 2 is empty
    }
    labels.push_back(make_relabelling(part_of, 4));
  }
  return labels;
}

bool lists_equal(std::vector<global_id> a, std::vector<global_id> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}
std::vector<std::pair<global_id, global_id>> sorted(link_split::pairs const& from) {
  std::vector<std::pair<global_id, global_id>> made;
  for (std::size_t i = 0; i < from.sources.size(); ++i) {
    made.emplace_back(from.sources[i], from.destinations[i]);
  }
  std::ranges::sort(made);
  return made;
}

// Checks what a rank has of a folder against the part that a book of ranks cuts out of the data set in memory.
void check_rank(io::detail::part_content const& loaded, io::detail::part_content const& wanted,
                std::vector<relabelling> const& labels) {
  CHECK(loaded.graph.part == wanted.graph.part);
  for (std::size_t t = 0; t < wanted.nodes.size(); ++t) {
    CAPTURE(t);
    CHECK(loaded.graph.books[t].matches(wanted.graph.books[t]));
    auto const& nodes = loaded.nodes[t];
    CHECK(std::ranges::equal(loaded.graph.original[t], wanted.graph.original[t]));
    check_same(nodes.features, wanted.nodes[t].features);
    check_same(nodes.labels, wanted.nodes[t].labels);
    CHECK(std::ranges::equal(nodes.times, wanted.nodes[t].times));
    CHECK(lists_equal(nodes.train, wanted.nodes[t].train));
    CHECK(lists_equal(nodes.valid, wanted.nodes[t].valid));
    CHECK(lists_equal(nodes.test, wanted.nodes[t].test));
    std::unordered_set<global_id> hot;
    for (std::int64_t i = 0; i < nodes.hot.ids.size(); ++i) {
      auto const id = nodes.hot.ids[i];
      CHECK(hot.insert(id).second);
      CHECK(loaded.graph.books[t].owner(id) != loaded.graph.part);
      CHECK(nodes.hot.features[0].values.matrix<float>()(i, 0) ==
            static_cast<float>(labels[t].original[id]) * (wanted.nodes.size() == 1 ? 10 : 1));
    }
    CHECK(hot.size() <= static_cast<std::size_t>(wanted.nodes[t].hot.ids.size()));
  }
  for (std::size_t e = 0; e < wanted.edges.size(); ++e) {
    CAPTURE(e);
    auto const& edges = loaded.edges[e];
    auto const rows = loaded.graph.relations[e].view();
    auto const wanted_rows = wanted.graph.relations[e].view();
    CHECK(std::ranges::equal(rows.offsets(), wanted_rows.offsets()));
    CHECK(std::ranges::equal(rows.sources(), wanted_rows.sources()));
    CHECK(std::ranges::equal(rows.edge_ids(), wanted_rows.edge_ids()));
    CHECK(rows.num_columns() == wanted_rows.num_columns());
    check_same(edges.features, wanted.edges[e].features);
    CHECK(std::ranges::equal(edges.weights, wanted.edges[e].weights));
    CHECK(std::ranges::equal(edges.times, wanted.edges[e].times));
    REQUIRE(edges.links.size() == wanted.edges[e].links.size());
    for (std::size_t i = 0; i < edges.links.size(); ++i) {
      CHECK(edges.links[i].name == wanted.edges[e].links[i].name);
      CHECK(sorted(edges.links[i].edges) == sorted(wanted.edges[e].links[i].edges));
      CHECK(sorted(edges.links[i].negatives) == sorted(wanted.edges[e].links[i].negatives));
    }
  }
}

// Checks that a table gathers the rows of another one, by storages except for some tensors.
void check_rows(feature_table<device::cpu> const& read, feature_table<device::cpu> const& wanted,
                std::vector<std::string> const& in_memory) {
  CHECK(read.names() == wanted.names());
  CHECK(read.num_rows() == wanted.num_rows());
  std::vector<local_id> ids; // backwards, some twice
  for (auto row = static_cast<local_id>(wanted.num_rows()); row-- > 0;) {
    ids.insert(ids.end(), row % 3 == 0 ? 2 : 1, row);
  }
  host_view<local_id const> const rows(ids);
  auto const tensors = read.tensors();
  for (auto const& [name, tensor] : tensors) {
    CAPTURE(name);
    CHECK((tensor.storage == nullptr) == (std::ranges::find(in_memory, name) != in_memory.end()));
    auto const found = read.gather<double>(name, rows);
    auto const expected = wanted.gather<double>(name, rows);
    CHECK(std::ranges::equal(found.view().features.flat(), expected.view().features.flat()));
  }
}

} // namespace

TEST_CASE("a rank loads of any number of parts what its book cuts out of the data set") {
  for (bool const typed : {false, true}) {
    auto const data = typed ? hetero_known_set() : uneven_set();
    for (bool const uneven : {false, true}) {
      auto const labels = uneven ? uneven_labels(data) : random_labels(data, 4);
      std::vector<global_id> const ids{0, 1, 2, 3, 4, 5, 6, 7, 8};
      scratch_folder const scratch;
      io::write_parts(scratch / "parts", data, labels,
                      {.hot = {{.node_type = 0, .by_part = {ids, ids, {}, ids}}}, .halo = true});
      io::parts_folder const folder(scratch / "parts");
      for (int const ranks : {1, 2, 3, 4, 5, 7, 8, 60}) {
        for (bool const balance_edges : {false, true}) {
          auto const books = io::detail::books_of_ranks(folder, ranks, balance_edges);
          std::vector<relabelling> of_ranks;
          for (std::size_t t = 0; t < labels.size(); ++t) {
            of_ranks.push_back({books[t], make_buffer<device::cpu>(labels[t].original.view()),
                                make_buffer<device::cpu>(labels[t].renumbered.view())});
          }
          std::vector<std::vector<global_id>> const hot(static_cast<std::size_t>(ranks), ids);
          io::write_options const options{.hot = {{.node_type = 0, .by_part = hot}}};
          io::detail::raw_data_cutter cutter(data.view(), of_ranks, options);
          for (int rank = 0; rank < ranks; ++rank) {
            CAPTURE(typed);
            CAPTURE(uneven);
            CAPTURE(ranks);
            CAPTURE(balance_edges);
            CAPTURE(rank);
            check_rank(io::detail::load_content_for_rank(folder, rank, ranks,
                                                         {.verify = rank % 2 == 0,
                                                          .validate = ranks != 5,
                                                          .finite = true,
                                                          .populate = ranks % 2 == 0,
                                                          .balance_edges = balance_edges}),
                       cutter.cut(rank), labels);
          }
        }
      }
    }
  }
}

TEST_CASE("ranks have the same share of parts, whole ones where their number divides") {
  partition_book const four({0, 10, 10, 31, 40}, 9);
  auto const offsets = [&](int ranks) {
    auto const book = io::detail::book_of_ranks(four, ranks);
    CHECK(book.partitioning() == 9);
    return std::vector<global_id>(book.offsets().begin(), book.offsets().end());
  };
  CHECK(offsets(1) == std::vector<global_id>{0, 40});
  CHECK(offsets(2) == std::vector<global_id>{0, 10, 40});
  CHECK(offsets(3) == std::vector<global_id>{0, 10, 24, 40});
  CHECK(io::detail::book_of_ranks(four, 4) == four);
  CHECK(offsets(8) == std::vector<global_id>{0, 5, 10, 10, 10, 20, 31, 35, 40});
}

TEST_CASE("ranks have about equal numbers of in-edges of a skewed graph, if they are to") {
  edge_list graph{"skewed", 400, {}, {}};
  random_stream draws(random_key(6), 0);
  for (int e = 0; e < 6000; ++e) {
    auto const any = static_cast<std::int64_t>(draws.below(400));
    graph.add(any, static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(any) + 1)) / 4);
  }
  std::vector<relabelling> labels;
  std::vector<local_id> part_of(400);
  for (std::size_t v = 0; v < part_of.size(); ++v) {
    part_of[v] = static_cast<local_id>(v / 100); // the first has all edges
  }
  labels.push_back(make_relabelling(part_of, 4));
  auto const data = known_set(graph);
  for (bool const random : {false, true}) {
    scratch_folder const scratch;
    auto const random_ones = random_labels(data, 4);
    io::write_parts(scratch / "parts", data, random ? random_ones : labels);
    io::parts_folder const folder(scratch / "parts");
    for (int const ranks : {2, 3, 4, 7}) {
      CAPTURE(ranks);
      auto const by_rows = most_in_edges(folder, ranks, false);
      auto const by_edges = most_in_edges(folder, ranks, true);
      CHECK(by_edges.first < by_rows.first + (random && ranks == 2 ? 1 : 0)); // two halves may be even by chance
      CHECK(by_edges.first <= 6000 / ranks + by_edges.second);
    }
  }
  scratch_folder const scratch;
  auto const no_edges = known_set({"no edges", 40, {}, {}});
  io::write_parts(scratch / "parts", no_edges, random_labels(no_edges, 4));
  io::parts_folder const folder(scratch / "parts");
  CHECK(io::detail::books_of_ranks(folder, 3, true) == io::detail::books_of_ranks(folder, 3, false));
}

TEST_CASE("rows of several parts are read from their files, and are those in memory") {
  for (bool const typed : {false, true}) {
    auto const data = typed ? hetero_known_set() : uneven_set();
    for (bool const uneven : {false, true}) {
      scratch_folder const scratch;
      io::write_parts(scratch / "parts", data, uneven ? uneven_labels(data) : random_labels(data, 4));
      io::parts_folder const folder(scratch / "parts");
      for (int const ranks : {1, 2, 3, 4, 7}) {
        for (bool const balance_edges : {false, true}) {
          for (int rank = 0; rank < ranks; ++rank) {
            CAPTURE(typed);
            CAPTURE(uneven);
            CAPTURE(ranks);
            CAPTURE(balance_edges);
            CAPTURE(rank);
            auto const load = [&](std::optional<io::disk_rows::options> const& disk, bool populate) {
              return folder.load_for_rank(
                  rank, ranks,
                  {.populate = populate, .balance_edges = balance_edges, .edge_tensors = true, .disk = disk});
            };
            auto const memory = load({}, false);
            auto const disk = load(
                io::disk_rows::options{.cache_bytes = 1000 * (rank % 2), .queue_depth = 2, .io_uring = rank % 3 == 0},
                rank % 4 == 1);
            for (std::size_t t = 0; t < data.nodes.size(); ++t) {
              check_rows(disk.vertices[t].tensors, memory.vertices[t].tensors, {"y", "time"});
            }
            for (std::size_t e = 0; e < data.edges.size(); ++e) {
              check_rows(disk.edges[e].tensors, memory.edges[e].tensors, {"time"});
            }
          }
        }
      }
    }
  }
}

TEST_CASE("rows of several files have no addresses, and who needs them is told so") {
  scratch_folder const scratch;
  auto const data = uneven_set();
  io::write_parts(scratch / "parts", data, random_labels(data, 4));
  auto const part =
      io::parts_folder(scratch / "parts").load_for_rank(0, 1, {.disk = io::disk_rows::options{.queue_depth = 2}});
  auto const rows = part.vertices[0].tensors.view<float>("x");
  CHECK(rows.num_vertices() == 101);
  CHECK(rows.features.data() == nullptr);
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(copy<device::cpu>(rows)); }), "several files",
              "without `disk`"));
  threads_node<serial_comm> node({});
  CHECK(names(thrown<collective_error>([&] { static_cast<void>(dist::share(node, part.vertices[0].tensors)); }),
              "several files"));
}
