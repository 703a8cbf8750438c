// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_schema.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/hop_builder.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/hetero_subgraph.hpp>

namespace glt::detail {

/// Builder of a `hetero_subgraph` from the draws of hop after hop: see `hop_builder`.
template <device_policy Policy, vertex_id Vertex>
class hetero_builder {
  static constexpr memory_space space = Policy::space;

public:
  using builder_type = hop_builder<Policy, Vertex>;

  explicit hetero_builder(Policy policy = {}) : builder_(policy) {}

  /// Starts a batch in `out`; `out` and the seeds must live until `finish`.
  ///
  /// @shape  seeds [node types], one list of ids each
  /// @where  enqueues only
  /// @pre    seeds has one list per node type, with vertices of that type; not checked
  /// @throws precondition_error  if the number of seeds of a type, or of all types of a disjoint batch, does not fit
  ///                             31 bits
  /// @cost   O(S)
  void begin(hetero_schema const& schema, std::span<array_view<space, Vertex const> const> seeds,
             hetero_options const& options, hetero_subgraph<Policy, Vertex>& out) {
    out_ = &out;
    out.expand_ = options.expand;
    out.num_hops_ = 0;
    out.vertices_.resize(static_cast<std::size_t>(schema.num_node_types()));
    out.relations_.resize(static_cast<std::size_t>(schema.num_edge_types()));
    builder_.begin(options.expand, options.disjoint, out.vertices_.size(), out.relations_.size());
    for (std::size_t e = 0; e < out.relations_.size(); ++e) {
      auto& edges = out.relations_[e];
      edges.source_type = schema.source_type(static_cast<int>(e));
      edges.destination_type = schema.destination_type(static_cast<int>(e));
      builder_.set_relation(e, static_cast<std::size_t>(edges.source_type),
                            static_cast<std::size_t>(edges.destination_type), edges);
    }
    for (std::size_t t = 0; t < seeds.size(); ++t) {
      builder_.set_seeds(t, seeds[t], builder_type::any_vertex, 0, out.vertices_[t]);
    }
    builder_.end_seeds();
  }

  /// Ends a hop: its new vertices are known, and the frontiers move on to the next hop.
  void end_hop() {
    builder_.end_hop();
    ++out_->num_hops_;
  }

  /// Completes the batch; not needed on hosts.
  ///
  /// @cost   waits for all that was enqueued
  void finish() { builder_.finish(); }

  /// Returns the builder of the same batch, which takes the draws of a hop and names types by number.
  [[nodiscard]] builder_type& typed() noexcept { return builder_; }

private:
  hetero_subgraph<Policy, Vertex>* out_ = nullptr;
  builder_type builder_;
};

} // namespace glt::detail
