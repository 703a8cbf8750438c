// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/part_check.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/sampling/detail/hop_exchange.hpp>
#include <glt/dist/sampling/detail/known_edges_exchange.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/detail/batch/builder.hpp>
#include <glt/sample/detail/validate_vertices.hpp>
#include <glt/sample/induced_subgraph.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/subgraph.hpp>

#include <cstdint>

namespace glt::dist {

/// Returns all edges between the vertices of a set, across the parts of a graph: every rank gives its own
/// seeds and gets its own subgraph, element by element that of the serial `induced_sampler`, on any policy.
/// Concurrent calls: none on one object.
///
/// @where  memory of `Policy`; waits for the sizes that ranks tell each other
/// @comm   per hop as `neighbor_sampler` with fanout −1; then one header exchange and two payload exchanges
///         as `known_edges_exchange`, whose bytes grow with the vertices and edges of the result
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id>
class induced_sampler {
public:
  static constexpr memory_space space = Policy::space;
  using subgraph_type = sampled_subgraph<Policy, Vertex>;

  /// Borrows the graph, which must outlive the sampler.
  ///
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if the options of a rank are wrong or differ from those of rank
  ///                           0, or the graph was made for another rank or number of ranks
  induced_sampler(Comm comm, graph<Policy, Vertex> const& graph, induced_options options = {}, Policy policy = {})
      : graph_(&graph), options_(options), policy_(policy), draws_(comm, policy), closing_(comm, policy),
        builder_(policy) {
    auto const check = [&] {
      validate(options_);
      detail::check_own_part(comm, graph_->part(), graph_->book().num_parts(), "part", "sampled by");
    };
    detail::agree(detail::host_comm(comm), {.what = detail::operation::make_sampler}, detail::failure_of(check),
          detail::fingerprint().add(options_.num_hops).add(options_.edge_ids).value(), [](auto, auto) {
            return "induces subgraphs with other options than rank 0; pass the same number of hops and edge ids on all "
                   "ranks";
          });
  }

  [[nodiscard]] induced_options const& options() const noexcept { return options_; }

  /// Writes the subgraph of this rank's seeds; a rank without seeds joins with an empty list.
  ///
  /// @shape  seeds [S] global ids, of any part; a seed may come more than once
  /// @comm   collective; `step` is the same on all ranks
  /// @throws collective_error  on every rank, if a seed of a rank is not in [0, V) or the steps differ; `out`
  ///                           is unchanged on that rank and unspecified on the others
  /// @cost   O(sum of the degrees of the vertices) time, for the outermost ones at their owners; memory of the
  ///         result, and at an owner that of the sets it is asked about
  void sample(array_view<space, Vertex const> seeds, std::int64_t step, subgraph_type& out) {
    auto const failure =
        detail::failure_of([&] { detail::validate_vertices(policy_, "seed", seeds, graph_->num_vertices()); });
    if (!failure.empty()) {
      draws_.refuse({.what = detail::operation::sample, .step = step, .hop = 0}, failure);
    }
    builder_.begin(seeds, frontier::fresh, out, graph_->num_vertices());
    std::int32_t hop = 0;
    for (; hop < options_.num_hops; ++hop) {
      builder_.add_hop(draws_.draw(
          {.what = detail::operation::sample, .step = step, .hop = hop}, *graph_,
          {.rows = builder_.next_frontier(), .original = {}, .options = {.fanout = -1}, .key = random_key(0)},
          options_.edge_ids));
    }
    auto const outermost = builder_.next_frontier(); // the last of the vertices so far
    auto const first = outermost.data() - out.nodes().data();
    array_view<space, Vertex const> const vertices(out.nodes().data(), first + outermost.size());
    builder_.add_known_hop(closing_.select({.what = detail::operation::sample, .step = step, .hop = hop},
                                           *graph_, vertices, first, options_.edge_ids));
    builder_.finish();
  }

private:
  graph<Policy, Vertex> const* graph_;
  induced_options options_;
  Policy policy_;
  detail::hop_exchange<Comm, Policy, Vertex> draws_;
  glt::detail::known_edges_exchange<Comm, Policy, Vertex> closing_;
  detail::subgraph_builder<Policy, Vertex> builder_;
};

} // namespace glt::dist
