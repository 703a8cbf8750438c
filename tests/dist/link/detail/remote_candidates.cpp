// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/link/detail/remote_candidates.hpp>

#include <glt/comm/counting.hpp>
#include <glt/sample/link/detail/negative_drawer.hpp>

#include "support/naive_links.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;
using glt_test::on_ranks;

namespace {

// Negatives of positives in original ids, drawn from a graph in parts, in original ids.
template <class Candidates>
glt_test::naive_negatives drawn(Candidates& candidates, glt::detail::negative_drawer<cpu, glt::global_id>& drawer,
                                divided_graph const& divided, glt_test::pair_list const& positives,
                                glt::sample_key key) {
  std::vector<std::int64_t> sources;
  std::vector<std::int64_t> destinations;
  for (auto const& [source, destination] : positives) {
    sources.push_back(source);
    destinations.push_back(destination);
  }
  glt::detail::seed_edges<cpu, glt::global_id> seeds;
  auto const global_sources = divided.renumbered(sources);
  auto const global_destinations = divided.renumbered(destinations);
  seeds.assign(glt::host_view<glt::global_id const>(global_sources),
               glt::host_view<glt::global_id const>(global_destinations));
  std::vector<glt::random_key> keys;
  for (std::int64_t i = 0; i < seeds.size(); ++i) {
    auto const at = static_cast<std::size_t>(i);
    keys.push_back(glt::detail::positive_key(glt::detail::negatives_key(key), sources[at], destinations[at],
                                             seeds.view().occurrences[i]));
  }
  glt::detail::negative_pairs<cpu, glt::global_id> pairs;
  candidates.begin(key.step);
  drawer.draw(candidates, seeds, glt::host_view<glt::random_key const>(keys), pairs);
  glt_test::naive_negatives out;
  for (std::int64_t i = 0; i < pairs.sources.size(); ++i) {
    out.pairs.emplace_back(divided.names.original[pairs.sources[i]], divided.names.original[pairs.destinations[i]]);
  }
  out.verified.assign(pairs.verified.begin(), pairs.verified.end());
  return out;
}

} // namespace

TEST_CASE("negatives from parts equal the naive ones, uniform and weighted") {
  on_ranks([](auto comm) {
    using communicator = decltype(comm);
    using candidates = glt::detail::remote_candidates<communicator, cpu, glt::global_id>;
    static_assert(glt::detail::candidate_source<candidates, cpu, glt::global_id>);
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        if (list.num_vertices > 1000) { // the oracle is slow
          continue;
        }
        divided_graph const divided(list, partitioner, comm.size());
        glt::dist::graph const graph(comm, divided.part(comm.rank()));
        glt::dist::vertex_directory directory(comm, graph);
        glt::detail::edge_queries edges(comm, glt::detail::part_of_relation(graph), cpu());
        std::vector<double> weights;
        for (auto const original : graph.original()) {
          weights.push_back(static_cast<double>(original % 3 + 1));
        }
        glt::dist::vertex_weights table(comm, directory, glt::host_view<double const>(weights), cpu());
        std::vector<std::int64_t> shares;
        glt::detail::weight_scale const scale(std::min<double>(3, static_cast<double>(list.num_vertices)),
                                              list.num_vertices);
        for (std::int64_t v = 0; v < list.num_vertices; ++v) {
          shares.push_back(scale(static_cast<double>(v % 3 + 1)));
        }
        candidates uniform(edges, &directory, {});
        candidates weighted(edges, &directory, &table);
        for (auto const& option : glt_test::link_options_to_try()) {
          glt::detail::negative_drawer<cpu, glt::global_id> drawer(option.negatives);
          glt::sample_key const key{.seed = 6, .step = 2};
          auto const positives =
              glt_test::some_positives(list, 6 * ((comm.rank() + 1) % 3), static_cast<std::uint64_t>(comm.rank()));
          INFO(list.name, ", ", partitioner.name, ", rank ", comm.rank());
          CHECK(drawn(uniform, drawer, divided, positives, key) ==
                glt_test::draw_naively(list, positives, key, option.negatives));
          CHECK(drawn(weighted, drawer, divided, positives, key) ==
                glt_test::draw_naively(list, positives, key, option.negatives, shares));
        }
      }
    }
  });
}

TEST_CASE("a round is one look-up and one test, and rounds end when all ranks are content") {
  on_ranks([](auto plain) {
    glt::counting_comm comm(plain);
    auto const list = glt_test::random_graph(257, 4099);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::vertex_directory directory(comm, graph);
    glt::detail::edge_queries edges(comm, glt::detail::part_of_relation(graph), cpu());
    glt::detail::remote_candidates<decltype(comm), cpu, glt::global_id> candidates(edges, &directory, {});
    auto const positives = glt_test::some_positives(list, 40, static_cast<std::uint64_t>(comm.rank()));
    // The rounds that the slowest rank needs, by the naive drawer.
    std::int64_t rounds = 1;
    for (; rounds < 20; ++rounds) {
      auto const naive =
          glt_test::draw_naively(list, positives, {}, {.amount = 2, .attempts = static_cast<int>(rounds)});
      if (std::ranges::find(naive.verified, false) == naive.verified.end()) {
        break;
      }
    }
    comm.all_reduce(std::span(&rounds, 1), glt::reduction::max);
    glt::detail::negative_drawer<cpu, glt::global_id> drawer({.amount = 2});
    comm.reset();
    drawn(candidates, drawer, divided, positives, {});
    CHECK(comm.counts().headers.collectives == (comm.size() == 1 ? 0 : 2 * rounds + 1));
    CHECK(comm.counts().payload.collectives <= 4 * rounds);
  });
}
