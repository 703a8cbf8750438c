// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "graphs.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace glt_test {

/// One layer over the whole graph: a vertex gets its own feature doubled plus those of its in-neighbours,
/// weighted by the number of the edge if that is asked for; modulo a prime, so that layers do not overflow.
inline std::vector<std::int64_t> naive_layer(edge_list const& graph, std::vector<std::int64_t> const& features,
                                             bool weighted) {
  constexpr std::int64_t prime = 1'000'003;
  std::vector<std::int64_t> next;
  for (auto const feature : features) {
    next.push_back(2 * feature % prime);
  }
  for (std::size_t e = 0; e < graph.sources.size(); ++e) {
    auto const weight = weighted ? static_cast<std::int64_t>(e) + 1 : 1;
    auto& sum = next[static_cast<std::size_t>(graph.destinations[e])];
    sum = (sum + weight * features[static_cast<std::size_t>(graph.sources[e])]) % prime;
  }
  return next;
}

/// The same for the destinations of a batch, added up over its pieces; `features` and `next` by vertex.
template <class Batch>
void layer_of(Batch const& batch, std::vector<std::int64_t> const& features, std::vector<std::int64_t>& next,
              bool weighted) {
  constexpr std::int64_t prime = 1'000'003;
  auto const block = batch.block();
  auto const nodes = batch.nodes();
  for (std::int64_t d = 0; d < block.num_destinations; ++d) {
    if (batch.rows.first_piece) {
      next[static_cast<std::size_t>(nodes[d])] = 2 * features[static_cast<std::size_t>(nodes[d])] % prime;
    }
  }
  for (std::int64_t e = 0; e < block.num_edges(); ++e) {
    auto& sum = next[static_cast<std::size_t>(nodes[block.col[e]])];
    auto const weight = weighted ? block.edge_ids[e] + 1 : 1;
    sum = (sum + weight * features[static_cast<std::size_t>(nodes[block.row[e]])]) % prime;
  }
}

} // namespace glt_test
