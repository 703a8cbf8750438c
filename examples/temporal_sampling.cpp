// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples what was known at the time of a seed, over MPI ranks: mpirun -np 2 temporal_sampling
#include <glt/glt.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/program.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <utility>
#include <vector>

namespace dist = glt::dist;
using glt::device::cpu;

// Sampled edges by their time in relation to that of the seed whose tree they are in.
struct tally {
  std::int64_t earlier = 0, equal = 0, later = 0;
};

// Samples two hops around the seeds of all ranks.
template <class Rule>
tally count_edges(glt::mpi_comm comm, dist::graph<cpu> const& graph, dist::vertex_seeds<> const& seeds,
                  std::vector<std::int64_t> const& times_of_seeds, std::vector<std::int64_t> const& times, Rule rule) {
  dist::neighbor_batches const recipe(graph, {.fanouts = {5, 5}, .edge_ids = true, .disjoint = true}, rule);
  dist::loader loader(comm, recipe, seeds, {.batch_size = 128});
  std::array<std::int64_t, 3> sums{};
  for (auto const& batch : loader.epoch(0)) {
    auto const& tree = batch.subgraph;
    for (std::int64_t e = 0; e < tree.edge_ids().size(); ++e) {
      auto const seed = batch.positions[static_cast<std::size_t>(tree.batch()[tree.col()[e]])];
      auto const time = times[static_cast<std::size_t>(tree.edge_ids()[e])];
      auto const limit = times_of_seeds[static_cast<std::size_t>(seed)];
      ++sums[time < limit ? 0 : time == limit ? 1 : 2];
    }
  }
  glt::reduce_over_ranks(comm, sums, glt::reduction::sum);
  return {sums[0], sums[1], sums[2]};
}

void run(glt::mpi_comm comm) {
  // Messages from vertex to vertex, and when they were sent: edge e of the input has time times[e].
  auto const messages = glt::make_rmat<glt::local_id>({.scale = 10, .edge_factor = 8});
  std::vector<std::int64_t> times;
  for (std::int64_t e = 0; e < messages.view().num_edges(); ++e) {
    times.push_back(1'700'000'000 + e * 7919 % 5000);
  }
  auto const whole = glt::make_csr<cpu>(messages.view(), {.edge_ids = true});
  auto const part_of = glt::random_partitioner{.seed = 1}(whole.view(), comm.size());
  auto const names = glt::make_relabelling(part_of.view(), comm.size());

  // Times by the position of an edge in the rows of the part, rows in order of time: what temporal_rule reads.
  auto part = glt::split_graph(whole.view(), names, comm.rank());
  auto const by_position = glt::make_edge_values(part.graph.view(), times);
  auto sorted = glt::sort_rows_by_time(part.graph.view(), by_position.view());
  part.graph = std::move(sorted.graph);
  dist::graph<cpu> const graph(comm, std::move(part));

  // Seeds: who receives one of the latest messages, and when.
  dist::vertex_seeds<> seeds;
  for (std::int64_t row = 0; row < graph.local().num_rows(); ++row) {
    for (auto e = graph.local().offset(row); e < graph.local().offset(row + 1); ++e) {
      if (sorted.times[e] >= 1'700'004'500) {
        seeds.vertices.push_back(graph.book().begin(comm.rank()) + row);
        seeds.times.push_back(sorted.times[e]);
      }
    }
  }

  using glt::temporal_strategy;
  using temporal = glt::temporal_rule<glt::memory_space::host>;
  temporal const not_later{.times = sorted.times.view()};
  temporal const before{.times = sorted.times.view(), .strictly_before = true};
  temporal const last{.times = sorted.times.view(), .strategy = temporal_strategy::last, .strictly_before = true};
  std::array const tallies{count_edges(comm, graph, {seeds.vertices}, seeds.times, times, glt::uniform_rule{}),
                           count_edges(comm, graph, seeds, seeds.times, times, not_later),
                           count_edges(comm, graph, seeds, seeds.times, times, before),
                           count_edges(comm, graph, seeds, seeds.times, times, last)};
  if (comm.rank() == 0) {
    constexpr std::array names_of_rules{"uniform, without times", "not later", "before", "the last ones before"};
    for (std::size_t i = 0; i < tallies.size(); ++i) {
      std::cout << names_of_rules[i] << ": " << tallies[i].earlier << " earlier edges, " << tallies[i].equal
                << " of the same time, " << tallies[i].later << " later\n";
    }
  }
  // "Not later" lets the message itself in.
  bool const right = tallies[0].later > 0 && tallies[1].equal > 0 && tallies[1].later == 0 && tallies[2].earlier > 0 &&
                     tallies[2].equal + tallies[2].later == 0 && tallies[3].earlier > 0 &&
                     tallies[3].equal + tallies[3].later == 0;
  if (!right) {
    throw glt::precondition_error("edges of other times were sampled than the rules allow");
  }
}

int main() {
  return glt::run_mpi_program(run, std::cerr);
}
