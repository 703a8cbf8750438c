// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/loading/detail/batch_request.hpp>
#include <glt/dist/loading/detail/row_collectors.hpp>
#include <glt/dist/loading/detail/row_maker.hpp>
#include <glt/dist/loading/detail/seed_memory.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/validate_vertices.hpp>

namespace glt::detail {

/// Common part of makers of batches around vertices: samples a subgraph from the seeds and collects its rows. `Query`
/// is the query type of the sampler's rule.
template <communicator Comm, device_policy Policy, vertex_id Vertex, bytes_copyable T, device_policy StorePolicy,
          class Sampler, class Query = no_query>
class vertex_maker : public row_maker<row_collectors<Comm, Policy, T, StorePolicy>> {
  using rows = row_maker<row_collectors<Comm, Policy, T, StorePolicy>>;

public:
  using batch_type = dist::batch<Policy, Vertex, T>;
  using seeds_type = dist::vertex_seeds<Vertex>;

  /// Makes the collectors and the sampler of the graph.
  ///
  /// @comm   collective; the exchanges of `row_collectors` and the sampler
  template <class Graph, class... Arguments>
  vertex_maker(Comm comm, collected_things<StorePolicy, T> const& things, bool edge_ids, Policy policy,
               Graph const& graph, Arguments const&... arguments)
      : rows(comm, things, graph, edge_ids, policy), num_vertices_(graph.num_vertices()), items_(policy),
        sampler_(comm, graph, arguments..., policy) {}

  /// @throws precondition_error  if a seed is not a vertex, has a time that the rule does not use, or lacks a time
  void check(seeds_type const& seeds) const {
    seeds.check();
    validate_vertices("seed", host_view<Vertex const>(seeds.vertices), num_vertices_);
    check_times(seeds, has_time<Query>);
  }

  [[nodiscard]] dist::loader_report report() const { return this->report_of(sampler_); }
  using rows::read_in_place;
  void read_in_place(node_views<part_view<Policy::space, Vertex>> parts)
    requires host_policy<Policy>
  {
    sampler_.read_in_place(std::move(parts));
  }

protected:
  using memory_type = seed_memory<Policy, Vertex, Query>;
  using item_type = typename Sampler::bulk_item;

  /// Makes batches by sampling the items of `item_of(memory, batch)`.
  ///
  /// @comm   collective; the exchanges of the sampler and the collectors
  template <class ItemOf>
  void make_items(std::span<batch_request<seeds_type, batch_type> const> batches, ItemOf item_of) {
    this->make_around(
        batches, [&] { sampler_.sample_bulk(items_.of(batches, item_of)); },
        [](batch_type const& made) -> auto& { return made.subgraph; });
  }

private:
  std::int64_t num_vertices_;
  bulk_items<Policy, memory_type, item_type> items_;
  Sampler sampler_;
};

} // namespace glt::detail
