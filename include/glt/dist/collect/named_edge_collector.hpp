// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/collect/bulk_list.hpp>
#include <glt/dist/collect/collected_table.hpp>
#include <glt/dist/collect/detail/collector_checks.hpp>
#include <glt/dist/collect/detail/row_sources.hpp>
#include <glt/dist/collect/detail/sampled_destinations.hpp>
#include <glt/dist/collect/detail/table_collector.hpp>
#include <glt/dist/collect/detail/tensor_plan.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/named_edge_features.hpp>
#include <glt/feature/edge_feature_table.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/subgraph.hpp>

#include <span>
#include <utility>
#include <vector>

namespace glt::dist {

/// Collector of rows of several tensors of the same edges by global edge id: `named_collector` for edges. Rows come
/// from the owners of the destinations. All edges are seeds; hot rows are rows of edges.
///
///     glt::dist::named_edge_collector collector(comm, features);
///     auto const weight = collector.collect(sample, step)["weight"].template as<float>();
///
/// Concurrent calls: none on one object, nor on collectors of one communicator.
///
/// @comm   per call one header exchange and, if any rank needs remote rows, one exchange of 12 bytes an edge, a second
///         header exchange and one exchange of rows for every `default_round_bytes`, whatever the number of tensors
template <communicator Comm, device_policy Policy>
class named_edge_collector : public detail::table_collector<Comm, Policy> {
  static constexpr memory_space space = Policy::space;

public:
  /// Borrows the features, which must outlive the collector. Without requests, all tensors are collected as they are
  /// stored.
  ///
  /// @comm   collective; two header exchanges and two broadcasts
  /// @throws collective_error  on every rank, if a rank requests a tensor that does not exist, the same tensor twice,
  ///                           or a conversion that does not exist; if ranks request different tensors (types may
  ///                           differ), or the features were made for another number of ranks
  named_edge_collector(Comm comm, named_edge_features<Policy> const& features,
                       std::vector<tensor_request> const& wanted = {}, Policy policy = {})
      : detail::table_collector<Comm, Policy>(comm, features.book(), agree_on_tensors(comm, features, wanted),
                                              features.local().view().edges, policy),
        destinations_(0, policy) {}

  /// Reads rows of other ranks in place from now on, where there are views of them; see `named_collector`.
  ///
  /// @comm   none
  /// @throws precondition_error  if there is not one entry per rank, this rank's is missing, or a view does not have
  ///                             one row per edge in all collected tensors
  void read_in_place(node_views<detail::named_edge_rows<space>> const& neighborhood) {
    this->set_shared(neighborhood, [this](detail::named_edge_rows<space> const& view, int rank) {
      return this->source_of(view.rows, rank, view.edges.size(), "edges", view.edges);
    });
  }

  /// Writes the rows of edges with known destinations.
  ///
  /// @shape  ids [n] global edge ids · destinations [n] global vertex ids
  /// @comm   collective; `step` is the same on all ranks
  /// @throws collective_error  as `edge_feature_collector::collect`
  /// @cost   O(n · F); allocates only while the batch is larger than any before
  template <vertex_id Vertex>
  void collect(array_view<space, edge_id const> ids, array_view<space, Vertex const> destinations, std::int64_t step,
               collected_table<Policy>& out) {
    this->collect_table(detail::row_keys<space, Vertex>{destinations, ids}, destinations.size(), step, out);
  }

  /// Collects several lists in one sweep of messages; see `feature_collector::collect_bulk`.
  template <vertex_id Vertex>
  void collect_bulk(std::span<bulk_list<Policy, Vertex, collected_table<Policy>> const> lists, std::int64_t step) {
    this->collect_table(lists, step);
  }

  /// Collects the rows of the edges of a sample, in its order.
  ///
  /// @throws collective_error  also if a rank has sampled edges without their ids
  template <vertex_id Vertex>
  void collect(sampled_subgraph<Policy, Vertex> const& sample, std::int64_t step, collected_table<Policy>& out) {
    detail::sampled_destinations(this->policy(), sample, destinations_);
    collect(sample.edge_ids(), std::as_const(destinations_).view(), step, out);
  }

  /// Collects into memory of the collector; the result is valid until the next call.
  template <vertex_id Vertex>
  collected_table<Policy> const& collect(array_view<space, edge_id const> ids,
                                         array_view<space, Vertex const> destinations, std::int64_t step) {
    collect(ids, destinations, step, collected_);
    return collected_;
  }
  template <vertex_id Vertex>
  collected_table<Policy> const& collect(sampled_subgraph<Policy, Vertex> const& sample, std::int64_t step) {
    collect(sample, step, collected_);
    return collected_;
  }

private:
  static auto agree_on_tensors(Comm& comm, named_edge_features<Policy> const& features,
                               std::vector<tensor_request> const& wanted) {
    auto const misfit = detail::failure_of([&] { detail::check_collected_edges(features.book(), comm.size()); });
    return detail::agree_on_plan(comm, misfit, features.local().rows().tensors(), wanted);
  }

  buffer<Policy, global_id> destinations_;
  collected_table<Policy> collected_;
};

template <communicator Comm, device_policy Policy>
named_edge_collector(Comm, named_edge_features<Policy> const&, std::vector<tensor_request> const& = {}, Policy = {})
    -> named_edge_collector<Comm, Policy>;

} // namespace glt::dist
