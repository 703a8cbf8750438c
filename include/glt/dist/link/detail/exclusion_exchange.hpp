// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/core/config.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/routed_list.hpp>
#include <glt/dist/detail/exchange/row_with.hpp>
#include <glt/dist/graph.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/detail/validate_vertices.hpp>
#include <glt/sample/link/detail/edge_exclusions.hpp>
#include <glt/sample/link/detail/edge_search.hpp>
#include <glt/sample/link/detail/exclusions.hpp>
#include <glt/sample/link/detail/seed_edges.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace glt::detail {

template <memory_space Space, class Vertex>
struct is_distinct_seed {
  seed_edges_view<Space, Vertex> seeds;
  GLT_HOST_DEVICE bool operator()(std::int64_t i) const { return seeds.is_distinct(i); }
};

// First all edges, then all reverses.
template <memory_space Space, class Vertex>
struct list_excluded_ends {
  seed_edges_view<Space, Vertex> seeds;
  array_view<Space, std::int64_t const> distinct;
  array_view<Space, Vertex> sources;
  array_view<Space, Vertex> destinations;
  GLT_HOST_DEVICE void operator()(std::int64_t x) const {
    bool const reversed = x >= distinct.size();
    auto const seed = distinct[reversed ? x - distinct.size() : x];
    sources[x] = reversed ? seeds.sorted_destinations[seed] : seeds.sorted_sources[seed];
    destinations[x] = reversed ? seeds.sorted_sources[seed] : seeds.sorted_destinations[seed];
  }
};

/// The edges that a rank excludes from rows of this part, as they came.
template <memory_space Space, class Vertex>
struct received_exclusions {
  array_view<Space, row_with<Vertex> const> edges;
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t size() const noexcept { return edges.size(); }
  [[nodiscard]] GLT_HOST_DEVICE row_edge operator()(std::int64_t x) const {
    return {.row = edges[x].row(), .source = edges[x].value()};
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
  /// @comm   that of `slice_exchange`
  /// @cost   O(local edges), to see whether rows ascend
  exclusion_exchange(Comm comm, dist::graph<Policy, Vertex> const& graph, Policy policy = {})
      : graph_(&graph), policy_(policy), ascending_(rows_ascend(policy.executor(), graph.local())),
        edges_(std::move(comm), policy), distinct_(0, policy), sources_(0, policy), destinations_(0, policy) {
    for (int rank = 0; rank < edges_.size(); ++rank) {
      excluded_.emplace_back(policy);
    }
    views_.resize(excluded_.size());
  }

  /// Replaces what was excluded before by the seed edges, and their reverses if asked to; a rank that has something to
  /// report passes a `failure` instead of staying away.
  ///
  /// @units  edges in global ids
  /// @comm   collective; one header exchange and, if any rank excludes edges of another, one payload exchange
  ///         of 4 + sizeof(Vertex) bytes a distinct edge
  /// @throws collective_error  on every rank, if an end of an edge is not in [0, V), or a rank reports a
  ///                           failure
  /// @cost   O(X log X + degrees of the rows) at the owners
  void exclude(seed_edges_view<space, Vertex> seeds, bool reverses, call_site site, std::string failure = {}) {
    if (failure.empty()) {
      failure = failure_of([&] { route(seeds, reverses); });
    }
    edges_.send(site, 0, failure);
    for (std::size_t rank = 0; rank < excluded_.size(); ++rank) {
      received_exclusions<space, Vertex> const received{edges_.received_of(static_cast<int>(rank))};
      views_[rank] = excluded_[rank].look_up(graph_->local(), received, ascending_);
    }
  }

  /// What a rank excludes from the rows of this part, by local row; valid until the next `exclude`.
  ///
  /// @pre    rank is in [0, R); not checked
  [[nodiscard]] exclusions_view<space> of(int rank) const noexcept { return views_[static_cast<std::size_t>(rank)]; }

private:
  void route(seed_edges_view<space, Vertex> seeds, bool reverses) {
    auto const ex = policy_.executor();
    distinct_.resize(seeds.size());
    distinct_.resize(ex.select_if(seeds.size(), is_distinct_seed<space, Vertex>{seeds}, distinct_.view()));
    sources_.resize((reverses ? 2 : 1) * distinct_.size());
    destinations_.resize(sources_.size());
    ex.for_each(sources_.size(), list_excluded_ends<space, Vertex>{seeds, std::as_const(distinct_).view(),
                                                                   sources_.view(), destinations_.view()});
    auto const sources = std::as_const(sources_).view();
    validate_vertices(policy_, "source of excluded edge", sources, graph_->num_vertices());
    edges_.route(graph_->book(), std::as_const(destinations_).view(), make_row_with<space, Vertex>{sources});
  }

  dist::graph<Policy, Vertex> const* graph_;
  Policy policy_;
  bool ascending_;
  routed_list<Comm, Policy, row_with<Vertex>> edges_;
  buffer<Policy, std::int64_t> distinct_;
  buffer<Policy, Vertex> sources_;
  buffer<Policy, Vertex> destinations_;
  std::vector<edge_exclusions<Policy>> excluded_; // by requester
  std::vector<exclusions_view<space>> views_;
};

} // namespace glt::detail
