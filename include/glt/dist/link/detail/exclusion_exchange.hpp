// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/routed_list.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/link/detail/relation_part.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/link/detail/edge_exclusions.hpp>
#include <glt/sample/link/detail/edge_search.hpp>
#include <glt/sample/link/detail/exclusions.hpp>
#include <glt/sample/link/detail/seed_edges.hpp>
#include <glt/sample/link/link_options.hpp>

namespace glt::detail {

template <memory_space Space, class Vertex>
struct is_distinct_seed {
  seed_edges_view<Space, Vertex> seeds;
  GLT_HOST_DEVICE bool operator()(std::int64_t i) const { return seeds.is_distinct(i); }
};

// First all edges, then all reverses; or only reverses.
template <memory_space Space, class Vertex>
struct list_excluded_ends {
  seed_edges_view<Space, Vertex> seeds;
  array_view<Space, std::int64_t const> distinct;
  array_view<Space, Vertex> sources;
  array_view<Space, Vertex> destinations;
  bool edges;
  GLT_HOST_DEVICE void operator()(std::int64_t x) const {
    bool const reversed = !edges || x >= distinct.size();
    auto const seed = distinct[x >= distinct.size() ? x - distinct.size() : x];
    sources[x] = reversed ? seeds.sorted_destinations[seed] : seeds.sorted_sources[seed];
    destinations[x] = reversed ? seeds.sorted_sources[seed] : seeds.sorted_destinations[seed];
  }
};

// Shifts sources by the batch of their edge, before the edges are sent.
template <memory_space Space, class Vertex>
struct shift_sources {
  array_view<Space, Vertex> sources;
  std::int64_t shift;
  GLT_HOST_DEVICE void operator()(std::int64_t x) const { sources[x] = static_cast<Vertex>(sources[x] + shift); }
};

/// Edges that a rank excludes from rows of this part, as received. Sources of batch b are shifted by b · num_vertices,
/// so its rows by b · num_rows.
template <memory_space Space, class Vertex>
struct received_exclusions {
  array_view<Space, row_with<Vertex> const> edges;
  std::int64_t num_vertices;
  std::int64_t num_rows;
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t size() const noexcept { return edges.size(); }
  [[nodiscard]] GLT_HOST_DEVICE row_edge operator()(std::int64_t x) const {
    std::int64_t const source = edges[x].value();
    return {.row = source / num_vertices * num_rows + edges[x].row(), .source = source % num_vertices};
  }
};

/// Exchange that tells the owners of the rows of a relation which edges they must not sample for this rank. Exclusions
/// of one rank do not affect other ranks.
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id>
class exclusion_exchange {
  static constexpr memory_space space = Policy::space;

public:
  /// Borrows the edges, which must outlive this.
  ///
  /// @comm   as `slice_exchange`
  /// @cost   O(local edges), to check whether rows ascend
  exclusion_exchange(Comm comm, relation_part<space, Vertex> relation, Policy policy = {})
      : relation_(std::move(relation)), policy_(policy), ascending_(rows_ascend(policy.executor(), relation_.local)),
        edges_(std::move(comm), policy, own_rows::apart), distinct_(0, policy), sources_(0, policy),
        destinations_(0, policy) {
    for (int rank = 0; rank < edges_.size(); ++rank) {
      excluded_.emplace_back(policy);
    }
    views_.resize(excluded_.size());
    parts_.resize(excluded_.size());
  }

  /// Looks up edges of these parts here from now on, instead of telling their ranks; `is_read(part)` selects parts among
  /// the views of all relations.
  ///
  /// @comm   none
  /// @cost   O(edges of these parts), to check whether rows ascend
  template <class IsRead>
  void read_in_place(node_views<part_view<space, Vertex>> const& views, int edge_type, IsRead is_read) {
    keeper_ = views.keeper;
    std::vector<char> kept(parts_.size(), 0);
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      parts_[part].reset();
      if (is_read(static_cast<int>(part))) {
        auto const& graph = views.of_rank[part]->graphs[static_cast<std::size_t>(edge_type)];
        parts_[part].emplace(searched_part{graph, rows_ascend(policy_.executor(), graph), edge_exclusions(policy_)});
        kept[part] = 1;
      }
    }
    edges_.keep(kept);
  }

