// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/part_check.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/sampling/detail/hop_exchange.hpp>
#include <glt/dist/sampling/detail/induced_edges_exchange.hpp>
#include <glt/dist/sampling/detail/read_counts.hpp>
#include <glt/dist/sampling/detail/relation_draws.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/builder.hpp>
#include <glt/sample/detail/validate_vertices.hpp>
#include <glt/sample/edge_id_choice.hpp>
#include <glt/sample/induced_subgraph.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>
#include <glt/sample/subgraph.hpp>

namespace glt::dist {

/// Sampler of induced subgraphs, with all edges between the vertices of a set, across the parts of a graph. Every rank
/// passes its seeds and gets their subgraph, on any policy. The result equals the serial `induced_sampler`, element by
/// element. Concurrent calls: none on one object.
///
/// @where  memory of `Policy`; waits for sizes that ranks send each other
/// @comm   per hop as `neighbor_sampler` with fanout −1; then one header exchange and two payload exchanges
///         as `induced_edges_exchange`, whose bytes grow with the vertices and edges of the result
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id>
class induced_sampler {
public:
  static constexpr memory_space space = Policy::space;
  using subgraph_type = sampled_subgraph<Policy, Vertex>;

  /// One of the batches that `sample_bulk` samples together.
  ///
  /// @shape  seeds [S] global ids
  struct bulk_item {
    array_view<space, Vertex const> seeds;
    std::int64_t step = 0;
    subgraph_type* out = nullptr;
  };

  /// Borrows the graph, which must outlive the sampler.
  ///
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if the options of a rank are wrong or differ from the options of rank 0,
  ///                           or the graph was made for another rank or number of ranks
  induced_sampler(Comm comm, graph<Policy, Vertex> const& graph, induced_options options = {}, Policy policy = {})
      : graph_(&graph), options_(options), policy_(policy), draws_(comm, policy), closing_(comm, policy) {
    auto const check = [&] {
      detail::validate(options_);
      detail::check_edge_ids(graph_->local(), options_.edge_ids);
      detail::check_own_part(comm, graph_->part(), graph_->book().num_parts(), "part", "sampled by");
    };
    detail::agree(
        detail::host_comm(comm), {.what = detail::operation::make_sampler}, detail::failure_of(check),
        detail::fingerprint().add(options_.num_hops).add(options_.edge_ids).value(), [](auto, auto) {
          return "induces subgraphs with other options than rank 0; pass the same number of hops and edge ids on all "
                 "ranks";
        });
  }

  [[nodiscard]] induced_options const& options() const noexcept { return options_; }

  /// Expands rows of other ranks in place from now on, if there are views of them, as `neighbor_sampler` does. Edges
  /// between known vertices are still requested by messages.
  ///
  /// @comm   none
  /// @throws precondition_error  as `neighbor_sampler::read_in_place`
  void read_in_place(node_views<detail::part_view<space, Vertex>> neighborhood)
    requires host_policy<Policy>
  {
    detail::relation_ends const ends;
    draws_.read_in_place(std::span(&graph_->book(), 1), std::span(&ends, 1), std::move(neighborhood));
  }
  /// Returns the reason why rows of some ranks are not expanded in place; empty if all are.
  [[nodiscard]] std::string const& why_not_in_place() const noexcept { return draws_.why_not_in_place(); }
  /// Counts the rows expanded so far.
  [[nodiscard]] detail::read_counts counts() const noexcept { return draws_.counts(); }

  /// Writes the subgraph of this rank's seeds; a rank without seeds passes an empty list.
  ///
  /// @shape  seeds [S] global ids, of any part; a seed may come more than once
  /// @comm   collective; `step` is the same on all ranks
  /// @throws collective_error  on every rank, if a seed of a rank is not in [0, V) or the steps differ; `out` is
  ///                           unchanged on that rank and unspecified on the others
  /// @cost   O(sum of the degrees of the vertices) time, at their owners for the outermost vertices; memory of the
  ///         result and, at an owner, of the sets it receives
  void sample(array_view<space, Vertex const> seeds, std::int64_t step, subgraph_type& out) {
    bulk_item const batch{seeds, step, &out};
    sample_bulk(std::span(&batch, 1));
  }

