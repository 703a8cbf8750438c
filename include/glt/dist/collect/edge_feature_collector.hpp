// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/collect/detail/collector_checks.hpp>
#include <glt/dist/collect/detail/edge_requests.hpp>
#include <glt/dist/collect/detail/row_exchange.hpp>
#include <glt/dist/collect/detail/row_message.hpp>
#include <glt/dist/collect/detail/sampled_destinations.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/edge_features.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/copy_rows.hpp>
#include <glt/feature/detail/prefetch_rows.hpp>
#include <glt/feature/detail/transfer_rows.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/subgraph.hpp>

#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace glt::dist {

/// Fetches features of edges by global edge id, from the owners of their destinations.
///
/// @comm   per call one header exchange and, if any rank needs remote rows, one exchange of 12 bytes an edge, a
///         second header exchange and one exchange of rows for every `default_round_bytes`
template <communicator Comm, device_policy Policy, bytes_copyable T>
class edge_feature_collector {
  static_assert(host_accessible(Policy::space),
                "edge_feature_collector packs messages on the host: use a host-accessible policy");
  static constexpr memory_space space = Policy::space;

public:
  /// Borrows the features, which must outlive the collector.
  ///
  /// @comm   none
  /// @throws precondition_error  if the features were made for another number of ranks
  edge_feature_collector(Comm comm, edge_features<Policy, T> const& features, Policy policy = {})
      : features_(&features), policy_(policy),
        exchange_({features.local().rows(), policy}, policy, default_round_bytes(comm.size())),
        requests_(std::move(comm)) {
    detail::check_collected_edges(features.book(), requests_.comm().size());
  }

  /// Rows that this collector has collected so far.
  [[nodiscard]] collected_counts counts() const noexcept { return counts_; }

  /// Writes the features of edges, of which the destinations are known; converted as by `feature_collector`.
  ///
  /// @shape  ids [n] global edge ids · destinations [n] global vertex ids → out.features [n · F], no labels
  /// @comm   collective; `step` is the same on all ranks
  /// @throws collective_error  on every rank, if a rank passes a destination outside [0, V), other numbers of
  ///                           ids and destinations, an edge that the owner of its destination has not, or has
  ///                           no memory for the rows
  /// @cost   O(n · F)
  template <vertex_id Vertex, class Out>
    requires detail::gathers_as<T, Out>
  void collect(array_view<space, edge_id const> ids, array_view<space, Vertex const> destinations, std::int64_t step,
               collected_rows<Policy, Out>& out) {
    call_site const site{.what = operation::collect, .step = step};
    auto const find = [this](std::span<edge_id const> wanted, std::vector<local_id>& rows) {
      features_->local().find({wanted.data(), std::ssize(wanted)}, rows);
    };
    auto const failure = failure_of([&] {
      detail::check_edges(ids.size(), destinations, features_->book().num_vertices());
      requests_.route(features_->book(), host_view<edge_id const>(ids.data(), ids.size()),
                      host_view<Vertex const>(destinations.data(), destinations.size()), find);
      exchange_.reserve(requests_.comm().size());
      out.features.reserve(ids.size() * features_->num_columns());
    });
    if (!failure.empty()) {
      requests_.refuse(site, failure);
    }
    requests_.start(site, {});
    out.features.resize(ids.size() * features_->num_columns());
    out.labels.resize(0);
    detail::transfer_rows<detail::streamed_writes>(
        policy_.executor(), std::ssize(requests_.own()), features_->local().rows(),
        detail::rows_listed<local_id>{requests_.own().data()},
        detail::rows_listed<std::int64_t>{requests_.own_places().data()}, out.features.data());
    auto const unknown = failure_of([&] { requests_.finish(find); });
    if (requests_.anything()) {
      agree(requests_.comm(), site, unknown, 0, [](auto, auto) { return ""; });
    }
    exchange_.run(requests_, out, seconds_);
    counts_.own += std::ssize(requests_.own());
    counts_.remote += ids.size() - std::ssize(requests_.own());
  }

  /// The same for the edges of a sample, in its order.
  ///
  /// @throws collective_error  also if a rank has sampled edges without their ids
  template <vertex_id Vertex, class Out>
    requires detail::gathers_as<T, Out>
  void collect(sampled_subgraph<Policy, Vertex> const& sample, std::int64_t step, collected_rows<Policy, Out>& out) {
    sampled_destinations(sample, destinations_);
    collect(sample.edge_ids(), array_view<space, global_id const>(destinations_.data(), std::ssize(destinations_)),
            step, out);
  }

private:
  edge_features<Policy, T> const* features_;
  Policy policy_;
  row_exchange<Comm, Policy, row_message<Policy, T>> exchange_;
  edge_requests<Comm> requests_;
  std::vector<global_id> destinations_;
  collector_seconds seconds_;
  collected_counts counts_;
};

} // namespace glt::dist
