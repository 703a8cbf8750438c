// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/outofcore/detail/hot_vertices.hpp>

#include <glt/dist/hotness/frequency_partition.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/ranks.hpp"
#include "support/scratch.hpp"
#include "support/typed_sets.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

using glt::global_id;
namespace io = glt::io;

namespace {

std::filesystem::path own_folder(glt_test::scratch_folder const& scratch, int rank) {
  auto path = scratch / std::to_string(rank);
  std::filesystem::create_directory(path);
  return path;
}

glt::balance_constraints limits_of(glt::hetero_schema const& schema, glt::host_view<std::int64_t const> in_degrees) {
  return {glt::balance_limit::weights("edges", in_degrees, 0.2), glt::balance_limit::types(schema, 0.1)};
}

} // namespace

TEST_CASE("a graph on disk is divided by frequency as the same graph in memory, with and without limits") {
  for (auto const& [vertices, edges] :
       {std::pair{0, 0}, std::pair{1, 3}, std::pair{40, 0}, std::pair{60, 500}, std::pair{301, 4000}}) {
    auto const data = glt_test::typed_set(vertices, edges);
    io::detail::all_types const graph(data.view());
    auto const whole = glt_test::whole_graph_of(data);
    std::vector<std::int64_t> in_degrees;
    for (std::int64_t v = 0; v < whole.view().num_rows(); ++v) {
      in_degrees.push_back(whole.view().degree(v));
    }
    auto const seeds = graph.train();
    glt::hotness_options const hotness{.neighbors = {.fanouts = {4, 3}}, .batch_size = 5};
    glt::ldg_partitioner const deal{.passes = 2, .order = glt::stream_order::natural};
    for (int const parts : {1, 3, 6}) {
      auto const dealt = deal(whole.view(), parts);
      for (bool const limited : {false, true}) {
        auto const limits = [&](glt::host_view<std::int64_t const> degrees) {
          return limited ? limits_of(graph.schema(), degrees) : glt::balance_constraints();
        };
        glt::dist::frequency_partitioner<glt::ldg_partitioner> const partitioner{
            .seeds = seeds, .hotness = hotness, .capacity_slack = 0.1, .balance = limits(in_degrees), .deal = deal};
        auto const expected = glt_test::to_vector(partitioner(whole.view(), parts));
        glt_test::on_ranks([&](auto comm) {
          glt_test::scratch_folder const scratch;
          for (auto const& plan :
               {io::detail::memory_plan{.for_edges = 100}, io::detail::plan_memory(vertices * 2, 1 << 28)}) {
            auto const found = io::detail::assign_by_frequency(comm, graph, dealt.view(), parts,
                                                               {.estimate = {.hotness = hotness, .plan = plan},
                                                                .capacity_slack = 0.1,
                                                                .scratch = own_folder(scratch, comm.rank())},
                                                               limits);
            CHECK(glt_test::to_vector(found) == expected);
            CHECK(std::filesystem::is_empty(own_folder(scratch, comm.rank())));
          }
        });
      }
    }
  }
}

TEST_CASE("what one rank cannot do is said on all") {
  glt_test::on_ranks([](auto comm) {
    glt_test::scratch_folder const scratch;
    auto const data = glt_test::typed_set(20, 50);
    io::detail::all_types const graph(data.view());
    std::vector<glt::local_id> const dealt(static_cast<std::size_t>(graph.num_vertices()), 0);
    auto const failure = [&](io::detail::frequency_assignment_options const& options, int parts, double slack) {
      return glt_test::thrown<glt::collective_error>([&] {
        static_cast<void>(io::detail::assign_by_frequency(
            comm, graph, glt::host_view<glt::local_id const>(dealt), parts, options,
            [&](auto) -> glt::balance_constraints { return {glt::balance_limit::vertices(slack)}; }));
      });
    };
    io::detail::frequency_assignment_options good{.estimate = {.hotness = {.neighbors = {.fanouts = {2}}}},
                                                  .scratch = own_folder(scratch, comm.rank())};
    CHECK(glt_test::names(failure(good, 2, -3), "balance of vertices", "-3"));
    CHECK(glt_test::names(failure(good, 0, 0), "0 parts"));
    if (comm.size() > 1) {
      CHECK(glt_test::names(failure(good, comm.rank() == 0 ? 2 : 3, 0), "makes 3 parts, but rank 0 2"));
    }
    auto other = good;
    other.capacity_slack = -1;
    CHECK(glt_test::names(failure(other, 2, 0), "-1"));
    other = good;
    other.scratch = scratch / "nowhere";
    CHECK(glt_test::names(failure(other, 2, 0), "nowhere/hotness", "cannot be created"));
  });
}
