// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/part_check.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/sampling/detail/hop_exchange.hpp>
#include <glt/dist/sampling/detail/lone_sampling.hpp>
#include <glt/dist/sampling/detail/relation_draws.hpp>
#include <glt/dist/sampling/read_counts.hpp>
#include <glt/dist/sampling/results.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/builder.hpp>
#include <glt/sample/detail/batch/inherited_queries.hpp>
#include <glt/sample/detail/validate_vertices.hpp>
#include <glt/sample/detail/wrong_arguments.hpp>
#include <glt/sample/edge_id_choice.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

#include <concepts>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace glt::dist {

/// Sampler of the multi-hop in-neighbourhood of batches of seeds across the parts of a graph.
///
/// For the same key, the result equals the serial `neighbor_sampler` element by element, on any policy. Ids differ only
/// by the numbering of the parts. The communicator is for host memory, with any policy, or native to GPUs. Concurrent
/// calls: none on one object.
///
/// @where  memory of `Policy`; the graph may be in another space that the policy's executor reaches. Device policies
///         synchronise for the sizes that ranks send each other, and at the end
/// @comm   per hop one header exchange and, if a rank has remote vertices in its frontier, two payload exchanges; per
///         remote frontier vertex 4 bytes of id and at most 4 of count, per edge drawn remotely `sizeof(Vertex)` bytes,
///         plus 8 for a requested edge id
/// @source protocol in the style of Mostafa, "Sequential aggregation and rematerialization", MLSys 2022
///         (SAR); sampling Hamilton et al., NeurIPS 2017, Alg. 2
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id, class Rule = uniform_rule,
          device_policy GraphPolicy = Policy>
  requires draw_rule<Rule, csr_view<GraphPolicy::space, Vertex>>
class neighbor_sampler {
  static_assert(std::is_same_v<Policy, GraphPolicy> || !host_policy<Policy>,
                "a sampler on a policy of the host takes a graph of the same policy");

public:
  static constexpr memory_space space = Policy::space;
  using subgraph_type = sampled_subgraph<Policy, Vertex>;
  using query_type = typename Rule::query_type;

  /// One of the batches that `sample_bulk` samples together.
  ///
  /// @shape  seeds [S] global ids · queries [S], or empty if the rule has none
  struct bulk_item {
    array_view<space, Vertex const> seeds;
    array_view<space, query_type const> queries{};
    sample_key key{};
    subgraph_type* out = nullptr;
  };

  /// Borrows the graph and the data of the rule, which must outlive the sampler. The rule refers to rows and edges of
  /// the local part.
  ///
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if the options of a rank are wrong, wrong for the rule, or differ from
  ///                           the options of rank 0, or the graph was made for another rank or number of ranks
  neighbor_sampler(Comm comm, graph<GraphPolicy, Vertex> const& graph, neighbor_options options, Rule rule,
                   Policy policy = {})
      : graph_(&graph), options_(std::move(options)), rule_(rule), policy_(policy), exchange_(comm, policy),
        lone_(policy, comm.size() == 1) {
    detail::agree(detail::host_comm(comm), {.what = detail::operation::make_sampler},
                  detail::failure_of([&] { check(comm); }), print(options_), [](auto, auto) {
                    return "samples with other options than rank 0; pass the same fanouts, replacement, frontier, edge "
                           "ids and disjointness on all ranks";
                  });
  }

  /// Samples by a rule without data, such as `uniform_rule`.
  neighbor_sampler(Comm comm, graph<GraphPolicy, Vertex> const& graph, neighbor_options options, Policy policy = {})
    requires std::default_initializable<Rule>
      : neighbor_sampler(std::move(comm), graph, std::move(options), Rule{}, std::move(policy)) {}

  /// Explains at compile time that the graph or the options do not fit.
  template <class Graph, class Options = neighbor_options, class... Others>
  neighbor_sampler(Comm comm, Graph const&, Options const&, Others const&...)
    requires(!std::same_as<Graph, dist::graph<GraphPolicy, Vertex>> ||
             !std::convertible_to<Options const&, neighbor_options>)
      : neighbor_sampler(std::move(comm), detail::no_value<dist::graph<GraphPolicy, Vertex> const&>(),
                         neighbor_options{}, detail::no_value<Rule>()) {
    detail::explain_part<Graph, Options, dist::graph<GraphPolicy, Vertex>>();
  }

  [[nodiscard]] neighbor_options const& options() const noexcept { return options_; }

  /// Serves requests by a rule that depends on the requesting rank; the data of rules may differ between ranks and
  /// change between batches.
  void set_rule_of(std::function<Rule(int rank)> rule_of) {
    rule_of_ = {};
    if (rule_of) {
      rule_of_ = [rule_of = std::move(rule_of)](int rank, std::size_t) { return rule_of(rank); };
    }
  }
  /// Serves requests by a rule that depends on the requesting rank and on the batch of a bulk.
  void set_rule_of(std::function<Rule(int rank, std::size_t batch)> rule_of) { rule_of_ = std::move(rule_of); }

