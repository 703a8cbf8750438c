// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/ptscotch/partitioner.hpp>

#include <glt/comm/counting.hpp>
#include <glt/dist/builder/make_data_set.hpp>
#include <glt/graph/generators.hpp>
#include <glt/io/array/npy.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/public_data.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// A rank's share of an edge list: every R-th edge.
template <class Vertex>
struct held_edges {
  std::vector<Vertex> sources;
  std::vector<Vertex> destinations;

  held_edges() = default;
  held_edges(coo_view<memory_space::host, Vertex> graph, int rank, int ranks) {
    for (std::int64_t e = rank; e < graph.num_edges(); e += ranks) {
      sources.push_back(graph.sources()[e]);
      destinations.push_back(graph.destinations()[e]);
    }
  }
  [[nodiscard]] dist::local_data local() const { return {.edges = {.sources = sources, .destinations = destinations}}; }
};

template <class Comm, class Vertex>
dist::data_set<device::cpu> spread(Comm& comm, coo_view<memory_space::host, Vertex> graph,
                                   ptscotch_partitioner const& method = {}) {
  held_edges const held(graph, comm.rank(), comm.size());
  return dist::make_data_set(comm, held.local(), method, {.num_vertices = graph.num_vertices()});
}

// Share of all edges whose ends are in different parts.
template <class Comm>
double cut_of(Comm& comm, dist::data_set<device::cpu> const& data) {
  auto const rows = data.graph().local();
  std::array<std::int64_t, 2> counts{0, rows.num_edges()};
  for (auto const source : rows.sources()) {
    counts[0] += data.graph().book().owner(source) != comm.rank() ? 1 : 0;
  }
  comm.all_reduce(std::span<std::int64_t>(counts), reduction::sum);
  return static_cast<double>(counts[0]) / static_cast<double>(counts[1]);
}

// Every vertex is in one part, and no part exceeds the capacity.
template <class Comm>
void check_parts(Comm& comm, dist::data_set<device::cpu> const& data, std::int64_t num_vertices, double slack) {
  auto const& book = data.graph().book();
  CHECK(book.num_vertices() == num_vertices);
  std::vector<std::int64_t> times(static_cast<std::size_t>(num_vertices), 0);
  for (auto const vertex : data.original()) {
    ++times[static_cast<std::size_t>(vertex)];
  }
  comm.all_reduce(std::span<std::int64_t>(times), reduction::sum);
  CHECK(std::ranges::all_of(times, [](auto count) { return count == 1; }));
  for (int part = 0; part < comm.size(); ++part) {
    CAPTURE(part);
    CHECK(book.size(part) <= detail::part_capacity(num_vertices, 1, slack, comm.size()));
  }
}

} // namespace

TEST_CASE("every vertex gets a part within the slack, and always the same one") {
  on_ranks([](auto comm) {
    for (auto const& graph : adversarial_graphs()) {
      CAPTURE(graph.name);
      auto const data = spread(comm, graph.view());
      check_parts(comm, data, graph.num_vertices, 0.03);
      auto const again = spread(comm, graph.view());
      CHECK(to_vector(again.original()) == to_vector(data.original()));
    }
  });
}

TEST_CASE("communities are found again, whatever the seed") {
  auto const planted =
      make_planted_communities({.num_vertices = 4001, .num_communities = 12, .in_degree = 8, .out_degree = 1});
  on_ranks([&](auto comm) {
    for (std::uint64_t const seed : {1, 2, 3}) {
      auto const data = spread(comm, planted.graph.view(), {.seed = seed, .capacity_slack = 0.05});
      check_parts(comm, data, 4001, 0.05);
      CHECK(cut_of(comm, data) < 0.2); // 1 of 9 edges comes from outside; hashing cuts 0.75 of 4 parts
    }
  });
}

