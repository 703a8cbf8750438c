// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/collect/bulk_list.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/collect/detail/collector_checks.hpp>
#include <glt/dist/collect/detail/matrix_collector.hpp>
#include <glt/dist/collect/detail/sampled_destinations.hpp>
#include <glt/dist/edge_features.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/edge_features.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/subgraph.hpp>

#include <span>
#include <utility>

namespace glt::dist {

/// Collector of edge features by global edge id, from the owners of the destinations; hot rows are rows of edges.
///
/// Concurrent calls: none on one object, nor on collectors of one communicator.
///
/// @comm   per call one header exchange and, if any rank needs remote rows, one exchange of 12 bytes an edge, a second
///         header exchange and one exchange of rows for every `default_round_bytes`
template <communicator Comm, device_policy Policy, bytes_copyable T>
class edge_feature_collector : public detail::matrix_collector<Comm, Policy, T> {
  using collector = detail::matrix_collector<Comm, Policy, T>;
  static constexpr memory_space space = Policy::space;

public:
  /// Borrows the features, which must outlive the collector.
  ///
  /// @comm   none, or one small reduction if the communicator must find out which memory it carries
  /// @throws precondition_error  if the features were made for another number of ranks
  edge_feature_collector(Comm comm, edge_features<Policy, T> const& features, Policy policy = {})
      : collector(checked(std::move(comm), features), features.book(), features.local().rows(), false,
                  features.local().view().edges, policy),
        destinations_(0, policy) {}

  /// Reads rows of other ranks in place from now on, where there are views of them; see `feature_collector`.
  ///
  /// @comm   none
  /// @throws precondition_error  if there is not one entry per rank, this rank's is missing, or a view does not have
  ///                             one row per edge, or not the columns of the features
  void read_in_place(node_views<detail::edge_feature_view<space, T>> const& neighborhood) {
    this->set_shared(neighborhood, [this](detail::edge_feature_view<space, T> const& view, int rank) {
      if (view.rows.num_vertices() != view.edges.size() || view.rows.num_columns() != this->num_columns()) {
        throw precondition_error(detail::message("view of ", view.rows.num_vertices(), " rows of ",
                                                 view.rows.num_columns(), " columns for part ", rank, " of ",
                                                 view.edges.size(), " edges and ", this->num_columns(),
                                                 " columns; share the features that the ranks were given"));
      }
      return this->source_of(view.rows, view.edges);
    });
  }

  /// Writes the features of edges with known destinations; converted as by `feature_collector`.
  ///
  /// @shape  ids [n] global edge ids · destinations [n] global vertex ids → out.features [n · F], no labels
  /// @comm   collective; `step` is the same on all ranks
  /// @throws collective_error  on every rank, if a rank passes a destination outside [0, V), different numbers of ids
  ///                           and destinations, or an edge that the owner of its destination does not store, or has no
  ///                           memory for the rows
  /// @cost   O(n · F); allocates only while the batch is larger than any before
  template <vertex_id Vertex, class Out>
    requires detail::gathers_as<T, Out>
  void collect(array_view<space, edge_id const> ids, array_view<space, Vertex const> destinations, std::int64_t step,
               collected_rows<Policy, Out>& out) {
    this->collect_matrix(detail::row_keys<space, Vertex>{destinations, ids}, 0, step, out);
  }

  /// Collects several lists in one sweep of messages; see `feature_collector::collect_bulk`.
  template <vertex_id Vertex, class Out>
    requires detail::gathers_as<T, Out>
  void collect_bulk(std::span<bulk_list<Policy, Vertex, collected_rows<Policy, Out>> const> lists, std::int64_t step) {
    this->collect_matrix(lists, step);
  }

  /// Collects the features of the edges of a sample, in its order.
  ///
  /// @throws collective_error  also if a rank has sampled edges without their ids
  template <vertex_id Vertex, class Out>
    requires detail::gathers_as<T, Out>
  void collect(sampled_subgraph<Policy, Vertex> const& sample, std::int64_t step, collected_rows<Policy, Out>& out) {
    detail::sampled_destinations(this->policy(), sample, destinations_);
    collect(sample.edge_ids(), std::as_const(destinations_).view(), step, out);
  }

private:
  static Comm checked(Comm comm, edge_features<Policy, T> const& features) {
    detail::check_collected_edges(features.book(), comm.size());
    return comm;
  }

  buffer<Policy, global_id> destinations_;
};

template <communicator Comm, device_policy Policy, bytes_copyable T>
edge_feature_collector(Comm, edge_features<Policy, T> const&) -> edge_feature_collector<Comm, Policy, T>;
template <communicator Comm, device_policy Policy, bytes_copyable T>
edge_feature_collector(Comm, edge_features<Policy, T> const&, Policy) -> edge_feature_collector<Comm, Policy, T>;

} // namespace glt::dist
