// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Predicts links from sampled neighbourhoods: batches of edges, as many pairs that are no edges, and a score
// that counts the neighbours that both ends share. Edges to be predicted are taken out of the graph before
// sampling.
#include <glt/graph/convert.hpp>
#include <glt/graph/dedupe.hpp>
#include <glt/graph/planted_communities.hpp>
#include <glt/graph/symmetrize.hpp>
#include <glt/sample/link/link_sampler.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <vector>

using glt::device::cpu;

// The sampled in-neighbours of every end, sorted.
std::vector<std::vector<glt::local_id>> neighbors_of_ends(glt::sampled_subgraph<cpu> const& subgraph) {
  auto const block = subgraph.block(subgraph.num_hops() - 1);
  std::vector<std::vector<glt::local_id>> neighbors(static_cast<std::size_t>(block.num_destinations));
  for (std::int64_t e = 0; e < block.num_edges(); ++e) {
    neighbors[static_cast<std::size_t>(block.col[e])].push_back(block.row[e]);
  }
  for (auto& list : neighbors) {
    std::ranges::sort(list);
  }
  return neighbors;
}

// Scores of all pairs of a batch: the number of neighbours that both ends share.
std::vector<std::int64_t> scores(glt::link_sample<cpu> const& batch) {
  auto const neighbors = neighbors_of_ends(batch.subgraph());
  auto const pairs = batch.edge_label_index();
  std::vector<std::int64_t> scores;
  for (std::int64_t i = 0; i < pairs.columns(); ++i) {
    std::vector<glt::local_id> shared;
    std::ranges::set_intersection(neighbors[static_cast<std::size_t>(pairs(0, i))],
                                  neighbors[static_cast<std::size_t>(pairs(1, i))], std::back_inserter(shared));
    scores.push_back(std::ssize(shared));
  }
  return scores;
}

// The probability that a positive scores higher than a negative; ties count half.
double area_under_curve(std::vector<std::int64_t> const& positives, std::vector<std::int64_t> const& negatives) {
  double wins = 0;
  for (auto const positive : positives) {
    for (auto const negative : negatives) {
      wins += positive > negative ? 1 : positive == negative ? 0.5 : 0;
    }
  }
  return wins / static_cast<double>(positives.size() * negatives.size());
}

int main() {
  auto const born = glt::make_planted_communities(
      {.num_vertices = 2000, .num_communities = 40, .in_degree = 12, .out_degree = 2});
  auto const both_ways = glt::symmetrize<cpu>(born.graph.view());
  auto const edges = glt::remove_duplicates<cpu>(both_ways.view(), {.self_loops = glt::self_loop_handling::remove});
  auto const graph = glt::make_csr<cpu>(edges.view());

  // Vertices of many edges make harder negatives.
  std::vector<double> degrees;
  for (std::int64_t v = 0; v < graph.view().num_rows(); ++v) {
    degrees.push_back(std::pow(static_cast<double>(graph.view().degree(v)), 0.75));
  }
  glt::vertex_weights<cpu> const weights{glt::host_view<double const>(degrees)};

  glt::link_sampler<cpu> sampler(graph.view(),
                                 {.neighbors = {.fanouts = {20}},
                                  .negatives = {.mode = glt::negative_mode::binary, .amount = 1},
                                  .exclude = glt::seed_exclusion::edges_and_reverses},
                                 weights.view());
  glt::link_sample<cpu> batch;
  std::vector<std::int64_t> positives;
  std::vector<std::int64_t> negatives;
  std::int64_t leaks = 0;
  constexpr std::int64_t batch_size = 256;
  for (std::int64_t step = 0; step < 8; ++step) {
    std::vector<glt::local_id> sources;
    std::vector<glt::local_id> destinations;
    for (std::int64_t i = 0; i < batch_size; ++i) { // from all over the graph
      auto const edge = (step * batch_size + i) * 7919 % edges.view().num_edges();
      sources.push_back(edges.view().sources()[edge]);
      destinations.push_back(edges.view().destinations()[edge]);
    }
    sampler.sample(sources, destinations, {.seed = 42, .step = step}, batch);

    auto const score = scores(batch);
    for (std::int64_t i = 0; i < batch.edge_label().size(); ++i) {
      (batch.edge_label()[i] == 1 ? positives : negatives).push_back(score[static_cast<std::size_t>(i)]);
    }
    auto const neighbors = neighbors_of_ends(batch.subgraph());
    auto const pairs = batch.edge_label_index();
    for (std::int64_t i = 0; i < batch.num_positives(); ++i) {
      leaks += std::ranges::binary_search(neighbors[static_cast<std::size_t>(pairs(1, i))], pairs(0, i)) ? 1 : 0;
    }
  }
  auto const area = area_under_curve(positives, negatives);
  std::cout << positives.size() << " edges, " << negatives.size() << " pairs that are none; area under the curve "
            << area << ", " << leaks << " edges sampled that were to be predicted\n";
  return area > 0.85 && leaks == 0 && positives.size() == negatives.size() ? 0 : 1;
}
