// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/large_stream.hpp>

#include <glt/core/random.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/coo.hpp>
#include <glt/partition/fennel.hpp>
#include <glt/partition/ldg.hpp>

#include "../support/errors.hpp"
#include "../support/ranks.hpp"
#include "../support/scratch.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

using glt::global_id;

namespace {

struct random_edges {
  std::vector<global_id> sources;
  std::vector<global_id> destinations;

  random_edges(std::int64_t num_vertices, std::int64_t num_edges) {
    glt::random_stream draws(glt::random_key(2), static_cast<std::uint64_t>(num_edges));
    auto const draw = [&] { return static_cast<global_id>(draws.below(static_cast<std::uint64_t>(num_vertices))); };
    for (std::int64_t e = 0; e < num_edges; ++e) {
      sources.push_back(draw());
      destinations.push_back(std::min(draw(), draw()));
    }
  }
  [[nodiscard]] glt::io::edge_columns view() const { return {sources, destinations}; }
};

std::filesystem::path own_folder(glt_test::scratch_folder const& scratch, int rank) {
  auto path = scratch / std::to_string(rank);
  std::filesystem::create_directory(path);
  return path;
}

// As little memory as there can be: many ranges and rounds.
glt::io::memory_plan scarce(std::int64_t bytes) {
  return {.for_vertices = 0, .for_edges = bytes};
}

template <class Partitioner, class MakeStream>
void check_parts(Partitioner partitioner, MakeStream make_stream) {
  glt_test::on_ranks([&](auto comm) {
    glt_test::scratch_folder const scratch;
    for (auto const& [vertices, count] : {std::pair{1, 0}, std::pair{1, 3}, std::pair{60, 500}, std::pair{300, 4000}}) {
      random_edges const edges(vertices, count);
      auto const graph = glt::make_csr<glt::device::cpu>(
          glt::coo_view<glt::memory_space::host, global_id>(vertices, edges.sources, edges.destinations));
      for (int const passes : {1, 3}) {
        partitioner.order = glt::stream_order::natural;
        partitioner.passes = passes;
        auto const expected = partitioner(graph.view(), 3);
        for (std::int64_t const memory : {1000, 20000, 1 << 24}) {
          auto const part_of = glt::io::assign_by_stream(
              comm, [&] { return make_stream(partitioner, vertices, count); }, vertices, edges.view(),
              {.passes = passes, .plan = scarce(memory), .scratch = own_folder(scratch, comm.rank())});
          CHECK(std::ranges::equal(part_of, expected));
        }
      }
    }
  });
}

} // namespace

TEST_CASE("a graph on disk is divided as the same graph in memory") {
  check_parts(glt::ldg_partitioner{},
              [](auto const& ldg, std::int64_t vertices, std::int64_t) { return ldg.stream(vertices, 3); });
  check_parts(glt::fennel_partitioner{}, [](auto const& fennel, std::int64_t vertices, std::int64_t edges) {
    return fennel.stream(vertices, edges, 3);
  });
}

TEST_CASE("an edge that leaves the graph is named on every rank") {
  glt_test::on_ranks([](auto comm) {
    glt_test::scratch_folder const scratch;
    random_edges edges(10, 40);
    edges.sources[37] = 10;
    auto const text = glt_test::thrown<glt::collective_error>([&] {
      static_cast<void>(glt::io::assign_by_stream(comm, [] { return glt::ldg_partitioner{}.stream(10, 1); }, 10,
                                                  edges.view(),
                                                  {.plan = scarce(1000), .scratch = own_folder(scratch, comm.rank())}));
    });
    CHECK(glt_test::names(text, "source of edge 37 is 10", "[0, 10)"));
  });
}
