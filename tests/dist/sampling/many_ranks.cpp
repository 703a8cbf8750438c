// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What grows with the number of ranks: messages of a hop, and bytes that a rank keeps for each other rank. See
// docs/many_ranks.md.
#include <glt/dist/sampling/neighbor_sampler.hpp>

#include <glt/comm/counting.hpp>
#include <glt/comm/threads.hpp>
#include <glt/dist/collect/feature_collector.hpp>

#include "support/allocations.hpp"
#include "support/parts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <set>
#include <span>
#include <vector>

using glt_test::cpu;

namespace {

#ifdef GLT_TEST_FEW_RANKS
constexpr int few_ranks = 16;
constexpr int many_ranks = 64;
#else
constexpr int few_ranks = 64;
constexpr int many_ranks = 256;
#endif
constexpr std::int64_t rows_of_rank = 20;
constexpr int num_hops = 3;

// Counted for all ranks together.
struct counted_ranks {
  std::int64_t bytes = 0; // of graphs, samplers and results, after a batch
  glt::traffic sampling{};
  std::int64_t asked = 0; // pairs of a rank and an owner of a part of its frontier, in all hops
  glt::traffic collecting{};
  std::int64_t asked_for_rows = 0;
};

void add(glt::traffic& sum, glt::traffic const& sent) {
  sum.headers += sent.headers;
  sum.payload += sent.payload;
  sum.replies += sent.replies;
  sum.reduce += sent.reduce;
}

// The other ranks that own some of the vertices.
template <class Graph>
std::int64_t num_owners(Graph const& graph, int rank, std::span<glt::local_id const> vertices) {
  std::set<int> owners;
  for (auto const vertex : vertices) {
    owners.insert(graph.book().owner(vertex));
  }
  owners.erase(rank);
  return std::ssize(owners);
}

// Every rank samples for seeds of its own, in a graph that grows with the ranks.
counted_ranks count(int ranks) {
  glt_test::divided_graph const divided(glt_test::random_graph(rows_of_rank * ranks, 3 * rows_of_rank * ranks),
                                        glt_test::all_partitioners()[0], ranks);
  counted_ranks sum;
  std::mutex lock;
  glt::run_threads(ranks, [&](glt::threads_comm comm) {
    glt_test::allocated_bytes const allocated;
    comm.barrier();
    glt::counting_comm counted(comm);
    glt::dist::graph graph(counted, divided.part<glt::local_id>(comm.rank()));
    glt::dist::neighbor_sampler sampler(counted, graph, {.fanouts = {2, 2, 2}});
    std::vector<glt::local_id> seeds;
    for (auto v = graph.book().begin(comm.rank()); v < graph.book().end(comm.rank()) && seeds.size() < 2; ++v) {
      seeds.push_back(static_cast<glt::local_id>(v));
    }
    glt::sampled_subgraph<cpu, glt::local_id> out;
    counted.reset();
    sampler.sample(seeds, {.seed = 1}, out);
    auto const sampling = counted.counts();
    comm.barrier();
    if (comm.rank() == 0) {
      sum.bytes = allocated.now();
    }
    comm.barrier();
    glt::dist::feature_store const store(counted, divided.names.book, divided.features(comm.rank(), 8));
    glt::dist::feature_collector collector(counted, store);
    glt::dist::collected_rows<cpu, float> rows;
    counted.reset();
    collector.collect(out.nodes(), 0, 0, rows);
    auto const collecting = counted.counts();
    std::span const nodes(out.nodes().data(), static_cast<std::size_t>(out.nodes().size()));
    std::scoped_lock const hold(lock);
    add(sum.sampling, sampling);
    add(sum.collecting, collecting);
    sum.asked_for_rows += num_owners(graph, comm.rank(), nodes);
    for (int hop = 1; hop < num_hops; ++hop) {
      auto const first = static_cast<std::size_t>(out.block(num_hops - hop).num_destinations);
      auto const last = static_cast<std::size_t>(out.block(num_hops - 1 - hop).num_destinations);
      sum.asked += num_owners(graph, comm.rank(), nodes.subspan(first, last - first));
    }
  });
  return sum;
}

} // namespace

TEST_CASE("a hop, and a request for rows, send messages only to owners, whatever the number of ranks") {
  for (int const ranks : {few_ranks, many_ranks}) {
    CAPTURE(ranks);
    auto const sum = count(ranks);
    auto const header = glt::detail::header_bytes * ranks * (ranks - 1);
    CHECK(sum.asked > 3 * ranks);
    CHECK(sum.sampling.payload.messages == sum.asked);
    CHECK(sum.sampling.replies.messages == sum.asked);
    CHECK(sum.sampling.headers.bytes == num_hops * header);
    CHECK(sum.sampling.reduce.messages == 0);
    CHECK(sum.asked_for_rows > 6 * ranks);
    CHECK(sum.collecting.payload.messages == 2 * sum.asked_for_rows); // keys and rows
    CHECK(sum.collecting.replies.messages == 0);
    CHECK(sum.collecting.headers.bytes == header);
  }
}

TEST_CASE("a rank keeps at most a kilobyte for each other rank") {
  auto const few = count(few_ranks);
  auto const many = count(many_ranks);
  auto const for_each_other = (many.bytes / many_ranks - few.bytes / few_ranks) / (many_ranks - few_ranks);
  CAPTURE(for_each_other);
  CHECK(for_each_other > 0);
  CHECK(for_each_other <= 1024);
}
