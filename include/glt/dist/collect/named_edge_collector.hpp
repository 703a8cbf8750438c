// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/collect/collected_table.hpp>
#include <glt/dist/collect/detail/collector_checks.hpp>
#include <glt/dist/collect/detail/edge_requests.hpp>
#include <glt/dist/collect/detail/named_message.hpp>
#include <glt/dist/collect/detail/row_exchange.hpp>
#include <glt/dist/collect/detail/sampled_destinations.hpp>
#include <glt/dist/collect/detail/tensor_plan.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/named_edge_features.hpp>
#include <glt/feature/any_rows.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/subgraph.hpp>

#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace glt::dist {

/// Fetches rows of several tensors of the same edges by global edge id, from the owners of their destinations:
/// `named_collector` of edges.
///
///     glt::dist::named_edge_collector collector(comm, features);
///     auto const weight = collector.collect(sample, step)["weight"].template as<float>();
///
/// @comm   per call one header exchange and, if any rank needs remote rows, one exchange of 12 bytes an edge, a second
///         header exchange and one exchange of rows for every `default_round_bytes`, whatever the number of tensors
template <communicator Comm, host_policy Policy>
class named_edge_collector {
  static constexpr memory_space space = Policy::space;

public:
  /// Borrows the features, which must outlive the collector; without wishes, all tensors are collected as they are
  /// stored.
  ///
  /// @comm   collective; two header exchanges and two broadcasts
  /// @throws collective_error  on every rank, if a rank wants a tensor that is not there, one twice, or one as what it
  ///                           cannot be converted to, if ranks want different ones (types may differ), or the features
  ///                           were made for another number of ranks
  named_edge_collector(Comm comm, named_edge_features<Policy> const& features,
                       std::vector<wanted_tensor> const& wanted = {}, Policy policy = {})
      : features_(&features), message_(agree_on_tensors(comm, features, wanted), policy),
        exchange_(message_, std::move(policy), default_round_bytes(comm.size())), requests_(std::move(comm)) {
    for (auto const& each : message_.plan()) {
      local_.push_back(each.local);
    }
  }

  /// Edges whose rows this collector has collected so far.
  [[nodiscard]] collected_counts counts() const noexcept { return counts_; }

  /// Writes the rows of edges, of which the destinations are known.
  ///
  /// @shape  ids [n] global edge ids · destinations [n] global vertex ids
  /// @comm   collective; `step` is the same on all ranks
  /// @throws collective_error  as `edge_feature_collector::collect`
  /// @cost   O(n · F)
  template <vertex_id Vertex>
  void collect(array_view<space, edge_id const> ids, array_view<space, Vertex const> destinations, std::int64_t step,
               collected_table<Policy>& out) {
    call_site const site{.what = operation::collect, .step = step};
    auto const find = [this](std::span<edge_id const> wanted, std::vector<local_id>& rows) {
      features_->local().find({wanted.data(), std::ssize(wanted)}, rows);
    };
    auto const failure = failure_of([&] {
      detail::check_edges(ids.size(), destinations, features_->book().num_vertices());
      requests_.route(features_->book(), host_view<edge_id const>(ids.data(), ids.size()),
                      host_view<Vertex const>(destinations.data(), destinations.size()), find);
      exchange_.reserve(requests_.comm().size());
      message_.reserve(ids.size(), ids.size(), out);
    });
    if (!failure.empty()) {
      requests_.refuse(site, failure);
    }
    requests_.start(site, {});
    message_.resize(ids.size(), ids.size(), out);
    message_.put(local_, requests_.own(), requests_.own_places(), out);
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
  template <vertex_id Vertex>
  void collect(sampled_subgraph<Policy, Vertex> const& sample, std::int64_t step, collected_table<Policy>& out) {
    sampled_destinations(sample, destinations_);
    collect(sample.edge_ids(), array_view<space, global_id const>(destinations_.data(), std::ssize(destinations_)),
            step, out);
  }

  /// The same into memory of the collector; valid until the next call.
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
                               std::vector<wanted_tensor> const& wanted) {
    auto const misfit = failure_of([&] { detail::check_collected_edges(features.book(), comm.size()); });
    return agree_on_plan(comm, misfit, features.local().rows().tensors(), wanted);
  }

  named_edge_features<Policy> const* features_;
  named_message<Policy> message_;
  row_exchange<Comm, Policy, named_message<Policy>> exchange_;
  edge_requests<Comm> requests_;
  std::vector<any_rows<space>> local_; // by tensor
  std::vector<global_id> destinations_;
  collected_table<Policy> collected_;
  collector_seconds seconds_;
  collected_counts counts_;
};

template <communicator Comm, host_policy Policy>
named_edge_collector(Comm, named_edge_features<Policy> const&, std::vector<wanted_tensor> const& = {}, Policy = {})
    -> named_edge_collector<Comm, Policy>;

} // namespace glt::dist
