// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/measures.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/sampling/detail/induced_edges_exchange.hpp>
#include <glt/dist/sampling/detail/sampled_kind.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/graph/csr.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/detail/batch/builder.hpp>
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
/// @comm   per hop as `neighbor_sampler`, with fanout −1 if options give no fanouts; then one header exchange and two
///         payload exchanges as `induced_edges_exchange`, whose bytes grow with the vertices and edges of the result
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id, class Rule = uniform_rule>
  requires draw_rule<Rule, csr_view<Policy::space, Vertex>>
class induced_sampler {
  static_assert(!detail::has_query<Rule>, "an induced subgraph takes all edges between its vertices, whatever their "
                                          "time: take a rule without queries");

public:
  static constexpr memory_space space = Policy::space;
  using subgraph_type = sampled_subgraph<Policy, Vertex>;
  using read_counts = detail::read_counts; ///< of vertices by source: own, in_place, remote

  /// One of the batches that `sample_bulk` samples together.
  ///
  /// @shape  seeds [S] global ids
  struct bulk_item {
    array_view<space, Vertex const> seeds;
    sample_key key{};
    subgraph_type* out = nullptr;
  };

  /// Borrows the graph and the data of the rule, which must outlive the sampler. The rule draws by fanouts. Parts in
  /// `graph.neighborhood()` are expanded in place.
  ///
  /// @comm   collective; two header exchanges, one without hops
  /// @throws collective_error  on every rank, if the options of a rank are wrong, wrong for the rule, or differ from
  ///                           the options of rank 0, or the graph was made for another rank or number of ranks
  induced_sampler(Comm comm, graph<Policy, Vertex> const& graph, induced_options options, Rule rule, Policy policy = {})
      : graph_(&graph), options_(std::move(options)), policy_(policy), seeds_(policy), closing_(comm, policy) {
    auto const check = [&] {
      detail::validate(options_);
      detail::check_edge_ids(graph_->local(), options_.edge_ids);
      detail::check_own_part(comm, graph_->part(), graph_->book().num_parts(), "part", "sampled by");
    };
    detail::fingerprint print;
    print.add(options_.num_hops).add(options_.edge_ids);
    for (auto const fanout : options_.fanouts) {
      print.add(fanout);
    }
    detail::agree(detail::host_comm(comm), {.what = detail::operation::make_sampler}, detail::failure_of(check),
                  print.value(), [](auto, auto) {
                    return "induces subgraphs with other options than rank 0; pass the same number of hops, fanouts "
                           "and edge ids on all ranks";
                  });
    if (detail::num_hops(options_) > 0) {
      reach_.emplace(std::move(comm), graph, detail::reaching(options_), rule, std::move(policy));
    }
  }
  /// Samples by a rule without data, such as `uniform_rule`.
  induced_sampler(Comm comm, graph<Policy, Vertex> const& graph, induced_options options = {}, Policy policy = {})
    requires std::default_initializable<Rule>
      : induced_sampler(std::move(comm), graph, std::move(options), Rule{}, std::move(policy)) {}

  [[nodiscard]] induced_options const& options() const noexcept { return options_; }

  /// Expands rows of other ranks in place from now on, if there are views of them, as `neighbor_sampler` does. Edges
  /// between known vertices are still requested by messages.
  ///
  /// @comm   none
  /// @throws precondition_error  as `neighbor_sampler::read_in_place`
  void read_in_place(node_views<typename graph_part<Policy, Vertex>::view_type> neighborhood)
    requires host_policy<Policy>
  {
    if (reach_) {
      reach_->read_in_place(std::move(neighborhood));
    }
  }
  /// Returns the reason why rows of some ranks are not expanded in place; empty if all are.
  [[nodiscard]] std::string why_not_in_place() const { return reach_ ? reach_->why_not_in_place() : std::string(); }
  /// Counts the rows expanded so far.
  [[nodiscard]] read_counts counts() const noexcept { return reach_ ? reach_->counts() : read_counts(); }

  /// Writes the subgraph of this rank's seeds; a rank without seeds passes an empty list.
  ///
  /// @shape  seeds [S] global ids, of any part; a seed may come more than once
  /// @comm   collective; every rank of the communicator with the same key
  /// @throws collective_error  on every rank, if a seed of a rank is not in [0, V) or the keys differ; `out` is
  ///                           unchanged on that rank and unspecified on the others
  /// @cost   O(sum of the degrees of the vertices) time, at their owners for the outermost vertices, or for all with
  ///         fanouts; memory of the result and, at an owner, of the sets it receives
  void sample(array_view<space, Vertex const> seeds, sample_key key, subgraph_type& out) {
    bulk_item const batch{seeds, key, &out};
    sample_bulk(std::span(&batch, 1));
  }

  /// Samples several batches in one sweep of messages; number and keys are the same on all ranks.
  ///
  /// @comm   collective; as many messages as for one batch
  /// @throws collective_error  on every rank, as `sample`; also if a rank has no batch, a batch without `out`, or
  ///                           another number of batches, or there are too many batches to number the vertices of a
  ///                           part for all of them
  void sample_bulk(std::span<bulk_item const> batches) {
    std::string failure;
    if (reach_) {
      items_.clear();
      for (auto const& [seeds, key, out] : batches) {
        items_.push_back({.seeds = seeds, .key = key, .out = out});
      }
      auto const reach = [&] { reach_->sample_bulk(std::span(std::as_const(items_))); };
      if (reach_->sends_nothing()) {
        failure = detail::failure_of(reach); // other ranks do not know of it
      } else {
        reach();
      }
    } else {
      failure = detail::failure_of([&] { take_seeds(batches); });
    }
    sets_.clear();
    for (std::size_t b = 0; failure.empty() && b < batches.size(); ++b) {
      auto const& out = *batches[b].out;
      sets_.push_back({out.nodes(), detail::first_not_closed(options_, out.num_sampled_nodes())});
    }
    auto const hops = static_cast<std::int32_t>(detail::num_hops(options_));
    auto const known = closing_.select(
        {.what = detail::operation::sample, .step = batches.empty() ? 0 : batches[0].key.step, .hop = hops}, *graph_,
        std::span(std::as_const(sets_)), options_.edge_ids, std::move(failure));
    for (std::size_t b = 0; b < batches.size(); ++b) {
      seeds_.close(sets_[b].first, known[b], *batches[b].out);
    }
  }

private:
  void take_seeds(std::span<bulk_item const> batches) {
    detail::check_batches(batches, [&](bulk_item const& batch) {
      detail::validate_vertices(policy_, "seed", batch.seeds, graph_->num_vertices());
    });
    for (auto const& batch : batches) {
      seeds_.begin(batch.seeds, frontier::fresh, *batch.out);
      seeds_.finish();
    }
  }

  using reach_type = neighbor_sampler<Comm, Policy, Vertex, Rule>;

  graph<Policy, Vertex> const* graph_;
  induced_options options_;
  Policy policy_;
  std::optional<reach_type> reach_;                // of hops
  detail::subgraph_builder<Policy, Vertex> seeds_; // without hops
  detail::induced_edges_exchange<Comm, Policy, Vertex> closing_;
  std::vector<typename reach_type::bulk_item> items_;  // by batch
  std::vector<detail::asked_set<space, Vertex>> sets_; // likewise
};

} // namespace glt::dist
