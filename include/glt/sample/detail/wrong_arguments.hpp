// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Arguments of `sample(seeds, key, out)` and `walk(starts, key, out)`.
template <class Seeds, class Out, memory_space Space, class Vertex, class Result>
concept fitting_seeds = std::convertible_to<Seeds const&, array_view<Space, Vertex const>> && std::same_as<Out, Result>;

/// Explains, at compile time, why seeds or a result do not fit.
template <class Seeds, class Out, memory_space Space, class Vertex, class Result>
constexpr void explain_seeds() {
  if constexpr (!std::convertible_to<Seeds const&, array_view<Space, Vertex const>>) {
    if constexpr (!host_accessible(Space) && std::ranges::range<Seeds>) {
      static_assert(never<Seeds>, "seeds or starts in ordinary memory, but the policy has another one: copy them by "
                                  "glt::make_buffer<Policy>(seeds, policy) and give their view()");
    } else if constexpr (requires(Seeds const& seeds) { seeds.view(); }) {
      static_assert(never<Seeds>, "seeds or starts as an owner that does not fit: give a view() of the policy's memory "
                                  "and of the graph's vertex type");
    } else if constexpr (std::same_as<Vertex, local_id>) {
      static_assert(never<Seeds>,
                    "seeds or starts are not vertices of the graph: this one numbers them by glt::local_id, "
                    "so give a std::vector<glt::local_id>");
    } else {
      static_assert(never<Seeds>,
                    "seeds or starts are not vertices of the graph: this one numbers them by glt::global_id, "
                    "as all that is spread over ranks, so give a std::vector<glt::global_id>");
    }
  } else {
    static_assert(never<Out>,
                  "the result is of another policy or vertex type than the sampler or walker: across ranks take "
                  "dist::sampled_subgraph<Policy> or dist::walks<Policy>, on one process those of glt");
  }
}

/// Explains, at compile time, why the graph or the options do not fit a sampler of one process.
template <class Graph, class Options, class View>
constexpr void explain_graph() {
  if constexpr (std::convertible_to<Graph const&, View>) {
    static_assert(never<Options>,
                  "these are options of another sampler: neighbor_sampler takes glt::neighbor_options, such as "
                  "{.fanouts = {15, 10}}, and random_walker glt::walk_options, such as {.length = 40}");
  } else if constexpr (requires(Graph const& graph) { graph.book(); }) {
    static_assert(never<Graph>, "this sampler has all rows on one process, and the graph is a part of one: take "
                                "the sampler of the same name in glt::dist");
  } else if constexpr (requires(Graph const& graph) {
                         { graph.view() } -> std::convertible_to<View>;
                       }) {
    static_assert(never<Graph>, "a sampler takes a view of the graph, which must outlive it: graph.view()");
  } else {
    static_assert(never<Graph>, "the graph is in memory that the policy does not reach, or its vertices are of another "
                                "type: glt::copy_graph<Policy>(graph, policy) brings it there");
  }
}

/// Explains, at compile time, why the graph or the options do not fit a sampler across ranks.
template <class Graph, class Options, class Part>
constexpr void explain_part() {
  if constexpr (std::same_as<Graph, Part>) {
    static_assert(never<Options>,
                  "these are options of another sampler: neighbor_sampler takes glt::neighbor_options, such as "
                  "{.fanouts = {15, 10}}, and random_walker glt::walk_options, such as {.length = 40}");
  } else if constexpr (requires(Graph const& graph) { graph.book(); }) {
    static_assert(never<Graph>, "the graph is of another policy or vertex type than the sampler");
  } else {
    static_assert(never<Graph>, "a sampler across ranks takes a dist::graph, of which every rank owns a part: "
                                "dist::graph graph(comm, std::move(part)); for a view take the sampler in glt");
  }
}

} // namespace glt::detail
