// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/loading/detail/batch_request.hpp>
#include <glt/dist/loading/detail/expansion.hpp>
#include <glt/dist/loading/detail/seed_memory.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

/// Sampler of a maker of batches around vertices; in a graph with types, around vertices of one type. For seed edges
/// there is `link_seeding`.
template <communicator Comm, device_policy Policy, vertex_id Vertex, class Rule, class Graph, class Seeds,
          class Sampler>
class vertex_seeding {
  using query_type = typename Rule::query_type;

public:
  using seeds_type = Seeds;
  using sampler_type = Sampler;

  /// @comm   as the sampler
  template <class Options, class Rules>
  vertex_seeding(Comm comm, Graph const& graph, Options const& options, Rules const& rules, nothing, Policy policy)
      : graph_(&graph), items_(policy), sampler_(std::move(comm), graph, options, rules, std::move(policy)) {}

  /// @throws precondition_error  if the node type does not exist, a seed is not a vertex, of the type if there are
  ///                             types, has a time that the rule does not use, or lacks a time
  void check(seeds_type const& seeds) const {
    seeds.check();
    validate_vertices("seed", host_view<Vertex const>(seeds.vertices), num_vertices(seeds));
    check_times(seeds, has_time<query_type>);
  }

  [[nodiscard]] sampler_type& sampler() noexcept { return sampler_; }
  [[nodiscard]] sampler_type const& sampler() const noexcept { return sampler_; }

  /// Samples the subgraphs of batches in one sweep of messages; a rank without seeds takes part.
  ///
  /// @comm   collective; as the sampler
  template <class Batch>
  void sample(std::span<batch_request<seeds_type, Batch> const> batches) {
    if constexpr (has_schema<Graph>) {
      lists_.resize(batches.size());
    }
    sampler_.sample_bulk(items_.of(batches, [&](auto& memory, auto const& batch) {
      item_type item{};
      if constexpr (has_schema<Graph>) {
        batch.out->seed_type = batch.seeds->node_type;
        auto& lists = lists_[static_cast<std::size_t>(&batch - batches.data())];
        lists.assign(graph_->schema().node_types().size(), {});
        lists[static_cast<std::size_t>(batch.seeds->node_type)] = memory.vertices(*batch.seeds);
        item.seeds = lists;
      } else {
        item.seeds = memory.vertices(*batch.seeds);
      }
      if constexpr (has_query<Rule>) {
        item.queries = memory.queries(*batch.seeds);
      }
      item.key = batch.key;
      item.out = &batch.out->subgraph;
      return item;
    }));
  }

private:
  using item_type = typename sampler_type::bulk_item;

  [[nodiscard]] std::int64_t num_vertices([[maybe_unused]] seeds_type const& seeds) const {
    if constexpr (has_schema<Graph>) {
      auto const& schema = graph_->schema();
      if (seeds.node_type < 0 || seeds.node_type >= schema.num_node_types()) {
        throw precondition_error(message("seeds of node type ", seeds.node_type, " of a graph of ",
                                         schema.num_node_types(), " node types; types count from 0"));
      }
      return schema.num_vertices(seeds.node_type);
    } else {
      return graph_->num_vertices();
    }
  }

  Graph const* graph_;
  bulk_items<Policy, seed_memory<Policy, Vertex, query_type>, item_type> items_;
  std::vector<std::vector<array_view<Policy::space, Vertex const>>> lists_; // of each batch, by node type
  sampler_type sampler_;
};

} // namespace glt::detail
