// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/parcels.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/link/detail/edge_queries.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/link/detail/edge_exclusions.hpp>
#include <glt/sample/link/detail/edge_search.hpp>
#include <glt/sample/link/exclusions.hpp>
#include <glt/sample/link/seed_edges.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt::dist {

/// The edges that a rank excludes from rows of this part, as they came.
template <vertex_id Vertex>
struct excluded_wire_edges {
  std::span<wire_edge<Vertex> const> edges;
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(edges.size()); }
  [[nodiscard]] row_edge operator()(std::int64_t x) const {
    auto const& edge = edges[static_cast<std::size_t>(x)];
    return {.row = edge.row(), .source = edge.source()};
  }
};

/// Tells the owners of rows which edges a rank does not want to see sampled; what others exclude does not
/// matter to it.
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id>
class exclusion_exchange {
  static constexpr memory_space space = Policy::space;

public:
  /// Borrows the graph, which must outlive this.
  ///
  /// @cost   O(local edges), to see whether rows ascend
  exclusion_exchange(Comm comm, graph<Policy, Vertex> const& graph, Policy policy = {})
      : graph_(&graph), ascending_(rows_ascend(policy.executor(), graph.local())), parcels_(std::move(comm)) {
    for (int rank = 0; rank < parcels_.comm().size(); ++rank) {
      excluded_.emplace_back(policy);
    }
    views_.resize(excluded_.size());
  }

  /// Replaces what was excluded before; a rank that has something to report passes a `failure` instead of
  /// staying away.
  ///
  /// @units  edges in global ids
  /// @comm   collective; one header exchange and, if any rank excludes edges of another, one payload exchange
  ///         of 4 + sizeof(Vertex) bytes an edge
  /// @throws collective_error  on every rank, if an end of an edge is not in [0, V), or a rank reports a
  ///                           failure
  /// @cost   O(X log X + degrees of the rows) at the owners
  void exclude(std::span<vertex_pair<Vertex> const> edges, bool reverses, call_site site,
               std::string failure = {}) {
    auto const& book = graph_->book();
    // First all edges, then all reverses.
    auto const edge_at = [&](std::int64_t i) {
      auto const count = static_cast<std::int64_t>(edges.size());
      auto const [source, destination] = edges[static_cast<std::size_t>(i % count)];
      return i < count ? vertex_pair<Vertex>{source, destination} : vertex_pair<Vertex>{destination, source};
    };
    if (failure.empty()) {
      failure = failure_of([&] {
        parcels_.route(
            static_cast<std::int64_t>(edges.size()) * (reverses ? 2 : 1),
            [&](std::int64_t i) {
              auto const [source, destination] = edge_at(i);
              static_cast<void>(book.owner(source));
              return wire_edge<Vertex>(book.local(destination), source);
            },
            [&](std::int64_t i) { return book.owner(edge_at(i).destination); });
      });
    }
    parcels_.send(site, 0, failure);
    for (std::size_t rank = 0; rank < excluded_.size(); ++rank) {
      excluded_wire_edges<Vertex> const received{parcels_.received_of(static_cast<int>(rank))};
      views_[rank] = excluded_[rank].look_up(graph_->local(), received, ascending_);
    }
  }

  /// What a rank excludes from the rows of this part, by local row; valid until the next `exclude`.
  ///
  /// @pre    rank is in [0, R); not checked
  [[nodiscard]] exclusions_view<space> of(int rank) const noexcept { return views_[static_cast<std::size_t>(rank)]; }

private:
  graph<Policy, Vertex> const* graph_;
  bool ascending_;
  parcels<Comm, wire_edge<Vertex>> parcels_;
  std::vector<detail::edge_exclusions<Policy>> excluded_; // by requester
  std::vector<exclusions_view<space>> views_;
};

} // namespace glt::dist
