// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/hop_builder.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt::detail {

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

  /// Returns the vertices to expand next, without duplicates in a tree; `next_trees` returns their trees, if the batch
  /// is disjoint. Valid until the next hop.
  ///
  /// @cost   waits for their number
  [[nodiscard]] array_view<space, Vertex const> next_frontier() { return builder_.current_frontier(0); }
  [[nodiscard]] array_view<space, local_id const> next_trees() { return builder_.current_trees(0); }

  /// Returns a functor for kernels: the position of a vertex in nodes, or −1; valid until the next hop.
  ///
  /// @pre    the batch is not disjoint; not checked
  [[nodiscard]] auto look_up() noexcept { return builder_.look_up(0); }

  /// Appends the draws for `next_frontier()`.
  ///
  /// @throws precondition_error  as `hop_builder::add_relation`
  /// @cost   O(frontier + edges); waits if `next_frontier` was not called
  void add_hop(hop_sample<Policy, Vertex> const& hop) {
    builder_.add_relation(0, hop);
    end_hop();
  }

  /// Appends edges between vertices that are in the batch already: sources are positions in nodes.
  ///
  /// @throws precondition_error  as `add_hop`
  void add_known_hop(hop_sample<Policy, local_id> const& hop) {
    builder_.add_known_relation(0, hop);
    end_hop();
  }

  /// Ends a hop that was added to `typed()`.
  void end_hop() { builder_.end_hop(); }

  /// Completes the batch; not needed on hosts.
  ///
  /// @throws precondition_error  as `batch_builder::finish`
  /// @cost   waits for all enqueued work
  void finish() { builder_.finish(); }

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
