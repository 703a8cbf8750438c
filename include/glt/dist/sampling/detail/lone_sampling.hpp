// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/sampling/detail/lone_worker.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/hop_worker.hpp>
#include <glt/sample/options.hpp>

namespace glt::detail {

/// Sampler of batches on a device when there are no other ranks.
template <device_policy Policy, vertex_id Vertex, class Rule, memory_space GraphSpace>
class lone_sampling {
public:
  lone_sampling(Policy const& policy, bool only_rank)
      : policy_(policy), samples_(!host_policy<Policy> && only_rank), worker_(policy) {}

  /// Returns true if this object samples all batches.
  [[nodiscard]] bool samples() const noexcept { return samples_; }
  /// Counts the rows sampled so far.
  [[nodiscard]] std::int64_t num_rows() const noexcept { return num_rows_; }

  template <class Graph, class Batch>
  void sample(Graph const& graph, neighbor_options const& options, Rule const& rule, Batch const& batch) {
    if constexpr (!host_policy<Policy>) {
      worker_.sample(policy_.executor(), graph.local(), options, rule, graph.original(), batch.seeds, batch.queries,
                     batch.key, *batch.out);
      auto const nodes = batch.out->num_sampled_nodes();
      std::int64_t so_far = 0;
      for (std::size_t hop = 0; hop + 1 < nodes.size(); ++hop) {
        so_far += nodes[hop];
        num_rows_ += options.expand == frontier::all ? so_far : nodes[hop];
      }
    }
  }

private:
  Policy policy_;
  bool samples_;
  lone_worker<Policy, hop_worker<Policy, Vertex, Rule, GraphSpace>> worker_;
  std::int64_t num_rows_ = 0;
};

} // namespace glt::detail
