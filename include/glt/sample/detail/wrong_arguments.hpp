// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::detail {

/// Arguments of `sample(seeds, key, out)` and `walk(starts, key, out)`.
template <class Seeds, class Out, memory_space Space, class Vertex, class Result>
concept fitting_seeds = std::convertible_to<Seeds const&, array_view<Space, Vertex const>> && std::same_as<Out, Result>;

/// Returns the reason why seeds or a result do not fit a sampler with a rule.
template <class Seeds, memory_space Space, class Vertex, bool NeedsQuery = false>
auto reason_of_seeds() {
  if constexpr (NeedsQuery) {
    return std::type_identity<the_rule_needs_a_query_for_every_seed_such_as_a_time>{};
  } else if constexpr (std::convertible_to<Seeds const&, array_view<Space, Vertex const>>) {
    return std::type_identity<the_result_is_of_another_policy_or_vertex_type_and_across_ranks_of_glt_dist>{};
  } else if constexpr (!host_accessible(Space) && std::ranges::range<Seeds>) {
    return std::type_identity<
        seeds_are_in_ordinary_memory_and_the_policy_has_another_so_give_the_view_of_make_buffer>{};
  } else if constexpr (requires(Seeds const& seeds) { seeds.view(); }) {
    return std::type_identity<seeds_are_an_owner_of_another_memory_or_vertex_type_so_give_a_fitting_view>{};
  } else if constexpr (std::same_as<Vertex, local_id>) {
    return std::type_identity<seeds_on_one_process_are_of_type_local_id>{};
  } else {
    return std::type_identity<seeds_across_ranks_are_of_type_global_id>{};
  }
}

/// Returns the reason why the graph or the options do not fit a sampler of one process.
template <class Graph, class View>
auto reason_of_graph() {
  if constexpr (std::convertible_to<Graph const&, View>) {
    return std::type_identity<these_are_options_of_another_sampler_such_as_walk_options_for_neighbor_options>{};
  } else if constexpr (requires(Graph const& graph) { graph.book(); }) {
    return std::type_identity<the_graph_is_a_part_so_take_the_sampler_of_the_same_name_in_glt_dist>{};
  } else if constexpr (requires(Graph const& graph) {
                         { graph.view() } -> std::convertible_to<View>;
                       }) {
    return std::type_identity<a_sampler_takes_the_view_of_a_graph>{};
  } else {
    return std::type_identity<the_graph_has_another_memory_or_vertex_type_so_use_copy>{};
  }
}

/// Returns the reason why the graph or the options do not fit a sampler across ranks.
template <class Graph, class Part>
auto reason_of_part() {
  if constexpr (std::same_as<Graph, Part>) {
    return std::type_identity<these_are_options_of_another_sampler_such_as_walk_options_for_neighbor_options>{};
  } else if constexpr (requires(Graph const& graph) { graph.book(); }) {
    return std::type_identity<the_graph_is_of_another_policy_or_vertex_type_than_the_sampler>{};
  } else {
    return std::type_identity<a_sampler_across_ranks_takes_a_dist_graph>{};
  }
}

} // namespace glt::detail
