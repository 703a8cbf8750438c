// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/routed_items.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/link/detail/wire_edge.hpp>
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
      : graph_(&graph), ascending_(rows_ascend(policy.executor(), graph.local())), edges_(std::move(comm), policy) {
    for (int rank = 0; rank < edges_.size(); ++rank) {
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
    if (failure.empty()) {
      failure = failure_of([&] {
        sources_.clear();
        destinations_.clear();
        for (bool const reversed : {false, true}) {
          for (auto const [source, destination] : edges) {
            if (!reversed || reverses) {
              sources_.push_back(reversed ? destination : source);
              destinations_.push_back(reversed ? source : destination);
              static_cast<void>(book.owner(sources_.back()));
            }
          }
        }
        auto const size = static_cast<std::int64_t>(sources_.size());
        edges_.route(book, array_view<space, Vertex const>(destinations_.data(), size),
                     glt::detail::make_wire_edge<space, Vertex>{{sources_.data(), size}});
      });
    }
    edges_.send(site, 0, failure);
    for (std::size_t rank = 0; rank < excluded_.size(); ++rank) {
      excluded_[rank].clear();
      for (auto const& edge : edges_.received_of(static_cast<int>(rank))) {
        excluded_[rank].add({.row = edge.row(), .source = edge.source()});
      }
      views_[rank] = excluded_[rank].look_up(graph_->local(), ascending_);
    }
  }

  /// What a rank excludes from the rows of this part, by local row; valid until the next `exclude`.
  ///
  /// @pre    rank is in [0, R); not checked
  [[nodiscard]] exclusions_view<space> of(int rank) const noexcept { return views_[static_cast<std::size_t>(rank)]; }

private:
  graph<Policy, Vertex> const* graph_;
  bool ascending_;
  glt::detail::routed_items<Comm, Policy, glt::detail::wire_edge<Vertex>> edges_;
  std::vector<Vertex> sources_;
  std::vector<Vertex> destinations_;
  std::vector<edge_exclusions<Policy>> excluded_; // by requester
  std::vector<exclusions_view<space>> views_;
};

} // namespace glt::dist