TEST_CASE("communities of two types are found again, and every part gets its share of both") {
  auto const planted =
      make_planted_communities({.num_vertices = 4001, .num_communities = 12, .in_degree = 8, .out_degree = 1});
  auto const graph = planted.graph.view();
  std::array<char const*, 3> const types{"paper", "author", "venue"};
  auto const type_of = [](std::int64_t v) { return static_cast<std::size_t>(v % 3 == 0 ? 1 : 0); };
  std::array<std::int64_t, 3> num_vertices{0, 0, 5}; // venues have no edges
  for (std::int64_t v = 0; v < graph.num_vertices(); ++v) {
    ++num_vertices[type_of(v)];
  }
  on_ranks([&](auto comm) {
    std::array<held_edges<global_id>, 4> held; // sources before destinations
    for (std::int64_t e = comm.rank(); e < graph.num_edges(); e += comm.size()) {
      auto const source = graph.sources()[e];
      auto const destination = graph.destinations()[e];
      auto& edges = held[2 * type_of(source) + type_of(destination)];
      edges.sources.push_back(10 * source);
      edges.destinations.push_back(10 * destination);
    }
    dist::local_data data;
    for (auto const* const type : types) {
      data.node_types.push_back({.name = type});
    }
    data.node_types[2].num_vertices = num_vertices[2];
    for (std::size_t e = 0; e < held.size(); ++e) {
      data.edge_types.push_back({types[e / 2], "edge" + std::to_string(e), types[e % 2], held[e].local().edges});
    }
    std::vector<std::vector<global_id>> first;
    for (int const time : {0, 1}) {
      auto const made = dist::make_data_set(comm, data, ptscotch_partitioner{.capacity_slack = 0.05});
      std::array<std::int64_t, 2> counts{0, graph.num_edges()}; // of cut edges
      for (int e = 0; e < made.schema().num_edge_types(); ++e) {
        for (auto const source : made.hetero_graph().local(e).sources()) {
          counts[0] += made.book(made.schema().source_type(e)).owner(source) != comm.rank() ? 1 : 0;
        }
      }
      comm.all_reduce(std::span(counts).first(1), reduction::sum);
      CHECK(static_cast<double>(counts[0]) < 0.2 * static_cast<double>(counts[1]));
      for (int t = 0; t < 3; ++t) {
        CAPTURE(t);
        auto const all = num_vertices[static_cast<std::size_t>(t)];
        CHECK(made.book(t).num_vertices() == all);
        CHECK(made.book(t).size(comm.rank()) <= detail::part_capacity(all, 1, 0.05, comm.size()));
        auto const here = to_vector(made.original(t));
        if (time == 0) {
          first.push_back(here);
        } else {
          CHECK(here == first[static_cast<std::size_t>(t)]);
        }
      }
    }
  });
}

TEST_CASE("a grid is cut along short lines") {
  edge_list grid{"grid", 60 * 60, {}, {}};
  for (int v = 0; v < 60 * 60; ++v) {
    if (v % 60 > 0) {
      grid.add(v - 1, v);
    }
    if (v >= 60) {
      grid.add(v - 60, v);
    }
  }
  on_ranks([&](auto comm) {
    counting_comm counted(comm); // any communicator over MPI
    auto const data = spread(counted, grid.view());
    check_parts(comm, data, grid.num_vertices, 0.03);
    CHECK(cut_of(comm, data) < 0.03); // two lines of 60 among 7080 edges are 0.017
  });
}

