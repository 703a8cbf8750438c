// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/walk/detail/path_step.hpp>
#include <glt/sample/walk/detail/serial_walks.hpp>
#include <glt/sample/walk/random_walk.hpp>
#include <glt/sample/walk/walk_options.hpp>
#include <glt/sample/walk/walks.hpp>

namespace glt {

namespace detail {

/// Throws for edge types that are not a path of walks of that length. A step goes from the destination type of its
/// relation to the source type, which must be the destination type of the next relation.
///
/// @throws precondition_error  if there is no edge type, one is not in the schema, or two consecutive ones do not meet,
///                             naming the first
inline void validate_metapath(hetero_schema const& schema, std::span<int const> edge_types, std::int64_t length) {
  if (edge_types.empty()) {
    throw precondition_error("meta-path without edge types; give one or more");
  }
  for (std::size_t i = 0; i < edge_types.size(); ++i) {
    if (edge_types[i] < 0 || edge_types[i] >= schema.num_edge_types()) {
      throw precondition_error(detail::message("edge type ", i, " of the meta-path is ", edge_types[i],
                                               ", but the schema has ", schema.num_edge_types()));
    }
  }
  auto const joints = std::min(edge_types.size(), static_cast<std::size_t>(length - 1));
  for (std::size_t i = 0; i < joints; ++i) {
    auto const next = edge_types[(i + 1) % edge_types.size()];
    if (schema.source_type(edge_types[i]) != schema.destination_type(next)) {
      throw precondition_error(detail::message("meta-path goes from ", schema.name_of_edge_type(edge_types[i]), " to ",
                                               schema.name_of_edge_type(next),
                                               "; the source type of a relation is the destination type of "
                                               "the next one, and after the last of the first"));
    }
  }
}

/// Returns the relations along which walks of that length go.
///
/// @shape  edge_types [n] → [n]
/// @throws precondition_error  as `validate_metapath`
template <memory_space Space, vertex_id Vertex>
[[nodiscard]] std::vector<csr_view<Space, Vertex>> make_metapath(hetero_view<Space, Vertex> graph,
                                                                 std::span<int const> edge_types, std::int64_t length) {
  validate_metapath(graph.schema(), edge_types, length);
  std::vector<csr_view<Space, Vertex>> path;
  for (auto const edge_type : edge_types) {
    path.push_back(graph.relation(edge_type));
  }
  return path;
}

} // namespace detail

/// Walker along the rows of one relation after the other; the first follows the last.
///
/// Step s goes from a row of relation s modulo their number to the source of one of its edges, every edge equally
/// likely. Rows are destinations, so a step along (A, r, B) goes from a vertex of B to one of A, against the arrow.
/// Other libraries follow the arrow: their walk author → paper → author by writes and rev_writes has here the meta-path
/// {(paper, rev_writes, author), (author, writes, paper)}. The first destination type is the type of the starts. A walk
/// ends at a vertex without neighbours in the next relation. Walks are named as in `random_walker`; if its graph is the
/// only relation, the walks are equal.
///
/// Concurrent calls: const members may run concurrently, into different walks.
///
/// @source Dong et al., "metapath2vec", KDD 2017
template <device_policy Policy, vertex_id Vertex = local_id, memory_space GraphSpace = Policy::space>
class metapath_walker {
  static_assert(detail::policy_reaches<Policy, GraphSpace>,
                "metapath_walker: the policy's executor does not reach the memory of the relations");

public:
  static constexpr memory_space space = Policy::space;

  /// Borrows a graph, which must outlive the walker, and walks along its edge types; `original` as for `random_walker`.
  ///
  /// @shape  edge_types [n] · original [vertices of the first destination type] or empty
  /// @throws precondition_error  if the options are wrong, there is no edge type, one is not in the schema, or two
  ///                             consecutive ones do not meet, naming the first, or original has another length
  metapath_walker(hetero_view<GraphSpace, Vertex> graph, std::span<int const> edge_types, metapath_options options,
                  Policy policy = {}, array_view<GraphSpace, global_id const> original = {})
      : metapath_walker(detail::make_metapath(graph, edge_types, options.length), options, std::move(policy),
                        original) {}

  /// Borrows the relations, which must outlive the walker; `original` as for `random_walker`.
  ///
  /// @shape  path [n], columns of a relation are the rows of the next · original [rows of path[0]] or empty
  /// @throws precondition_error  if the options are wrong, there is no relation, columns of one are not the rows of the
  ///                             next one, naming the first, or original has another length
  metapath_walker(std::vector<csr_view<GraphSpace, Vertex>> path, metapath_options options, Policy policy = {},
                  array_view<GraphSpace, global_id const> original = {})
      : options_(options), original_(original), policy_(std::move(policy)) {
    detail::validate(options_);
    if (path.empty()) {
      throw precondition_error("meta-path without relations; give one or more");
    }
    auto const joints = std::min(path.size(), static_cast<std::size_t>(options_.length - 1));
    for (std::size_t i = 0; i < joints; ++i) {
      auto const next = (i + 1) % path.size();
      if (path[i].num_columns() != path[next].num_rows()) {
        throw precondition_error(detail::message(
            "relation ", i, " of the meta-path has ", path[i].num_columns(), " columns, but relation ", next,
            ", which follows it, has ", path[next].num_rows(), " rows; a step ends where the next one begins"));
      }
    }
    num_starts_ = path.front().num_rows();
    detail::check_original_ids(original, num_starts_);
    std::vector<relation> relations;
    for (auto const& graph : path) {
      detail::check_edge_ids(graph, options_.edge_ids);
      relations.push_back({graph});
    }
    if constexpr (host_policy<Policy>) {
      path_ = std::move(relations);
    } else {
      path_ = make_buffer<Policy>(relations, policy_);
    }
  }

  [[nodiscard]] metapath_options const& options() const noexcept { return options_; }

  /// Walks from every start into `out`.
  ///
  /// @shape  starts [S], rows of the first relation → walks [S · walks_per_start, length + 1]; the vertices of column s
  ///         are rows of the relation of step s
  /// @throws precondition_error  if a start is not a row of the first relation; `out` is then unchanged
  /// @cost   as `random_walker`
  void walk(array_view<space, Vertex const> starts, sample_key key, walks<Policy, Vertex>& out) const {
    using path = std::conditional_t<host_policy<Policy>, detail::common_relation<space, relation>,
                                    detail::relation_cycle<space, relation>>;
    detail::path_step<path> const step{{{path_.data(), static_cast<std::int64_t>(path_.size())}}};
    detail::walk_serially<detail::path_walker<Vertex, std::int64_t>>(policy_, starts, num_starts_, original_, key,
                                                                     options_, step, out);
  }

private:
  using relation = detail::all_rows<GraphSpace, Vertex>;

  // In memory of the executor: a GPU cannot read a vector.
  std::conditional_t<host_policy<Policy>, std::vector<relation>, buffer<Policy, relation>> path_;
  std::int64_t num_starts_ = 0;
  metapath_options options_;
  array_view<GraphSpace, global_id const> original_;
  Policy policy_;
};

} // namespace glt
