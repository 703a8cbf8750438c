// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/walk/detail/path_step.hpp>
#include <glt/sample/walk/detail/serial_walks.hpp>
#include <glt/sample/walk/walk_options.hpp>
#include <glt/sample/walk/walks.hpp>

namespace glt {

namespace detail {

template <class Policy, memory_space Space>
inline constexpr bool policy_reaches = reaches<decltype(std::declval<Policy const&>().executor()), Space>;

} // namespace detail

/// Walker along the rows of a graph: from a vertex to the source of one of its edges, every edge equally likely.
///
/// Walks follow edges backwards, as messages are collected; rows made with `{.by_source = true}` give walks along the
/// edges. A walk ends at a vertex without neighbours.
///
/// With `restart`, every step of a walk that has not ended returns to the start with that probability: the next vertex
/// is the start, no edge is taken, and the step counts.
///
/// A walk depends only on the key, the original id of its start and its number among the walks of that start. Equal
/// starts have equal walks; set `walks_per_start` to get different ones.
///
/// Concurrent calls: const members may run concurrently, into different walks.
///
/// @source Perozzi et al., "DeepWalk", KDD 2014; Tong et al., "Fast random walk with restart", ICDM 2006
template <device_policy Policy, vertex_id Vertex = local_id, memory_space GraphSpace = Policy::space>
class random_walker {
  static_assert(detail::policy_reaches<Policy, GraphSpace>,
                "random_walker: the policy's executor does not reach the memory of the graph");

public:
  static constexpr memory_space space = Policy::space;

  /// Borrows the graph, which must outlive the walker.
  ///
  /// `original` holds the ids of vertices before they were renumbered. Random numbers use them, so that renumbering
  /// does not change a walk.
  ///
  /// @shape  original [V] or empty
  /// @throws precondition_error  if the options are wrong, the graph is not square, or original has another
  ///                             length
  random_walker(csr_view<GraphSpace, Vertex> graph, walk_options options, Policy policy = {},
                array_view<GraphSpace, global_id const> original = {})
      : graph_(graph), options_(options), original_(original), policy_(std::move(policy)) {
    detail::validate(options_);
    detail::check_all_rows(graph, original, "metapath_walker for a relation, and dist::random_walker");
    detail::check_edge_ids(graph, options_.edge_ids);
  }

  [[nodiscard]] walk_options const& options() const noexcept { return options_; }

  /// Walks from every start into `out`.
  ///
  /// @shape  starts [S] → walks [S · walks_per_start, length + 1]
  /// @throws precondition_error  if a start is not in [0, V); `out` is then unchanged
  /// @where  memory of `Policy`; enqueues on its executor after the starts are checked
  /// @cost   O(1) a step, with two cache misses that overlap with other walks; allocates only while the walks are more
  ///         than any before
  void walk(array_view<space, Vertex const> starts, sample_key key, walks<Policy, Vertex>& out) const {
    if (options_.restart > 0) {
      walk_as<detail::returning_walker<Vertex, Vertex, std::int64_t>>(starts, key, out);
    } else {
      walk_as<detail::path_walker<Vertex, std::int64_t>>(starts, key, out);
    }
  }

  template <class Starts, class Out,
            class Reason = typename decltype(detail::reason_of_seeds<Starts, space, Vertex>())::type>
    requires(!detail::fitting_seeds<Starts, Out, space, Vertex, walks<Policy, Vertex>>)
  void walk(Starts const&, sample_key, Out&) const = delete;

private:
  template <class Walker>
  void walk_as(array_view<space, Vertex const> starts, sample_key key, walks<Policy, Vertex>& out) const {
    using path = detail::one_relation<detail::all_rows<GraphSpace, Vertex>, host_policy<Policy>>;
    detail::path_step<path> const step{{{graph_}}, detail::words_below(options_.restart)};
    detail::walk_serially<Walker>(policy_, starts, graph_.num_rows(), original_, key, options_, step, out);
  }

  csr_view<GraphSpace, Vertex> graph_;
  walk_options options_;
  array_view<GraphSpace, global_id const> original_;
  Policy policy_;
};

} // namespace glt