  /// Samples rows of other ranks in place from now on, if there are views of them. Results stay the same, and each rank
  /// may read other parts. A rule with data beyond the graph, such as weights, still uses messages. The memory is kept
  /// while the sampler lives.
  ///
  /// @comm   none; afterwards a hop costs one header exchange if all ranks are read in place
  /// @throws precondition_error  if there is not one entry per rank, this rank included, or a view does not have the
  ///                             rows and columns of its part
  void read_in_place(node_views<detail::part_view<space, Vertex>> neighborhood)
    requires host_policy<Policy>
  {
    exchange_.read_in_place(graph_->book(), std::move(neighborhood));
  }

  /// Returns the reason why rows of some ranks are not sampled in place; empty if all are.
  [[nodiscard]] std::string const& why_not_in_place() const noexcept { return exchange_.why_not_in_place(); }
  /// Counts the rows sampled so far.
  [[nodiscard]] read_counts counts() const noexcept {
    auto counts = exchange_.counts();
    counts.own += lone_.num_rows();
    return counts;
  }

  /// Samples this rank's batch into `out`; a rank without seeds passes an empty list.
  ///
  /// @shape  seeds [S] global ids, of any part; a seed may come more than once
  /// @comm   collective; every rank of the communicator with the same key
  /// @throws collective_error  on every rank, if a seed of a rank is not in [0, V) or the keys differ; `out` is
  ///                           unchanged on that rank and unspecified on the others
  /// @cost   O(sampled edges) work; allocates only when the batch is larger than every earlier batch
  void sample(array_view<space, Vertex const> seeds, sample_key key, subgraph_type& out)
    requires(!detail::has_query<Rule>)
  {
    run({.seeds = seeds, .key = key, .out = &out});
  }

  /// Samples with one query per seed, such as a time; all vertices sampled for a seed inherit its query.
  ///
  /// @shape  seeds [S] · queries [S]
  /// @comm   as without queries, plus sizeof(query_type) bytes per remote frontier vertex
  /// @throws collective_error  as without queries, or if a rank does not pass one query per seed
  void sample(array_view<space, Vertex const> seeds, array_view<space, query_type const> queries, sample_key key,
              subgraph_type& out)
    requires(detail::has_query<Rule>)
  {
    run({.seeds = seeds, .queries = queries, .key = key, .out = &out});
  }

  /// Explains at compile time that the seeds or the result do not fit.
  template <class Seeds, class Out>
  void sample(Seeds const&, sample_key, Out&)
    requires(detail::has_query<Rule> || !detail::fitting_seeds<Seeds, Out, space, Vertex, subgraph_type>)
  {
    static_assert(
        !detail::has_query<Rule>,
        "the rule of this sampler needs a query for every seed, such as a time: sample(seeds, times, key, out)");
    if constexpr (!detail::has_query<Rule>) {
      detail::explain_seeds<Seeds, Out, space, Vertex, subgraph_type>();
    }
  }

  /// Samples this rank's batches in one sweep of messages, each as `sample` would; a batch without seeds has an empty
  /// list.
  ///
  /// @comm   collective; every rank with the same number of batches and the same keys: as many messages as for one
  ///         batch
  /// @throws collective_error  on every rank, as `sample`; also if a rank has no batch, a batch without `out`, or
  ///                           another number of batches, or there are too many batches to number the vertices of a
  ///                           part for all of them. Then every `out` is unchanged on the rank that failed, and
  ///                           unspecified on others
  /// @cost   as `sample` of every batch; allocates only when there are more or larger batches than in every earlier
  ///         call
  void sample_bulk(std::span<bulk_item const> batches) {
    auto const failure = detail::failure_of([&] {
      check(batches);
      for (std::size_t b = 0; lone_.samples() && b < batches.size(); ++b) {
        lone_.sample(*graph_, options_, rule_of_ ? rule_of_(0, b) : rule_, batches[b]);
      }
    });
    if (!failure.empty()) {
      auto const step = batches.empty() ? 0 : batches[0].key.step;
      exchange_.refuse({.what = detail::operation::sample, .step = step, .hop = 0}, failure);
    }
    if (lone_.samples()) {
      return;
    }
    for (std::size_t b = 0; b < batches.size(); ++b) {
      begin(batches[b], workers_[b].builder);
    }
    for (std::size_t hop = 0; hop < options_.fanouts.size(); ++hop) {
      collect_relations(batches, static_cast<std::int64_t>(hop));
      detail::call_site const site{
          .what = detail::operation::sample, .step = batches[0].key.step, .hop = static_cast<std::int32_t>(hop)};
      auto const drawn =
          exchange_.draw(site, print_.value(), frontiers_, queries_, relations_, options_.edge_ids, rule_of_);
      for (std::size_t b = 0; b < batches.size(); ++b) {
        if (options_.fanouts[hop] == 0) {
          workers_[b].builder.skip_hop();
        } else {
          workers_[b].builder.add_hop(drawn[b]);
        }
      }
    }
    for (std::size_t b = 0; b < batches.size(); ++b) {
      workers_[b].builder.finish();
    }
  }

private:
  // Memory to make one batch of a bulk.
  struct worker {
    explicit worker(Policy const& policy) : queries(policy), builder(policy) {}

