// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/batch_builder.hpp>
#include <glt/sample/detail/batch/draw.hpp>

namespace glt::detail {

/// Builder of a sample from the draws of hop after hop: a `batch_builder` for callers that know the number of draws.
///
/// Serial and distributed samplers both use it, and pass the same draws in the same order.
template <device_policy Policy, vertex_id Vertex>
class hop_builder : public batch_builder<Policy, Vertex> {
  static constexpr memory_space space = Policy::space;

public:
  using batch_builder<Policy, Vertex>::batch_builder;

  /// Returns the vertices of a type to expand in this hop, without duplicates in a tree; `current_trees` returns their
  /// trees, if the batch is disjoint. Valid until vertices of the type are added.
  ///
  /// @cost   waits for their number
  [[nodiscard]] array_view<space, Vertex const> current_frontier(std::size_t t) {
    return of_frontier(t, this->nodes(t));
  }
  [[nodiscard]] array_view<space, local_id const> current_trees(std::size_t t) {
    return this->disjoint() ? of_frontier(t, this->trees(t)) : this->trees(t);
  }

  /// Appends the draws over one edge type for the frontier of its destination type.
  ///
  /// @pre    the offsets go from 0 to the number of sources; checked on hosts only
  /// @throws precondition_error  if there is not one row per frontier vertex; nothing is then written
  /// @cost   O(frontier + edges); waits if `current_frontier` was not called
  void add_relation(std::size_t e, hop_sample<Policy, Vertex> const& hop) {
    add_destinations(e, hop);
    this->number_sources(e, hop.sources.view());
  }

  /// Copies a list of draws to position `at` of a list of the batch. Without draws, that list may have no memory.
  template <class T>
  void append(buffer<Policy, T> const& from, buffer<Policy, T>& to, std::int64_t at) {
    if (!from.empty()) {
      this->policy().resource().copy(to.data() + at, from.data(), static_cast<std::size_t>(from.size()) * sizeof(T));
    }
  }
  using batch_builder<Policy, Vertex>::policy;

private:
  template <class T>
  [[nodiscard]] array_view<space, T const> of_frontier(std::size_t t, array_view<space, T const> of_nodes) {
    settle();
    return of_nodes.subview(this->sizes().sizes().value(this->sizes().type(t).begin), this->frontier_bound(t));
  }

  void settle() {
    if (!this->sizes().exact()) {
      this->read_hop();
    }
  }

  void check_offsets(std::size_t e, hop_sample<Policy, Vertex> const& hop) {
    auto const over = [&] {
      return this->sizes().num_relations() == 1 ? std::string() : message(" over edge type ", e);
    };
    auto const rows = this->rows_bound(e);
    if (hop.offsets.size() != rows + 1) {
      throw precondition_error(message("hop of ", hop.offsets.size(), " offsets", over(), " for a frontier of ", rows,
                                       " vertices; give one offset more than vertices"));
    }
    if constexpr (host_policy<Policy>) {
      if (hop.offsets[0] != 0 || hop.offsets[rows] != hop.sources.size()) {
        throw precondition_error(message("hop of ", hop.offsets.size(), " offsets", over(), " from ", hop.offsets[0],
                                         " to ", hop.offsets[rows], " for ", hop.sources.size(),
                                         " sources; give offsets from 0 to their number"));
      }
    }
  }

  // Writes all arrays of the drawn edges but `row`.
  void add_destinations(std::size_t e, hop_sample<Policy, Vertex> const& hop) {
    settle();
    check_offsets(e, hop);
    this->count_relation(e, hop.offsets.view());
    this->policy().executor().for_each(this->rows_bound(e),
                                       this->make_room(e, hop.sources.size(), !hop.edge_ids.empty()));
    append(hop.edge_ids, this->edges(e).edge_ids, this->sizes().relation(e).edges_bound);
  }
};

} // namespace glt::detail
