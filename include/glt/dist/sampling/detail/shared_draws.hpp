// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/sampling/detail/relation_draws.hpp>
#include <glt/dist/shared/detail/shared_rows.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/book.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace glt::detail {

/// The parts of a graph that a rank samples in place, and what it drew from each; reusable.
template <device_policy Policy, vertex_id Vertex, class Rule>
class shared_draws {
  static constexpr memory_space space = Policy::space;

public:
  explicit shared_draws(Policy policy = {}) : policy_(std::move(policy)) {}

  /// The parts of which there are views are shared from now on; if not `allowed`, the own one alone.
  ///
  /// @throws precondition_error  if there is not one entry per rank, with the own one, or a view has not the rows and
  ///                             columns of its part
  void set(partition_book const& book, node_views<dist::part_view<space, Vertex>> views, int rank, int ranks,
           bool allowed) {
    shared_rows shared(views, rank, ranks);
    for (std::size_t part = 0; part < views.of_rank.size(); ++part) {
      if (views.of_rank[part]) {
        check(book, static_cast<int>(part), *views.of_rank[part]);
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
    rows_ = std::move(shared);
  }

  /// The rows of shared parts, and the rest.
  [[nodiscard]] shared_rows& rows() noexcept { return rows_; }
  [[nodiscard]] shared_rows const& rows() const noexcept { return rows_; }

  /// Draws as the relation says, but from every shared part.
  void draw(relation_request<space, Vertex, Rule> relation, bool edge_ids) {
    for (std::size_t part = 0; part < rows_.num_parts(); ++part) {
      if (rows_.is_shared(part)) {
        auto const rows = rows_.rows_of(part);
        relation.local = views_.of_rank[part]->graph;
        relation.original = views_.of_rank[part]->original;
        std::array<std::int64_t, 2> const ends{0, std::ssize(rows)};
        drawn_[part].draw(ends, {rows.data(), std::ssize(rows)}, ends, {}, std::span(&relation, 1), edge_ids);
      }
    }
  }

  /// Calls f(places, drawn) for every shared part.
  template <class F>
  void for_each_drawn(F f) const {
    for (std::size_t part = 0; part < rows_.num_parts(); ++part) {
      if (rows_.is_shared(part)) {
        f(rows_.places_of(part), drawn_[part].of(0, 0));
      }
    }
  }

private:
  static void check(partition_book const& book, int part, dist::part_view<space, Vertex> const& view) {
    auto const rows = view.graph.num_rows();
    if (rows != book.size(part) || view.original.size() != rows || view.graph.num_columns() != book.num_vertices()) {
      throw precondition_error(message("view of ", rows, " rows and ", view.graph.num_columns(), " columns with ",
                                       view.original.size(), " original ids for part ", part, " of ", book.size(part),
                                       " of ", book.num_vertices(),
                                       " vertices; share the parts that the graphs were made of"));
    }
  }

  Policy policy_;
  shared_rows rows_;
  node_views<dist::part_view<space, Vertex>> views_;
  std::vector<relation_draws<Policy, Vertex, Rule>> drawn_; // [P]
};

} // namespace glt::detail
