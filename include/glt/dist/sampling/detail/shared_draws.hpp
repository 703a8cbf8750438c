// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/sampling/detail/relation_draws.hpp>
#include <glt/dist/shared/detail/shared_rows.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

namespace glt::detail {

/// Node types of the sources and of the destinations of an edge type.
struct relation_ends {
  std::size_t source = 0;
  std::size_t destination = 0;
};

/// Parts of a graph that a rank samples in place, and the draws from each; reusable.
template <device_policy Policy, vertex_id Vertex, class Rule, memory_space GraphSpace>
class shared_draws {
  static constexpr memory_space space = Policy::space;

public:
  explicit shared_draws(Policy policy) : policy_(std::move(policy)) {
    if constexpr (!host_policy<Policy>) {
      parts_ = shared_rows("rows of other ranks are sampled in place by policies of the host");
    }
  }

  /// Shares the parts with views from now on; none if not `allowed`.
  ///
  /// @shape  books [node types] · ends [edge types]
  /// @throws precondition_error  if there is not one entry per rank, this rank included, or a view does not have the
  ///                             rows and columns of its part
  void set(std::span<partition_book const> books, std::span<relation_ends const> ends,
           node_views<part_view<GraphSpace, Vertex>> views, int rank, int ranks, bool allowed) {
    shared_rows shared(views, rank, ranks);
    for (std::size_t part = 0; part < views.of_rank.size(); ++part) {
      if (views.of_rank[part]) {
        check(books, ends, static_cast<int>(part), *views.of_rank[part]);
      }
    }
    if (!allowed) {
      views = {.of_rank = {}, .reason = "the rule looks at more of a row than its edges", .keeper = {}};
      views.of_rank.resize(static_cast<std::size_t>(ranks));
      views.of_rank[static_cast<std::size_t>(rank)].emplace();
      shared = shared_rows(views, rank, ranks);
    }
    views_ = std::move(views);
    while (drawn_.size() < views_.of_rank.size()) {
      drawn_.emplace_back(policy_);
    }
    parts_ = std::move(shared);
  }

  [[nodiscard]] shared_rows const& parts() const noexcept { return parts_; }

  /// Draws from every shared part for rows_of(part), with the options of the relations. Rows of every type begin at
  /// first_rows_of(part).
  template <class FirstRowsOf, class RowsOf>
  void draw(std::span<relation_request<GraphSpace, Vertex, Rule> const> relations, bool edge_ids,
            FirstRowsOf first_rows_of, RowsOf rows_of) {
    relations_.assign(relations.begin(), relations.end());
    for (std::size_t part = 0; part < drawn_.size(); ++part) {
      if (parts_.has(part)) {
        for (auto& relation : relations_) {
          auto const& [graphs, original] = *views_.of_rank[part];
          relation.local = graphs[static_cast<std::size_t>(relation.edge_type)];
          relation.original = original[static_cast<std::size_t>(relation.node_type) % original.size()];
        }
        array_view<space, local_id const> const rows = rows_of(part);
        std::array<std::int64_t, 2> const ends{0, rows.size()};
        drawn_[part].draw(first_rows_of(part), rows, ends, {}, relations_, edge_ids);
      }
    }
  }
  /// Returns the draws over a relation from a shared part.
  [[nodiscard]] drawn_rows<Vertex> of(std::size_t part, std::size_t relation) const {
    return drawn_[part].of(relation, 0);
  }

private:
  static void check(std::span<partition_book const> books, std::span<relation_ends const> ends, int part,
                    part_view<GraphSpace, Vertex> const& view) {
    auto const& [graphs, original] = view;
    if (graphs.size() != ends.size() || original.size() != books.size()) {
      throw precondition_error(message("view of ", graphs.size(), " edge types and ", original.size(),
                                       " node types for a graph of ", ends.size(), " and ", books.size(),
                                       "; share the parts that the graphs were made of"));
    }
    for (std::size_t e = 0; e < graphs.size(); ++e) {
      auto const [source, destination] = ends[e];
      auto const rows = books[destination].size(part);
      auto const columns = books[source].num_vertices();
      auto const& graph = graphs[e];
      if (graph.num_rows() != rows || graph.num_columns() != columns || original[destination].size() != rows) {
        throw precondition_error(message("view of ", graph.num_rows(), " rows and ", graph.num_columns(),
                                         " columns with ", original[destination].size(), " original ids for edge type ",
                                         e, " of part ", part, ", with ", rows, " rows and sources among ", columns,
                                         " vertices; share the parts that the graphs were made of"));
      }
    }
  }

  Policy policy_;
  shared_rows parts_;
  node_views<part_view<GraphSpace, Vertex>> views_;
  std::vector<relation_request<GraphSpace, Vertex, Rule>> relations_;   // for the part in turn
  std::vector<relation_draws<Policy, Vertex, Rule, GraphSpace>> drawn_; // [P]
};

} // namespace glt::detail
