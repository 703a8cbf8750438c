// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/validate.hpp>
#include <glt/memory/memory.hpp>

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

template <memory_space Space>
void check_original_ids(array_view<Space, global_id const> original, std::int64_t num_vertices) {
  if (!original.empty() && original.size() != num_vertices) {
    throw precondition_error(message(original.size(), " original ids for ", num_vertices, " vertices"));
  }
}

/// Throws for a graph or original ids of one process that do not have all rows; `part_sampler` is the class for a part.
///
/// @throws precondition_error  if the graph is not square, or there are original ids but not one per row
template <memory_space Space, vertex_id Vertex>
void check_all_rows(csr_view<Space, Vertex> graph, array_view<Space, global_id const> original,
                    std::string_view part_sampler) {
  if (graph.num_rows() != graph.num_columns()) {
    throw precondition_error(message("graph of ", graph.num_rows(), " rows and ", graph.num_columns(),
                                     " columns; on one process all rows are needed: use ", part_sampler,
                                     " for a part of a graph"));
  }
  check_original_ids(original, graph.num_rows());
}

[[noreturn]] inline void refuse_vertex(std::string_view what, std::int64_t i, std::int64_t id,
                                       std::int64_t num_vertices) {
  throw precondition_error(
      message(what, " ", i, " is ", id, ", but vertices are in [0, ", num_vertices, "); pass ids of this graph"));
}

/// Throws for ids that are not vertices, naming the first; `what` is their name in errors ("seed", …).
///
/// @shape  ids [S]
/// @throws precondition_error  if an id is not in [0, num_vertices)
/// @cost   O(S)
template <memory_space Space, class Id>
  requires(host_accessible(Space))
void validate_vertices(std::string_view what, array_view<Space, Id> ids, std::int64_t num_vertices) {
  for (std::int64_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= num_vertices) {
      detail::refuse_vertex(what, i, ids[i], num_vertices);
    }
  }
}

/// Returns the position of the first id outside [0, num_vertices), in memory of a device; else the number of ids.
///
/// @where  synchronises
template <device_policy Policy, class Id>
[[nodiscard]] std::int64_t first_outside(Policy const& policy, array_view<Policy::space, Id> ids,
                                         std::int64_t num_vertices) {
  detail::position_if_outside<Policy::space, std::remove_const_t<Id>> const outside{ids, num_vertices};
  return policy.executor().reduce(ids.size(), ids.size(), outside, detail::smaller{});
}

/// Does the work of `validate_vertices` for ids in memory of a policy.
///
/// @where  synchronises
template <device_policy Policy, class Id>
void validate_vertices(Policy const& policy, std::string_view what, array_view<Policy::space, Id> ids,
                       std::int64_t num_vertices) {
  if constexpr (host_policy<Policy>) {
    validate_vertices(what, ids, num_vertices);
  } else {
    if (auto const bad = first_outside(policy, ids, num_vertices); bad < ids.size()) {
      detail::refuse_vertex(what, bad, read_element(policy, ids, bad), num_vertices);
    }
  }
}

/// Throws for a graph with a row that has more edges than a vertex id can number, as draws need. Checks only graphs
/// that the host can read.
///
/// @throws precondition_error  naming the first such row
/// @cost   O(1), or O(num_rows) if the edges of all rows are more than that
template <memory_space Space, vertex_id Vertex>
void check_row_lengths(csr_view<Space, Vertex> graph) {
  constexpr std::int64_t most = std::numeric_limits<Vertex>::max();
  if constexpr (host_accessible(Space)) {
    if (graph.num_edges() <= most) {
      return;
    }
    for (std::int64_t r = 0; r < graph.num_rows(); ++r) {
      if (graph.degree(r) > most) {
        throw precondition_error(message("row ", r, " has ", graph.degree(r), " edges, but vertices of ",
                                         8 * sizeof(Vertex), " bits number at most ", most,
                                         " edges of a row; make the graph with global_id as vertices"));
      }
    }
  }
}

} // namespace glt::detail
