// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/link/detail/edge_search.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/walk/detail/node2vec_choice.hpp>
#include <glt/sample/walk/detail/node2vec_step.hpp>
#include <glt/sample/walk/detail/serial_walks.hpp>
#include <glt/sample/walk/random_walk.hpp>
#include <glt/sample/walk/walk_options.hpp>
#include <glt/sample/walk/walks.hpp>

namespace glt {

/// Walker of the second order: the next vertex also depends on the previous one.
///
/// After a step from t to v, a walk goes to x along one of v's edges. The probability is proportional to 1/p if x is t,
/// to 1 if x is a neighbour of t (in t's row), and to 1/q otherwise; parallel edges count one by one. In the first step
/// every edge is equally likely. Rows, ends and names of walks are as for `random_walker`.
///
/// Neighbours are found by bisection if every row lists its sources in ascending order, which the constructor checks,
/// and by a scan of the row otherwise.
///
/// Concurrent calls: const members may run concurrently, into different walks.
///
/// @source Grover and Leskovec, "node2vec", KDD 2016; by rejection as in Yang et al., "KnightKing", SOSP 2019; exact
///         draws by exponential variates as in Efraimidis & Spirakis, Inf. Process. Letters 97(5), 2006
template <device_policy Policy, vertex_id Vertex = local_id, memory_space GraphSpace = Policy::space>
class node2vec_walker {
  static_assert(detail::policy_reaches<Policy, GraphSpace>,
                "node2vec_walker: the policy's executor does not reach the memory of the graph");

public:
  static constexpr memory_space space = Policy::space;

  /// Borrows the graph, which must outlive the walker; `original` as for `random_walker`.
  ///
  /// @shape  original [V] or empty
  /// @throws precondition_error  if the options are wrong, the graph is not square, or original has another
  ///                             length
  /// @cost   O(E) to check whether rows ascend
  node2vec_walker(csr_view<GraphSpace, Vertex> graph, node2vec_options options, Policy policy = {},
                  array_view<GraphSpace, global_id const> original = {})
      : graph_(graph), options_(options), original_(original), policy_(std::move(policy)) {
    detail::validate(options_);
    detail::check_all_rows(graph, original, "metapath_walker for a relation, and dist::node2vec_walker");
    detail::check_edge_ids(graph, options_.edge_ids);
    ascending_ = detail::rows_ascend(policy_.executor(), graph);
  }

  [[nodiscard]] node2vec_options const& options() const noexcept { return options_; }
  /// True if every row lists its sources in ascending order.
  [[nodiscard]] bool ascending() const noexcept { return ascending_; }

  /// Walks from every start into `out`.
  ///
  /// @shape  starts [S] → walks [S · walks_per_start, length + 1]
  /// @throws precondition_error  if a start is not in [0, V); `out` is then unchanged
  /// @where  memory of `Policy`; enqueues on its executor after the starts are checked
  /// @cost   at most max(1, 1/p, 1/q) / min(1, 1/p, 1/q) attempts a step on average, and never more than the degree or
  ///         64, whichever is greater: an exact draw in one pass over the row then ends the step. An attempt that must
  ///         know whether vertices are neighbours searches a row as `edge_search` does. Allocates only while the walks
  ///         are more than any before
  void walk(array_view<space, Vertex const> starts, sample_key key, walks<Policy, Vertex>& out) const {
    detail::node2vec_step<detail::all_rows<GraphSpace, Vertex>> const step{
        {graph_}, ascending_, detail::node2vec_choice(options_)};
    detail::walk_serially<detail::second_order_walker<Vertex, std::int64_t>>(policy_, starts, graph_.num_rows(),
                                                                             original_, key, options_, step, out);
  }

  template <class Starts, class Out,
            class Reason = typename decltype(detail::reason_of_seeds<Starts, space, Vertex>())::type>
    requires(!detail::fitting_seeds<Starts, Out, space, Vertex, walks<Policy, Vertex>>)
  void walk(Starts const&, sample_key, Out&) const = delete;

private:
  csr_view<GraphSpace, Vertex> graph_;
  node2vec_options options_;
  array_view<GraphSpace, global_id const> original_;
  Policy policy_;
  bool ascending_ = false;
};

} // namespace glt
