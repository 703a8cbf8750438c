// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/batch_builder.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/subgraph.hpp>

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

template <memory_space Space>
struct append_known {
  std::int64_t first_row;
  edge_offset first_edge;
  array_view<Space, edge_offset const> known;
  array_view<Space, edge_offset> offsets;
  array_view<Space, local_id> col;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    offsets[first_row + i + 1] = first_edge + known[i + 1];
    for (auto e = known[i]; e < known[i + 1]; ++e) {
      col[first_edge + e] = static_cast<local_id>(first_row + i);
    }
  }
};

/// Builder of a `sampled_subgraph` from the draws of hop after hop, for a single edge type: see `hop_builder`.
template <device_policy Policy, vertex_id Vertex>
class subgraph_builder {
  static constexpr memory_space space = Policy::space;

public:
  using builder_type = hop_builder<Policy, Vertex>;

  explicit subgraph_builder(Policy policy = {}) : builder_(policy) {}

  /// Starts a batch in `out`; `out` and the seeds must live until `finish`. Makes room for `expected` vertices, though
  /// more may come; `finish` reports a seed outside [0, num_vertices).
  ///
  /// @where  enqueues only
  /// @throws precondition_error  if the number of seeds does not fit 31 bits
  /// @cost   O(S + expected)
  void begin(array_view<space, Vertex const> seeds, frontier expand, sampled_subgraph<Policy, Vertex>& out,
             std::int64_t num_vertices = builder_type::any_vertex, std::int64_t expected = 0) {
    start(seeds, expand, false, out, num_vertices, expected);
  }

  /// Starts a batch with a separate tree for every seed, even for equal seeds.
  void begin_disjoint(array_view<space, Vertex const> seeds, frontier expand, sampled_subgraph<Policy, Vertex>& out,
                      std::int64_t num_vertices = builder_type::any_vertex, std::int64_t expected = 0) {
    start(seeds, expand, true, out, num_vertices, expected);
  }

  /// Returns the vertices to expand next, without duplicates in a tree. Valid until the next hop.
  ///
  /// @cost   waits for their number
  [[nodiscard]] array_view<space, Vertex const> next_frontier() { return builder_.current_frontier(0); }

  /// Appends the draws for `next_frontier()`.
  ///
  /// @throws precondition_error  as `hop_builder::add_relation`
  /// @cost   O(frontier + edges); waits if `next_frontier` was not called
  void add_hop(hop_sample<Policy, Vertex> const& hop) {
    builder_.add_relation(0, hop);
    end_hop();
  }

  /// Ends a hop that was added to `typed()`.
  void end_hop() { builder_.end_hop(); }

  /// Completes the batch; not needed on hosts.
  ///
  /// @throws precondition_error  as `batch_builder::finish`
  /// @cost   waits for all enqueued work
  void finish() { builder_.finish(); }

  /// Replaces the edges of a finished batch into the vertices from place `first` on by edges between its vertices.
  /// Then every vertex is expanded once, in the hop after the hop that found it; one hop more finds no vertex.
  ///
  /// @shape  known: N − first rows
  /// @units  sources of `known` are positions in nodes
  /// @pre    the batch is not disjoint and of `frontier::fresh`, which expanded the vertices before `first`; not checked
  /// @cost   O(rows + edges of `known`); waits for the number of edges of every hop
  void close(std::int64_t first, hop_sample<Policy, local_id> const& known, sampled_subgraph<Policy, Vertex>& out) {
    auto& edges = out.edges_;
    auto const& policy = builder_.policy();
    auto const end_of_row = [&](std::int64_t row) {
      return row == 0 ? 0 : read_element(policy, std::as_const(edges.offsets).view(), row);
    };
    auto const kept = end_of_row(first);
    edges.resize(kept + known.sources.size(), out.nodes().size(), !known.edge_ids.empty());
    policy.executor().for_each(known.offsets.size() - 1, append_known<space>{first, kept, known.offsets.view(),
                                                                             edges.offsets.view(), edges.col.view()});
    builder_.append(known.sources, edges.row, kept);
    builder_.append(known.edge_ids, edges.edge_ids, kept);
    edges.num_sampled.clear();
    std::int64_t row = 0;
    std::int64_t before = 0;
    for (auto const count : out.vertices_.num_sampled) {
      row += count;
      auto const end = end_of_row(row);
      edges.num_sampled.push_back(end - before);
      before = end;
    }
    out.vertices_.num_sampled.push_back(0);
  }

  /// Returns the builder of the same batch, which names types by number.
  [[nodiscard]] builder_type& typed() noexcept { return builder_; }

private:
  void start(array_view<space, Vertex const> seeds, frontier expand, bool disjoint,
             sampled_subgraph<Policy, Vertex>& out, std::int64_t num_vertices, std::int64_t expected) {
    out.expand_ = expand;
    builder_.begin(expand, disjoint, 1, 1);
    builder_.set_relation(0, 0, 0, out.edges_);
    builder_.set_seeds(0, seeds, num_vertices, expected, out.vertices_);
    builder_.end_seeds();
  }

  builder_type builder_;
};

} // namespace glt::detail