    detail::inherited_queries<Policy, Rule> queries;
    detail::subgraph_builder<Policy, Vertex> builder;
  };

  void run(bulk_item const& batch) { sample_bulk(std::span(&batch, 1)); }

  void check(std::span<bulk_item const> batches) {
    if (batches.empty()) {
      throw precondition_error("no batches; a rank without seeds joins with empty ones");
    }
    for (auto const& batch : batches) {
      detail::validate_vertices(policy_, "seed", batch.seeds, graph_->num_vertices());
      if (detail::has_query<Rule>) {
        detail::check_queries(batch.seeds.size(), batch.queries.size());
      }
      if (batch.out == nullptr) {
        throw precondition_error("a batch has no subgraph to write to; set `out`");
      }
    }
    exchange_.set_books(std::span(&graph_->book(), 1), std::ssize(batches));
    while (workers_.size() < batches.size()) {
      workers_.emplace_back(policy_);
    }
  }

  void begin(bulk_item const& batch, detail::subgraph_builder<Policy, Vertex>& builder) {
    options_.disjoint ? builder.begin_disjoint(batch.seeds, options_.expand, *batch.out, graph_->num_vertices())
                      : builder.begin(batch.seeds, options_.expand, *batch.out, graph_->num_vertices());
  }

  // Turns each batch into a node type with one edge type.
  void collect_relations(std::span<bulk_item const> batches, std::int64_t hop) {
    print_ = {};
    frontiers_.clear();
    queries_.clear();
    relations_.clear();
    for (std::size_t b = 0; b < batches.size(); ++b) {
      auto& [queries, builder] = workers_[b];
      auto const key = detail::hop_key(batches[b].key, hop);
      print_.add(static_cast<std::int64_t>(key.bits()));
      if (options_.fanouts[static_cast<std::size_t>(hop)] == 0) {
        frontiers_.emplace_back();
        queries_.emplace_back();
        continue;
      }
      frontiers_.push_back(builder.next_frontier());
      queries_.push_back(queries.of(batches[b].queries, builder.next_trees()));
      relations_.push_back({.node_type = static_cast<int>(b),
                            .local = graph_->local(),
                            .original = graph_->original(),
                            .options = detail::hop_of(options_, static_cast<std::size_t>(hop)),
                            .key = key,
                            .rule = rule_});
    }
  }

  void check(Comm const& comm) const {
    validate(options_);
    detail::check_rule(graph_->local(), options_, rule_);
    detail::check_edge_ids(graph_->local(), options_.edge_ids);
    detail::check_own_part(comm, graph_->part(), graph_->book().num_parts(), "part", "sampled by");
  }

  static std::int64_t print(neighbor_options const& options) {
    detail::fingerprint print;
    print.add(options.replace)
        .add(static_cast<std::int64_t>(options.expand))
        .add(options.edge_ids)
        .add(options.disjoint);
    for (auto const fanout : options.fanouts) {
      print.add(fanout);
    }
    return print.value();
  }

  graph<GraphPolicy, Vertex> const* graph_;
  neighbor_options options_;
  Rule rule_;
  Policy policy_;
  std::function<Rule(int rank, std::size_t batch)> rule_of_;
  detail::hop_exchange<Comm, Policy, Vertex, Rule, GraphPolicy::space> exchange_;
  detail::lone_sampling<Policy, Vertex, Rule, GraphPolicy::space> lone_;
  std::vector<worker> workers_; // by batch
  // Data of the hop, by batch:
  detail::fingerprint print_; // of all keys
  std::vector<array_view<space, Vertex const>> frontiers_;
  std::vector<array_view<space, query_type const>> queries_;
  std::vector<detail::relation_request<GraphPolicy::space, Vertex, Rule>> relations_;
};

template <communicator Comm, vertex_id Vertex, memory_space Space>
neighbor_sampler(Comm, csr_view<Space, Vertex> const&, neighbor_options) -> neighbor_sampler<Comm, device::cpu>;
template <communicator Comm, device_policy Policy, vertex_id Vertex>
neighbor_sampler(Comm, graph<Policy, Vertex> const&, neighbor_options) -> neighbor_sampler<Comm, Policy, Vertex>;
template <communicator Comm, device_policy GraphPolicy, vertex_id Vertex, device_policy Policy>
neighbor_sampler(Comm, graph<GraphPolicy, Vertex> const&, neighbor_options, Policy)
    -> neighbor_sampler<Comm, Policy, Vertex, uniform_rule, GraphPolicy>;
template <communicator Comm, device_policy Policy, vertex_id Vertex, class Rule>
  requires(!device_policy<Rule>)
neighbor_sampler(Comm, graph<Policy, Vertex> const&, neighbor_options, Rule)
    -> neighbor_sampler<Comm, Policy, Vertex, Rule>;
template <communicator Comm, device_policy GraphPolicy, vertex_id Vertex, class Rule, device_policy Policy>
neighbor_sampler(Comm, graph<GraphPolicy, Vertex> const&, neighbor_options, Rule, Policy)
    -> neighbor_sampler<Comm, Policy, Vertex, Rule, GraphPolicy>;

} // namespace glt::dist
