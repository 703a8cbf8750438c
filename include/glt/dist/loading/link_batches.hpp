// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/batch.hpp>
#include <glt/dist/loading/batch_recipe.hpp>
#include <glt/dist/loading/detail/expansion.hpp>
#include <glt/dist/loading/detail/link_seeding.hpp>
#include <glt/sample/link/link_options.hpp>
#include <glt/sample/link/link_sample.hpp>

namespace glt::detail {

/// Mini-batch of seed edges: their negatives, the sampled neighbourhood of all ends, and the requested rows.
///
/// @shape  sample.subgraph() of N vertices and E edges · features() [N, F] · labels() [distinct ends], or empty if
///         vertices have no labels · tensors of N rows, or of one per distinct end
template <device_policy Policy, vertex_id Vertex, bytes_copyable T>
struct link_batch : batch_place, batch_rows<Policy, T> {
  using policy_type = Policy;
  template <device_policy Other>
  using on_policy = link_batch<Other, Vertex, T>;

  link_sample<Policy, Vertex> sample; ///< with its `edge_label_index()` and `edge_label()`, or triplets

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tuple_cat(batch_place::members(self), std::tie(self.sample), link_batch::row_members(self));
  }
};

template <>
struct expansion<link_options> : link_expansion<plain_expansion> {
  template <class Policy, class Vertex, class T>
  using batch_type = link_batch<Policy, Vertex, T>;
};

} // namespace glt::detail

namespace glt::dist {

/// Recipe for mini-batches of edges: negative pairs and the sampled neighbourhood of all ends. It names a graph,
/// sampling options, a draw rule, and the rows to collect. By a rule that compares times, such as `temporal_rule`, seed
/// edges have times.
///
///     glt::dist::loader loader(comm, glt::dist::link_batches(data, {.neighbors = {.fanouts = {15, 10}}}),
///                              glt::dist::edge_seeds<>{.sources = sources, .destinations = destinations});
///
/// Every loader makes a `vertex_directory`, and a table of weights if there are weights, because they communicate with
/// its batches. They cost O(V / R) time and memory of V / R ids. Weights take memory of about 2 · V / R numbers more.
template <device_policy GraphPolicy, vertex_id Vertex, bytes_copyable T = float, class Rule = uniform_rule,
          device_policy StorePolicy = GraphPolicy>
using link_batches = batch_recipe<link_options, GraphPolicy, Vertex, T, Rule, StorePolicy>;

} // namespace glt::dist
