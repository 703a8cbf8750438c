// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/shared/near_rows.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/detail/batch/draw.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace glt::dist {

/// The parts of a graph that a rank samples in place, and what it drew from each; reusable.
template <device_policy Policy, vertex_id Vertex>
class near_draws {
  static constexpr memory_space space = Policy::space;

public:
  /// The parts of which there are views are near from now on; if not `allowed`, the own one alone.
  ///
  /// @throws precondition_error  if there is not one entry per rank, with the own one, or a view has not the rows and
  ///                             columns of its part
  void set(partition_book const& book, node_views<part_view<space, Vertex>> views, int rank, int ranks,
           bool allowed) {
    near_rows near(views, rank, ranks);
    for (std::size_t part = 0; part < views.of_rank.size(); ++part) {
      if (views.of_rank[part]) {
        check(book, static_cast<int>(part), *views.of_rank[part]);
      }
    }
    if (!allowed) {
      views = {.of_rank = {}, .reason = "the rule looks at more of a row than its edges", .keeper = {}};
      views.of_rank.resize(static_cast<std::size_t>(ranks));
      views.of_rank[static_cast<std::size_t>(rank)].emplace();
      near = near_rows(views, rank, ranks);
    }
    views_ = std::move(views);
    drawn_.resize(views_.of_rank.size());
    rows_ = std::move(near);
  }

  /// The rows of near parts, and the rest.
  [[nodiscard]] near_rows& rows() noexcept { return rows_; }
  [[nodiscard]] near_rows const& rows() const noexcept { return rows_; }

  /// Calls draw_part(view, rows, drawn) for every near part.
  template <class DrawPart>
  void draw(DrawPart draw_part) {
    for (std::size_t part = 0; part < rows_.num_parts(); ++part) {
      if (rows_.is_near(part)) {
        draw_part(*views_.of_rank[part], rows_.rows_of(part), drawn_[part]);
      }
    }
  }

  /// Calls f(places, drawn) for every near part.
  template <class F>
  void for_each_drawn(F f) const {
    for (std::size_t part = 0; part < rows_.num_parts(); ++part) {
      if (rows_.is_near(part)) {
        f(rows_.places_of(part), drawn_[part]);
      }
    }
  }

private:
  static void check(partition_book const& book, int part, part_view<space, Vertex> const& view) {
    auto const rows = view.graph.num_rows();
    if (rows != book.size(part) || view.original.size() != rows ||
        view.graph.num_columns() != book.num_vertices()) {
      throw precondition_error(detail::message(
          "view of ", rows, " rows and ", view.graph.num_columns(), " columns with ", view.original.size(),
          " original ids for part ", part, " of ", book.size(part), " of ", book.num_vertices(),
          " vertices; share the parts that the graphs were made of"));
    }
  }

  near_rows rows_;
  node_views<part_view<space, Vertex>> views_;
  std::vector<hop_sample<Policy, Vertex>> drawn_; // [P]
};

} // namespace glt::dist
