// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/outofcore/detail/stream.hpp>

#include <glt/comm/serial.hpp>
#include <glt/core/random.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/outofcore/detail/all_types.hpp>
#include <glt/partition/multilevel/multilevel_partitioner.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>

#include "support/allocations.hpp"
#include "support/errors.hpp"
#include "support/random_ids.hpp"
#include "support/ranks.hpp"
#include "support/scratch.hpp"
#include "support/typed_sets.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

using glt::global_id;
namespace io = glt::io;

namespace {

constexpr int num_parts = 3;

io::raw_data random_set(std::int64_t num_vertices, std::int64_t num_edges, bool typed) {
  auto const train = glt_test::random_ids(num_vertices / 3, num_vertices, 1);
  return typed ? glt_test::typed_set(num_vertices, num_edges)
               : glt_test::plain_set(num_vertices, glt_test::random_ids(num_edges, num_vertices, 2),
                                     glt_test::random_ids(num_edges, num_vertices / 2 + 1, 3), train);
}

std::filesystem::path own_folder(glt_test::scratch_folder const& scratch, int rank) {
  auto path = scratch / std::to_string(rank);
  std::filesystem::create_directory(path);
  return path;
}

// As little memory as there can be: many ranges and rounds.
io::detail::memory_plan scarce(std::int64_t bytes) {
  return {.for_vertices = 0, .for_edges = bytes};
}

template <class Partitioner, class Stream>
void check_parts(Partitioner partitioner, Stream stream_of) {
  partitioner.order = glt::stream_order::natural;
  for (bool const typed : {false, true}) {
    for (auto const& [vertices, edges] : {std::pair{1, 0}, std::pair{1, 3}, std::pair{60, 500}, std::pair{301, 1501}}) {
      CAPTURE(typed);
      CAPTURE(vertices);
      auto const data = random_set(vertices, edges, typed);
      auto const graph = glt_test::whole_graph_of(data);
      auto const view = data.view();
      io::detail::all_types const all(view);
      for (bool const balanced : {false, true}) {
        auto const limits = [&](auto balance_of_edges) {
          glt::balance_constraints made;
          if (balanced) {
            made.push_back(balance_of_edges);
            made.push_back(
                glt::balance_limit::seeds(all.num_vertices(), glt::host_view<global_id const>(all.train()), 0.01));
            made.push_back(glt::balance_limit::types(all.schema()));
          }
          return made;
        };
        partitioner.balance = limits(glt::balance_limit::edges(graph.view()));
        for (int const passes : {1, 3}) {
          partitioner.passes = passes;
          auto const expected = partitioner(graph.view(), num_parts);
          for (std::int64_t const memory : {1000, 20000, 1 << 24}) {
            glt_test::on_ranks([&](auto comm) {
              glt_test::scratch_folder const scratch;
              auto const make_stream = [&](glt::host_view<std::int64_t const> in_degrees) {
                auto streamed = partitioner;
                streamed.balance = limits(glt::balance_limit::weights("edges", in_degrees));
                return stream_of(streamed, all);
              };
              auto const part_of = io::detail::assign_by_stream(
                  comm, make_stream, view,
                  {.passes = passes, .plan = scarce(memory), .scratch = own_folder(scratch, comm.rank())});
              CHECK(std::ranges::equal(part_of, expected));
            });
          }
        }
      }
    }
  }
}

} // namespace

TEST_CASE("LDG divides a graph on disk as the same graph in memory") {
  check_parts(glt::ldg_partitioner{}, [](auto const& ldg, io::detail::all_types const& all) {
    return ldg.stream(all.num_vertices(), num_parts);
  });
}

TEST_CASE("Fennel divides a graph on disk as the same graph in memory") {
  check_parts(glt::fennel_partitioner{}, [](auto const& fennel, io::detail::all_types const& all) {
    return fennel.stream(all.num_vertices(), all.num_edges(), num_parts);
  });
}

TEST_CASE(
    "the multilevel partitioner divides a graph on disk as in memory, but its memory does not grow with the edges") {
  constexpr std::int64_t num_vertices = 20'000;
  auto const peak_of = [](int copies) { // of every edge
    auto data = glt_test::plain_set(num_vertices, {}, {}, {});
    glt::random_stream draws(glt::random_key(7), 0);
    for (std::int64_t e = 0; e < 2 * num_vertices; ++e) { // most edges within 100 vertices
      auto const from = static_cast<std::int64_t>(draws.below(num_vertices));
      auto const to = e % 8 == 0 ? static_cast<std::int64_t>(draws.below(num_vertices))
                                 : from / 100 * 100 + static_cast<std::int64_t>(draws.below(100));
      for (int copy = 0; copy < copies; ++copy) {
        data.edges[0].sources.push_back(from);
        data.edges[0].destinations.push_back(to);
      }
    }
    auto const view = data.view();
    io::detail::all_types const graph(view);
    glt_test::scratch_folder const scratch;
    glt_test::allocated_bytes const used;
    static_cast<void>(io::detail::assign_multilevel(glt::serial_comm{}, graph, num_parts,
                                                    [](auto) { return glt::multilevel_partitioner<>{}; },
                                                    {.plan = scarce(1 << 20), .scratch = own_folder(scratch, 0)}));
    return used.peak();
  };
  auto const once = peak_of(1);
  CHECK(once > 24 * num_vertices);
  CHECK(peak_of(5) < once * 11 / 10); // 5 MB more for edges of both directions
}

TEST_CASE("an edge that leaves the graph, or what a partitioner refuses, is named on every rank") {
  glt_test::on_ranks([](auto comm) {
    glt_test::scratch_folder const scratch;
    auto data = random_set(10, 40, true);
    double slack = 0.05;
    auto const failure = [&] {
      return glt_test::thrown<glt::collective_error>([&] {
        static_cast<void>(io::detail::assign_by_stream(
            comm, [&](auto) { return glt::ldg_partitioner{.capacity_slack = slack}.stream(16, 1); }, data.view(),
            {.plan = scarce(1000), .scratch = own_folder(scratch, comm.rank())}));
      });
    };
    slack = -1;
    CHECK(glt_test::names(failure(), "slack of -1"));
    slack = 0;
    data.edges[0].sources[37] = 10;
    CHECK(glt_test::names(failure(), "source of edge 37 of (author, writes, paper) is 10", "[0, 6)"));
  });
}
