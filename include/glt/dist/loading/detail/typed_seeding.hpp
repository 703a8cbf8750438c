// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/loading/detail/batch_request.hpp>
#include <glt/dist/loading/detail/seed_memory.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/dist/sampling/hetero_sampler.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/validate_vertices.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

/// Sampler of a maker of batches around vertices of one type; `link_seeding` is the one around edges.
template <communicator Comm, device_policy Policy, vertex_id Vertex, class Rule>
class typed_seeding {
  static constexpr memory_space space = Policy::space;
  using graph_type = dist::hetero_graph<Policy, Vertex>;

public:
  using seeds_type = dist::typed_seeds<Vertex>;
  using sampler_type = dist::hetero_neighbor_sampler<Comm, Policy, Vertex, Rule>;

  /// @comm   as `hetero_neighbor_sampler`
  typed_seeding(Comm comm, graph_type const& graph, hetero_options const& options, std::vector<Rule> const& rules,
                Policy policy)
      : graph_(&graph), items_(policy), sampler_(std::move(comm), graph, options, rules, std::move(policy)) {}

  /// @throws precondition_error  if the node type does not exist, a seed is not a vertex of it, has a time that the
  ///                             rule does not use, or lacks a time
  void check(seeds_type const& seeds) const {
    seeds.check();
    auto const& schema = graph_->schema();
    if (seeds.node_type < 0 || seeds.node_type >= schema.num_node_types()) {
      throw precondition_error(message("seeds of node type ", seeds.node_type, " of a graph of ",
                                       schema.num_node_types(), " node types; types count from 0"));
    }
    validate_vertices("seed", host_view<Vertex const>(seeds.vertices), schema.num_vertices(seeds.node_type));
    check_times(seeds, has_time<typename Rule::query_type>);
  }

  [[nodiscard]] sampler_type const& sampler() const noexcept { return sampler_; }
  void read_in_place(node_views<part_view<space, Vertex>> parts)
    requires host_policy<Policy>
  {
    sampler_.read_in_place(std::move(parts));
  }

  /// Samples the subgraphs of batches in one sweep of messages; a rank without seeds takes part.
  ///
  /// @comm   collective; see `hetero_neighbor_sampler`
  template <class Batch>
  void sample(std::span<batch_request<seeds_type, Batch> const> batches) {
    lists_.resize(batches.size());
    sampler_.sample_bulk(items_.of(batches, [&](auto& memory, auto const& batch) {
      batch.out->seed_type = batch.seeds->node_type;
      auto& lists = lists_[static_cast<std::size_t>(&batch - batches.data())];
      lists.assign(graph_->schema().node_types().size(), {});
      lists[static_cast<std::size_t>(batch.seeds->node_type)] = memory.vertices(*batch.seeds);
      item_type request{.seeds = lists, .key = batch.key, .out = &batch.out->subgraph};
      if constexpr (has_query<Rule>) {
        request.queries = memory.queries(*batch.seeds);
      }
      return request;
    }));
  }

private:
  using item_type = typename sampler_type::bulk_item;

  graph_type const* graph_;
  bulk_items<Policy, seed_memory<Policy, Vertex, typename Rule::query_type>, item_type> items_;
  std::vector<std::vector<array_view<space, Vertex const>>> lists_; // of each batch, by node type
  sampler_type sampler_;
};

} // namespace glt::detail