  /// Samples several batches in one sweep of messages; number and steps are the same on all ranks.
  ///
  /// @comm   collective; as many messages as for one batch
  /// @throws collective_error  on every rank, as `sample`; also if a rank has no batch, a batch without `out`, or
  ///                           another number of batches, or there are too many batches to number the vertices of a
  ///                           part for all of them
  void sample_bulk(std::span<bulk_item const> batches) {
    auto const failure = detail::failure_of([&] { check(batches); });
    if (!failure.empty()) {
      auto const step = batches.empty() ? 0 : batches[0].step;
      draws_.refuse({.what = detail::operation::sample, .step = step, .hop = 0}, failure);
    }
    detail::fingerprint print;
    for (std::size_t b = 0; b < batches.size(); ++b) {
      builders_[b].begin(batches[b].seeds, frontier::fresh, *batches[b].out, graph_->num_vertices());
      print.add(batches[b].step);
    }
    detail::call_site site{.what = detail::operation::sample, .step = batches[0].step, .hop = 0};
    for (; site.hop < options_.num_hops; ++site.hop) {
      collect_relations(batches.size());
      auto const drawn = draws_.draw(site, print.value(), frontiers_, queries_, relations_, options_.edge_ids);
      for (std::size_t b = 0; b < batches.size(); ++b) {
        builders_[b].add_hop(drawn[b]);
      }
    }
    sets_.clear();
    for (std::size_t b = 0; b < batches.size(); ++b) {
      auto const outermost = builders_[b].next_frontier(); // the last of the vertices so far
      auto const* const nodes = batches[b].out->nodes().data();
      auto const first = outermost.data() - nodes;
      sets_.push_back({{nodes, first + outermost.size()}, first});
    }
    auto const closing = closing_.select(site, *graph_, std::span(std::as_const(sets_)), options_.edge_ids);
    for (std::size_t b = 0; b < batches.size(); ++b) {
      builders_[b].add_known_hop(closing[b]);
      builders_[b].finish();
    }
  }

private:
  void check(std::span<bulk_item const> batches) {
    if (batches.empty()) {
      throw precondition_error("no batches; a rank without seeds joins with empty ones");
    }
    for (auto const& batch : batches) {
      detail::validate_vertices(policy_, "seed", batch.seeds, graph_->num_vertices());
      if (batch.out == nullptr) {
        throw precondition_error("a batch has no subgraph to write to; set `out`");
      }
    }
    draws_.set_books(std::span(&graph_->book(), 1), std::ssize(batches));
    while (builders_.size() < batches.size()) {
      builders_.emplace_back(policy_);
    }
  }

  // Turns each batch into a node type with one edge type, all of whose edges are drawn.
  void collect_relations(std::size_t num_batches) {
    frontiers_.clear();
    queries_.assign(num_batches, {});
    relations_.clear();
    for (std::size_t b = 0; b < num_batches; ++b) {
      frontiers_.push_back(builders_[b].next_frontier());
      relations_.push_back({.node_type = static_cast<int>(b),
                            .local = graph_->local(),
                            .original = graph_->original(),
                            .options = {.fanout = -1}});
    }
  }

  graph<Policy, Vertex> const* graph_;
  induced_options options_;
  Policy policy_;
  detail::hop_exchange<Comm, Policy, Vertex> draws_;
  glt::detail::induced_edges_exchange<Comm, Policy, Vertex> closing_;
  std::vector<detail::subgraph_builder<Policy, Vertex>> builders_; // by batch
  std::vector<glt::detail::asked_set<space, Vertex>> sets_;        // likewise
  // Data of the hop, by batch:
  std::vector<array_view<space, Vertex const>> frontiers_;
  std::vector<array_view<space, no_query const>> queries_;
  std::vector<detail::relation_request<space, Vertex>> relations_;
};

} // namespace glt::dist
