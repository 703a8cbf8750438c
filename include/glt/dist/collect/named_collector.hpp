// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/collect/bulk_list.hpp>
#include <glt/dist/collect/collected_table.hpp>
#include <glt/dist/collect/detail/collector_checks.hpp>
#include <glt/dist/collect/detail/row_sources.hpp>
#include <glt/dist/collect/detail/table_collector.hpp>
#include <glt/dist/collect/detail/tensor_plan.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/named_features.hpp>
#include <glt/feature/detail/named_rows.hpp>
#include <glt/memory/memory.hpp>

#include <span>
#include <vector>

namespace glt::dist {

/// Collector of rows of several tensors of the same vertices, wherever they are stored.
///
///     glt::dist::named_collector collector(comm, features, {{.name = "title", .type = glt::element_type::float32},
///                                                           {.name = "label", .seeds_only = true}});
///     auto const& rows = collector.collect(nodes, num_seeds, step);
///     auto const title = rows["title"].template as<float>();
///
/// Concurrent calls: none on one object, nor on collectors of one communicator.
///
/// @comm   per call one header exchange, one exchange of 4 bytes a remote vertex, and one exchange of rows for every
///         `default_round_bytes`, whatever the number of tensors; rows travel as they are stored
template <communicator Comm, device_policy Policy>
class named_collector : public detail::table_collector<Comm, Policy> {
  static constexpr memory_space space = Policy::space;
  using tables = std::vector<detail::named_rows<space>>;

public:
  /// Borrows the features, which must outlive the collector. Without requests, all tensors are collected as they are
  /// stored.
  ///
  /// @comm   collective; two header exchanges and two broadcasts
  /// @throws collective_error  on every rank, if a rank requests a tensor that does not exist, the same tensor twice,
  ///                           or a conversion that does not exist; if ranks request different tensors (types may
  ///                           differ), or the features were made for another rank or another number of ranks
  named_collector(Comm comm, named_features<Policy> const& features, std::vector<tensor_request> const& wanted = {},
                  Policy policy = {})
      : detail::table_collector<Comm, Policy>(comm, features.book(), agree_on_tensors(comm, features, wanted), {},
                                              policy),
        features_(&features) {}

  /// Reads rows of other ranks in place from now on, where there are views of them. The results are the same; ranks may
  /// read different rows. The memory is kept as long as the collector.
  ///
  /// @comm   none
  /// @throws precondition_error  if there is not one entry per rank, this rank's is missing, or a view does not have
  ///                             the rows of its part in all collected tensors
  void read_in_place(node_views<tables> const& neighborhood) {
    this->set_shared(neighborhood, [this](tables const& view, int rank) {
      return this->source_of(view, rank, features_->book().size(rank), "vertices");
    });
  }

  /// Writes the rows of all vertices; a `seeds_only` tensor gets the rows of the first `num_seeds`.
  ///
  /// @shape  vertices [N] global ids; distinct ids save bytes but are not required
  /// @comm   collective; `step` is the same on all ranks
  /// @throws collective_error  on every rank, if a rank passes a vertex outside [0, V), or more seeds than vertices, or
  ///                           has no memory for the rows; the tensors of `out` are unchanged then
  /// @cost   O(N · F); allocates only while the batch is larger than any before
  template <vertex_id Vertex>
  void collect(array_view<space, Vertex const> vertices, std::int64_t num_seeds, std::int64_t step,
               collected_table<Policy>& out) {
    this->collect_table(detail::row_keys<space, Vertex>{vertices}, num_seeds, step, out);
  }

  /// Collects several lists in one sweep of messages; see `feature_collector::collect_bulk`.
  template <vertex_id Vertex>
  void collect_bulk(std::span<bulk_list<Policy, Vertex, collected_table<Policy>> const> lists, std::int64_t step) {
    this->collect_table(lists, step);
  }

  /// Collects into memory of the collector; the result is valid until the next call.
  template <vertex_id Vertex>
  collected_table<Policy> const& collect(array_view<space, Vertex const> vertices, std::int64_t num_seeds,
                                         std::int64_t step) {
    collect(vertices, num_seeds, step, collected_);
    return collected_;
  }

  /// Collects all tensors for all vertices into memory of the collector.
  template <vertex_id Vertex>
  collected_table<Policy> const& collect(array_view<space, Vertex const> vertices, std::int64_t step) {
    return collect(vertices, vertices.size(), step);
  }

private:
  static auto agree_on_tensors(Comm& comm, named_features<Policy> const& features,
                               std::vector<tensor_request> const& wanted) {
    auto const misfit = detail::failure_of(
        [&] { detail::check_collected(features.book(), features.local().num_vertices(), comm.rank(), comm.size()); });
    return detail::agree_on_plan(comm, misfit, features.local().tensors(), wanted);
  }

  named_features<Policy> const* features_;
  collected_table<Policy> collected_;
};

template <communicator Comm, device_policy Policy>
named_collector(Comm, named_features<Policy> const&, std::vector<tensor_request> const& = {}, Policy = {})
    -> named_collector<Comm, Policy>;

} // namespace glt::dist
