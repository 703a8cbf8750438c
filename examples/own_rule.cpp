// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples by a draw rule of its own, which keeps every edge with the same probability: mpirun -np 2 own_rule
#include <glt/glt.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/program.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <vector>

using glt::device::cpu;

// Keeps every edge of a row with the same probability, independently of the others, as DropEdge does (Rong et al., ICLR
// 2020). A rule is a small value; its members work on GPUs too and depend on nothing but their arguments.
struct drop_edge_rule {
  using query_type = glt::no_query; // requests carry their vertex and nothing else

  std::uint32_t bound; // an edge stays if 32 random bits are below: the probability times 2³²

  template <class Graph> // optional: refuses, once and before any message, what the rule cannot do
  void check(Graph const&, glt::hop_options options) const {
    if (options.fanout != -1 || options.replace) {
      throw glt::precondition_error("drop_edge_rule decides itself how many edges it keeps; set all fanouts to -1");
    }
  }

  template <class Graph> // how many edges a row gives; `vertex` is its original id, the same wherever it lives
  GLT_HOST_DEVICE std::int64_t count(Graph const& graph, std::int64_t row, glt::no_query, glt::hop_options,
                                     glt::random_key key, std::uint64_t vertex) const noexcept {
    glt::random_stream draws(key, vertex);
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < graph.degree(row); ++i) {
      kept += draws.next() < bound ? 1 : 0;
    }
    return kept;
  }

  template <class Graph, class Position> // which ones: positions in the row; draws the same numbers again
  GLT_HOST_DEVICE void pick(Graph const& graph, std::int64_t row, glt::no_query, glt::hop_options, glt::random_key key,
                            std::uint64_t vertex, std::int64_t, Position* out) const noexcept {
    glt::random_stream draws(key, vertex);
    for (std::int64_t i = 0; i < graph.degree(row); ++i) {
      if (draws.next() < bound) {
        *out++ = static_cast<Position>(i);
      }
    }
  }
};
static_assert(glt::draw_rule<drop_edge_rule, glt::csr_view<glt::memory_space::host>>);

void run(glt::mpi_comm comm) {
  constexpr double probability = 0.3;
  constexpr std::int64_t trials = 400;
  drop_edge_rule const rule{static_cast<std::uint32_t>(probability * 0x1p32)};
  glt::neighbor_options const options{.fanouts = {-1}, .edge_ids = true};

  auto const edges = glt::make_rmat<glt::local_id>({.scale = 8, .edge_factor = 8});
  auto const whole = glt::make_csr<cpu>(edges.view(), {.edge_ids = true});
  auto const part_of = glt::random_partitioner{.seed = 1}(whole.view(), comm.size());
  auto const names = glt::make_relabelling(part_of.view(), comm.size());
  glt::dist::graph const graph(comm, glt::split_graph(whole.view(), names, comm.rank()));

  // How often every edge is sampled, over the ranks and in one process.
  std::vector<glt::global_id> seeds(static_cast<std::size_t>(graph.local().num_rows()));
  std::iota(seeds.begin(), seeds.end(), graph.book().begin(comm.rank()));
  glt::dist::loader loader(comm, glt::dist::neighbor_batches(graph, options, rule), seeds);
  std::vector<std::int64_t> taken(static_cast<std::size_t>(whole.view().num_edges()));
  for (std::int64_t epoch = 0; epoch < trials; ++epoch) {
    for (auto const& batch : loader.epoch(epoch)) {
      for (auto const edge : batch.subgraph.edge_ids()) {
        ++taken[static_cast<std::size_t>(edge)];
      }
    }
  }
  glt::reduce_over_ranks(comm, taken, glt::reduction::sum);

  glt::neighbor_sampler<cpu, glt::local_id, drop_edge_rule> serial(whole.view(), options, rule);
  glt::sampled_subgraph<cpu> sample;
  std::vector<glt::local_id> all(static_cast<std::size_t>(whole.view().num_rows()));
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::int64_t> taken_serially(taken.size());
  for (std::int64_t epoch = 0; epoch < trials; ++epoch) {
    serial.sample(all, {.seed = loader.options().seed, .epoch = epoch}, sample);
    for (auto const edge : sample.edge_ids()) {
      ++taken_serially[static_cast<std::size_t>(edge)];
    }
  }

  // Chi-square of E independent counts, in standard deviations from its mean E; its variance is about 2 E.
  double chi_square = 0;
  for (auto const count : taken) {
    auto const difference = static_cast<double>(count) - trials * probability;
    chi_square += difference * difference / (trials * probability * (1 - probability));
  }
  auto const num_edges = static_cast<double>(taken.size());
  auto const deviation = (chi_square - num_edges) / std::sqrt(2 * num_edges);
  if (comm.rank() == 0) {
    std::cout << taken.size() << " edges, " << trials << " epochs on " << comm.size() << " ranks: chi-square is "
              << deviation << " standard deviations from its mean, counts are "
              << (taken == taken_serially ? "" : "not ") << "those of one process\n";
  }
  if (!(std::abs(deviation) < 4) || taken != taken_serially) {
    throw glt::precondition_error("the rule draws otherwise than it says");
  }
}

int main() {
  return glt::run_mpi_program(run, std::cerr);
}
