// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/sampling/detail/sampled_kind.hpp>
#include <glt/dist/sampling/detail/shared_draws.hpp>
#include <glt/dist/shared/detail/shared_rows.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/dist/walk/detail/part_walkers.hpp>
#include <glt/dist/walk/detail/walk_moves.hpp>

namespace glt::detail {

/// Rows of a graph in which the walkers of a rank walk: of its part, and of parts that are read in place.
template <device_policy Policy, class Graph>
class walk_parts {
  using vertex_type = typename Graph::vertex_type;
  static constexpr memory_space space = Policy::space;
  using kind = sampled_kind<Policy, uniform_rule, Graph>;

public:
  using views_type = node_views<part_view<space, vertex_type>>;

  /// Borrows the graph; parts in `graph.neighborhood()` are read in place.
  walk_parts(Graph const& graph, Policy policy)
      : policy_(policy), books_(kind::books(graph)), ends_(kind::ends(graph)), own_(kind::part_of(graph)),
        part_(graph.part()) {
    for (auto const& book : books_) {
      offsets_.push_back(make_buffer<Policy>(book.offsets(), policy));
    }
    read_neighborhood<Policy>(*this, graph);
  }

  /// Reads the parts with views in place from now on.
  ///
  /// @throws precondition_error  as `neighbor_sampler::read_in_place`
  void read_in_place(views_type const& views)
    requires host_policy<Policy>
  {
    shared_rows shared(views, part_, books_[0].num_parts());
    check_views(std::span(std::as_const(books_)), std::span(std::as_const(ends_)), views);
    graphs_.clear();
    original_.clear();
    std::vector<csr_view<space, vertex_type>> graphs(views.of_rank.size());
    for (std::size_t e = 0; e < ends_.size() && shared.any(); ++e) {
      for (std::size_t part = 0; part < graphs.size(); ++part) {
        graphs[part] = shared.has(part) ? views.of_rank[part]->graphs[e] : csr_view<space, vertex_type>();
      }
      graphs_.push_back(make_buffer<Policy>(graphs, policy_));
    }
    std::vector<original_ids<space>> original(views.of_rank.size());
    for (std::size_t t = 0; t < books_.size() && shared.any(); ++t) {
      for (std::size_t part = 0; part < original.size(); ++part) {
        original[part] = shared.has(part) ? views.of_rank[part]->original[t] : original_ids<space>();
      }
      original_.push_back(make_buffer<Policy>(original, policy_));
    }
    keeper_ = views.keeper;
    shared_ = std::move(shared);
  }

  [[nodiscard]] shared_rows const& shared() const noexcept { return shared_; }
  [[nodiscard]] partition_book const& book(std::size_t edge_type = 0) const noexcept {
    return books_[ends_[edge_type].destination];
  }

  /// Returns the rows of an edge type.
  [[nodiscard]] part_rows<space, vertex_type> rows(std::size_t edge_type = 0) const {
    auto const type = ends_[edge_type].destination;
    auto made = make_part_rows(own_.graphs[edge_type], part_, books_[type], offsets_[type]);
    if (!graphs_.empty()) {
      made.others = {graphs_[edge_type].view(), original_[type].view()};
    }
    return made;
  }
  /// Returns the namer of walkers that start in rows of an edge type; `walk_rounds` sets their keys.
  [[nodiscard]] name_walker<space, vertex_type> name(std::size_t edge_type = 0) const {
    return {rows(edge_type), {}, own_.original[ends_[edge_type].destination]};
  }

private:
  Policy policy_;
  std::vector<partition_book> books_; // by node type
  std::vector<relation_ends> ends_;   // by edge type
  part_view<space, vertex_type> own_;
  int part_;
  shared_rows shared_;
  std::shared_ptr<void const> keeper_;
  std::vector<buffer<Policy, global_id>> offsets_;                   // of the books, in memory of the executor
  std::vector<buffer<Policy, csr_view<space, vertex_type>>> graphs_; // [edge types], [P] each, or none
  std::vector<buffer<Policy, original_ids<space>>> original_;        // [node types], [P] each, or none
};

} // namespace glt::detail