  /// Replaces earlier exclusions by the seed edges of several batches, their reverses, or both, as `what` says. A rank
  /// that failed passes its `failure` and still takes part. The number of batches is the same on all ranks.
  ///
  /// @units  edges in global ids
  /// @comm   collective; one header exchange and, if any rank excludes edges of another, one payload exchange of 4 +
  ///         sizeof(Vertex) bytes per distinct edge
  /// @throws collective_error  on every rank, if an end of an edge is not a vertex of its type, the vertex ids of all
  ///                           batches together exceed their type, or a rank reports a failure
  /// @cost   O(X log X + degrees of the rows) at the owners
  void exclude(std::span<seed_edges_view<space, Vertex> const> batches, excluded_relation what, call_site site,
               std::string failure = {}) {
    if (failure.empty()) {
      failure = failure_of([&] { route(batches, what); });
    }
    edges_.send(site, 0, failure);
    auto const own = static_cast<std::size_t>(edges_.rank());
    for (std::size_t rank = 0; rank < excluded_.size(); ++rank) {
      auto const edges = rank == own ? listed(rank) : edges_.received_of(static_cast<int>(rank));
      views_[rank] = look_up(excluded_[rank], relation_.local, edges, ascending_);
    }
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      if (auto& there = parts_[part]) {
        there->view = look_up(there->excluded, there->graph, listed(part), there->ascending);
      }
    }
  }

  /// Returns the edges that a rank excludes in a batch from the rows of a part, by local row; nothing if this rank does
  /// not know them. Valid until the next `exclude`.
  ///
  /// @pre    rank is in [0, R), and the last `exclude` had this batch; not checked
  [[nodiscard]] std::optional<exclusions_view<space>> in_part(int part, int rank, std::size_t batch) const noexcept {
    auto const view_of = [&](exclusions_view<space> view, std::int64_t num_rows) {
      view.first_row = static_cast<std::int64_t>(batch) * num_rows;
      return view;
    };
    auto const at = static_cast<std::size_t>(part);
    if (part == relation_.part) {
      return view_of(views_[static_cast<std::size_t>(rank)], relation_.local.num_rows());
    }
    if (rank == edges_.rank() && at < parts_.size() && parts_[at]) {
      return view_of(parts_[at]->view, parts_[at]->graph.num_rows());
    }
    return {};
  }

private:
  // Part whose rows are searched here for this rank.
  struct searched_part {
    csr_view<space, Vertex> graph;
    bool ascending;
    edge_exclusions<Policy> excluded;
    exclusions_view<space> view{};
  };
  using edges_type = array_view<space, row_with<Vertex> const>;

  // Returns the edges of this rank in the rows of a part.
  [[nodiscard]] edges_type listed(std::size_t part) const {
    auto const offsets = edges_.offsets();
    return edges_.items().subview(offsets[part], offsets[part + 1] - offsets[part]);
  }
  [[nodiscard]] exclusions_view<space> look_up(edge_exclusions<Policy>& excluded, csr_view<space, Vertex> graph,
                                               edges_type edges, bool ascending) const {
    received_exclusions<space, Vertex> const received{edges, relation_.num_sources(), graph.num_rows()};
    return excluded.look_up(graph, received, ascending);
  }

  void route(std::span<seed_edges_view<space, Vertex> const> batches, excluded_relation what) {
    sources_.resize(0);
    destinations_.resize(0);
    auto const num_vertices = relation_.num_sources();
    static_cast<void>(narrow<Vertex>(std::ssize(batches) * num_vertices - 1, "last vertex of all batches together"));
    std::int64_t shift = 0;
    for (auto const& seeds : batches) {
      append(seeds, what, shift);
      shift += num_vertices;
    }
    edges_.route(relation_.destinations, std::as_const(destinations_).view(),
                 make_row_with<space, Vertex>{std::as_const(sources_).view()});
  }

  void append(seed_edges_view<space, Vertex> seeds, excluded_relation what, std::int64_t shift) {
    auto const ex = policy_.executor();
    distinct_.resize(seeds.size());
    distinct_.resize(ex.select_if(seeds.size(), is_distinct_seed<space, Vertex>{seeds}, distinct_.view()));
    auto const first = sources_.size();
    auto const count = (what.edges && what.reverses ? 2 : 1) * distinct_.size();
    sources_.resize(first + count);
    destinations_.resize(first + count);
    auto const sources = sources_.view().subview(first, count);
    ex.for_each(count, list_excluded_ends<space, Vertex>{seeds, std::as_const(distinct_).view(), sources,
                                                         destinations_.view().subview(first, count), what.edges});
    validate_vertices(policy_, "source of excluded edge", array_view<space, Vertex const>(sources),
                      relation_.num_sources());
    if (shift > 0) {
      ex.for_each(count, shift_sources<space, Vertex>{sources, shift});
    }
  }

  relation_part<space, Vertex> relation_;
  Policy policy_;
  bool ascending_;
  routed_list<Comm, Policy, row_with<Vertex>> edges_;
  buffer<Policy, std::int64_t> distinct_;
  buffer<Policy, Vertex> sources_;
  buffer<Policy, Vertex> destinations_;
  std::vector<edge_exclusions<Policy>> excluded_; // by requester
  std::vector<exclusions_view<space>> views_;
  std::vector<std::optional<searched_part>> parts_; // [R], those that are read in place
  std::shared_ptr<void const> keeper_;              // of their memory
};

} // namespace glt::detail