TEST_CASE("ids with gaps, on ranks that hold few edges or none") {
  on_ranks([](auto comm) {
    auto const graph = random_graph(301, 2000);
    std::vector<std::int64_t> sources;
    std::vector<std::int64_t> destinations;
    if (comm.rank() == comm.size() - 1) {
      for (std::size_t e = 0; e < graph.sources.size(); ++e) {
        sources.push_back(std::int64_t{graph.sources[e]} * 1'000'000'007);
        destinations.push_back(std::int64_t{graph.destinations[e]} * 1'000'000'007);
      }
    }
    auto const data = dist::make_data_set(comm, {.edges = {.sources = sources, .destinations = destinations}},
                                          ptscotch_partitioner{.capacity_slack = 0.1});
    check_parts(comm, data, data.graph().book().num_vertices(), 0.1);
  });
}

TEST_CASE("every edge stands in the rows of both ends, once, with the number of edges it stands for") {
  on_ranks([](auto comm) {
    for (auto const& graph : adversarial_graphs()) {
      CAPTURE(graph.name);
      std::map<std::pair<std::int64_t, std::int64_t>, SCOTCH_Num> expected;
      for (std::size_t e = 0; e < graph.sources.size(); ++e) {
        if (graph.sources[e] != graph.destinations[e]) {
          ++expected[{graph.sources[e], graph.destinations[e]}];
          ++expected[{graph.destinations[e], graph.sources[e]}];
        }
      }
      auto const data = dist::make_data_set(comm, held_edges(graph.view(), comm.rank(), comm.size()).local(), {},
                                            {.num_vertices = graph.num_vertices});
      auto const& homes = data.graph().book(); // ranges, so vertices keep their numbers
      auto const rows = detail::make_scotch_rows(comm, homes, data.graph().local());
      REQUIRE(std::ssize(rows.offsets) == homes.size(comm.rank()) + 1);
      std::int64_t found = 0;
      for (std::size_t row = 0; row + 1 < rows.offsets.size(); ++row) {
        for (auto e = static_cast<std::size_t>(rows.offsets[row]); e < static_cast<std::size_t>(rows.offsets[row + 1]);
             ++e) {
          auto const vertex = homes.begin(comm.rank()) + static_cast<std::int64_t>(row);
          CHECK(expected[{vertex, rows.neighbors[e]}] == rows.weights[e]);
          ++found;
        }
      }
      comm.all_reduce(std::span(&found, 1), reduction::sum);
      CHECK(found == std::ssize(expected));
    }
  });
}

TEST_CASE("parts above the capacity give their vertices with the fewest edges") {
  on_ranks([](auto comm) {
    std::array<SCOTCH_Num, 4> const offsets{0, 3, 4, 6};
    std::vector<local_id> parts{0, 0, 0};
    detail::keep_capacity(comm, offsets, 3, host_view<local_id>(parts));
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(comm.size()), 0);
    for (auto const part : parts) {
      ++sizes[static_cast<std::size_t>(part)];
    }
    comm.all_reduce(std::span<std::int64_t>(sizes), reduction::sum);
    CHECK(std::ranges::all_of(sizes, [](auto size) { return size == 3; }));
    if (comm.rank() == comm.size() - 1) {
      CHECK(parts[0] == 0); // the others gave theirs first
    }
  });
}

TEST_CASE("bad options and sizes beyond PT-Scotch's integers are refused on all ranks") {
  on_ranks([](auto comm) {
    auto const graph = random_graph(101, 300);
    auto const text = thrown<collective_error>([&] {
      static_cast<void>(spread(comm, graph.view(), {.capacity_slack = comm.rank() == comm.size() - 1 ? -0.5 : 0.03}));
    });
    CHECK(names(text, "PT-Scotch", "-0.5"));
    if constexpr (sizeof(SCOTCH_Num) == 4) {
      // Lengths without memory behind them.
      edge_offset const offset = 0;
      global_id const source = 0;
      std::vector<global_id> offsets(static_cast<std::size_t>(comm.size()) + 1, 9);
      offsets[0] = 0;
      csr_view<memory_space::host, global_id> const huge(9, {&offset, comm.rank() == 0 ? 10 : 1},
                                                         {&source, std::int64_t{1} << 30});
      CHECK(names(thrown<collective_error>(
                      [&] { static_cast<void>(ptscotch_partitioner{}(comm, partition_book(offsets), huge, {})); }),
                  "twice the number of edges", "32-bit", "ldg_partitioner"));
    }
  });
}

TEST_CASE("webgraph-dblp-2010 in 4 parts: at most 1.25 times the cut of METIS, 5.3 %" *
          doctest::test_suite("data webgraph-dblp-2010")) {
  auto const folder = public_data("webgraph-dblp-2010");
  if (!folder) {
    return;
  }
  auto const edges = io::read_npy<std::int64_t>(*folder / "edge_index.npy", 2);
  on_ranks(
      [&](auto comm) {
        auto const data = spread(
            comm, coo_view<memory_space::host, global_id>(326'186, edges.matrix().row(0), edges.matrix().row(1)));
        check_parts(comm, data, 326'186, 0.03);
        CHECK(cut_of(comm, data) < 1.25 * 0.053);
      },
      {4});
}
