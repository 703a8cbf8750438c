// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples what was known at the time of a seed, over MPI ranks: mpirun -np 2 temporal_sampling
#include <glt/glt.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/program.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

namespace dist = glt::dist;
using data_set = dist::data_set<glt::device::cpu>;

// When a message was sent.
std::int64_t time_of(std::int64_t message) {
  return 1'700'000'000 + message * 7919 % 5000;
}

// Sampled edges by their time in relation to that of the seed whose tree they are in.
struct tally {
  std::int64_t earlier = 0, equal = 0, later = 0;
};

// Samples two hops around the seeds of all ranks.
template <class Rule>
tally count_edges(glt::mpi_comm comm, data_set const& data, dist::vertex_seeds<> const& seeds,
                  std::vector<std::int64_t> const& times_of_seeds, Rule rule) {
  dist::neighbor_batches const recipe(data, {.fanouts = {5, 5}, .edge_ids = true, .disjoint = true}, rule);
  dist::loader loader(comm, recipe, seeds, {.batch_size = 128});
  std::array<std::int64_t, 3> sums{};
  for (auto const& batch : loader.epoch(0)) {
    auto const& tree = batch.subgraph;
    for (std::int64_t e = 0; e < tree.edge_ids().size(); ++e) {
      auto const seed = batch.positions[static_cast<std::size_t>(tree.batch()[tree.col()[e]])];
      auto const time = time_of(tree.edge_ids()[e]);
      auto const limit = times_of_seeds[static_cast<std::size_t>(seed)];
      ++sums[time < limit ? 0 : time == limit ? 1 : 2];
    }
  }
  glt::reduce_over_ranks(comm, sums, glt::reduction::sum);
  return {sums[0], sums[1], sums[2]};
}

void run(glt::mpi_comm comm) {
  // Messages from vertex to vertex, in no order of time; a rank has some of them.
  auto const messages = glt::make_rmat<glt::local_id>({.scale = 10, .edge_factor = 8});
  std::vector<std::int64_t> senders, receivers, ids, times;
  for (std::int64_t e = comm.rank(); e < messages.view().num_edges(); e += comm.size()) {
    senders.push_back(messages.view().sources()[e]);
    receivers.push_back(messages.view().destinations()[e]);
    ids.push_back(e);
    times.push_back(time_of(e));
  }
  auto const data =
      dist::make_data_set(comm, {.edges = {.sources = senders, .destinations = receivers, .ids = ids, .times = times}},
                          glt::hash_partitioner{}, {.num_vertices = messages.view().num_vertices()});

  // Seeds: who receives one of the latest messages, and when.
  dist::vertex_seeds<> seeds;
  auto const& rows = data.graph().local();
  for (std::int64_t row = 0; row < rows.num_rows(); ++row) {
    for (auto e = rows.offset(row); e < rows.offset(row + 1); ++e) {
      if (data.edge_times()[e] >= 1'700'004'500) {
        seeds.vertices.push_back(data.book().begin(comm.rank()) + row);
        seeds.times.push_back(data.edge_times()[e]);
      }
    }
  }

  using glt::temporal_strategy;
  using temporal = glt::temporal_rule<glt::memory_space::host>;
  temporal const not_later{.times = data.edge_times()};
  temporal const before{.times = data.edge_times(), .strictly_before = true};
  temporal const last{.times = data.edge_times(), .strategy = temporal_strategy::last, .strictly_before = true};
  std::array const tallies{count_edges(comm, data, {seeds.vertices}, seeds.times, glt::uniform_rule{}),
                           count_edges(comm, data, seeds, seeds.times, not_later),
                           count_edges(comm, data, seeds, seeds.times, before),
                           count_edges(comm, data, seeds, seeds.times, last)};
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
