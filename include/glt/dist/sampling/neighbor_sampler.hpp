// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/measures.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/sampling/detail/hop_exchange.hpp>
#include <glt/dist/sampling/detail/relation_draws.hpp>
#include <glt/dist/sampling/detail/sampled_kind.hpp>
#include <glt/dist/sampling/detail/shared_draws.hpp>
#include <glt/dist/shared/detail/shared_rows.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/graph/csr.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::dist {

/// Sampler of the multi-hop in-neighbourhood of batches of seeds across the parts of a graph.
///
/// For the same key, the result equals the serial `neighbor_sampler` element by element, on any policy. Ids differ only
/// by the numbering of the parts. The communicator is for host memory, with any policy, or native to GPUs. Concurrent
/// calls: none on one object. `hetero_neighbor_sampler` is this sampler for a graph with types: its seeds are a list
/// per node type.
///
/// @where  memory of `Policy`; the graph may be in another space that the policy's executor reaches. Device policies
///         synchronise for the sizes that ranks send each other, and at the end; with types also for the sizes of the
///         frontiers. A single rank synchronises as the serial sampler
/// @comm   per hop one header exchange and, if a rank has remote vertices in its frontier, two payload exchanges,
///         whatever the number of types; per remote frontier vertex 4 bytes of id, and over each edge type sampled into
///         it at most 4 bytes of count; per edge drawn remotely `sizeof(Vertex)` bytes, plus 8 for a requested edge id;
///         without edge types one header exchange
/// @source protocol in the style of Mostafa, "Sequential aggregation and rematerialization", MLSys 2022
///         (SAR); sampling Hamilton et al., NeurIPS 2017, Alg. 2
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id, class Rule = uniform_rule,
          device_policy GraphPolicy = Policy, class Graph = graph<GraphPolicy, Vertex>>
  requires draw_rule<Rule, csr_view<GraphPolicy::space, Vertex>>
class neighbor_sampler {
  static_assert(std::is_same_v<Policy, GraphPolicy> || !host_policy<Policy>,
                "a sampler on a policy of the host takes a graph of the same policy");
  using kind = detail::sampled_kind<Policy, Rule, Graph>;

public:
  static constexpr memory_space space = Policy::space;
  using subgraph_type = typename kind::subgraph_type;
  using query_type = typename Rule::query_type;
  using seeds_type = typename kind::seeds_type;
  using options_type = typename kind::options_type;
  using read_counts = detail::read_counts; ///< of vertices by source: own, in_place, remote

  /// One of the batches that `sample_bulk` samples together.
  ///
  /// @shape  seeds [S] global ids, or with types one list of them per node type · queries [S], type after type, or
  ///         empty if the rule has none
  struct bulk_item {
    seeds_type seeds;
    array_view<space, query_type const> queries{};
    sample_key key{};
    subgraph_type* out = nullptr;
  };

  /// Borrows the graph and the data of the rule, which must outlive the sampler. The rule refers to rows and edges of
  /// the local part; with types there is one rule per edge type. Parts in `graph.neighborhood()` are read in place, as
  /// by `read_in_place`.
  ///
  /// @comm   collective; one header exchange, and one more for a rule with data over a replicated topology
  /// @throws collective_error  on every rank, if the options of a rank are wrong, wrong for the rule, or differ from
  ///                           the options of rank 0, there is not one rule per edge type, or the graph was made for
  ///                           another rank or number of ranks
  neighbor_sampler(Comm comm, Graph const& graph, options_type options, typename kind::rules_type rule,
                   Policy policy = {})
      : graph_(&graph), options_(std::move(options)), rules_(kind::list(std::move(rule))), policy_(policy),
        alone_(!host_policy<Policy> && comm.size() == 1), part_(kind::part_of(graph)), books_(kind::books(graph)),
        ends_(kind::ends(graph)), seeds_(kind::seeds_of(graph)), exchange_(comm, policy), lone_(policy) {
    auto const failure = detail::failure_of([&] { check(comm); });
    detail::agree(detail::host_comm(comm), {.what = detail::operation::make_sampler}, failure,
                  failure.empty() ? detail::fingerprint_of(options_, ends_.size()) : 0, [](auto, auto) {
                    return "samples with other options than rank 0; pass the same fanouts, replacement, frontier, edge "
                           "ids and disjointness on all ranks";
                  });
    agree_on_data(comm);
  }

  /// Samples by a rule without data, such as `uniform_rule`.
  neighbor_sampler(Comm comm, Graph const& graph, options_type options, Policy policy = {})
    requires std::default_initializable<Rule> && std::same_as<Rule, typename kind::rules_type>
      : neighbor_sampler(std::move(comm), graph, std::move(options), Rule{}, std::move(policy)) {}

  template <class Other, class Options = options_type, class... Others,
            class Reason = typename decltype(detail::reason_of_part<Other, Graph>())::type>
    requires(!std::same_as<Other, Graph> || !std::convertible_to<Options const&, options_type>)
  neighbor_sampler(Comm, Other const&, Options const&, Others const&...) = delete;

  [[nodiscard]] options_type const& options() const noexcept { return options_; }

  /// Serves requests by a rule that depends on the requesting rank: `rule_of(rank)`. It may also depend on the batch of
  /// a bulk and on the edge type: `rule_of(rank, batch)`, `rule_of(rank, batch, edge_type)`. The data of rules may
  /// differ between ranks and change between batches. If a rule shows its data (`members`), its other members are the
  /// same on all ranks; then rows with shared data are sampled in place, also after this call.
  template <class RuleOf>
  void set_rule_of(RuleOf rule_of) {
    if constexpr (requires { rule_of.operator bool(); }) {
      if (!rule_of) { // an empty std::function: the sampler's own rule again
        rule_of_ = {};
        detail::read_neighborhood<Policy>(*this, *graph_);
        return;
      }
    }
    rule_of_ = [rule_of = std::move(rule_of)](int rank, std::size_t batch, int edge_type,
                                              [[maybe_unused]] int part) -> std::optional<Rule> {
      if constexpr (std::is_invocable_v<RuleOf const&, int, std::size_t, int, int>) {
        return rule_of(rank, batch, edge_type, part);
      } else if constexpr (std::is_invocable_v<RuleOf const&, int, std::size_t, int>) {
        return rule_of(rank, batch, edge_type);
      } else if constexpr (std::is_invocable_v<RuleOf const&, int, std::size_t>) {
        return rule_of(rank, batch);
      } else {
        return rule_of(rank);
      }
    };
    detail::read_neighborhood<Policy>(*this, *graph_);
  }

  /// Samples rows of other ranks in place from now on, if there are views of them. Results stay the same, and each rank
  /// may read other parts. Data of the rule, such as weights, are read in place too if `share_rule` or a data set
  /// shares them; else the rule uses messages. The memory is kept while the sampler lives.
  ///
  /// @comm   none; afterwards a hop costs one header exchange if all ranks are read in place
  /// @throws precondition_error  if there is not one entry per rank, this rank included, or a view does not have the
  ///                             rows and columns of its part
  void read_in_place(node_views<typename graph_part<Policy, Vertex>::view_type> neighborhood)
    requires host_policy<Policy>
  {
    bool const allowed = std::is_empty_v<Rule> || (detail::shows_data<Rule> && agreed_);
    neighborhood.everywhere =
        neighborhood.everywhere && (std::is_empty_v<Rule> || !rule_of_); // each rule may lack data
    exchange_.read_in_place(books_, ends_, std::move(neighborhood), rules_, allowed, detail::copied_edges::of(*graph_));
  }

  /// Returns true if all ranks sample all rows in place, as over a replicated topology. Then calls send nothing, do not
  /// wait for other ranks, and throw on the rank that failed alone.
  [[nodiscard]] bool sends_nothing() const noexcept { return exchange_.sends_nothing(); }
  /// Returns true if rows of a part of another rank are sampled in place.
  [[nodiscard]] bool reads_in_place(int part) const noexcept { return exchange_.reads_in_place(part); }
  /// Returns the reason why rows of some ranks are not sampled in place; empty if all are.
  [[nodiscard]] std::string const& why_not_in_place() const noexcept { return exchange_.why_not_in_place(); }
  /// Counts the rows sampled so far.
  [[nodiscard]] read_counts counts() const noexcept {
    auto counts = exchange_.counts();
    counts.own += num_lone_rows_;
    return counts;
  }

  /// Samples this rank's batch into `out`; a rank without seeds passes an empty list, or empty lists.
  ///
  /// @shape  seeds [S] global ids, of any part, or with types one list of them per node type; a seed may come more than
  ///         once
  /// @comm   collective; every rank of the communicator with the same key
  /// @throws collective_error  on every rank, if a seed of a rank is not a vertex, there is not one list per node type,
  ///                           or the keys differ; `out` is unchanged on that rank and unspecified on the others
  /// @cost   O(sampled edges) work; allocates only when the batch is larger than every earlier batch
  void sample(seeds_type seeds, sample_key key, subgraph_type& out)
    requires(!detail::has_query<Rule>)
  {
    run({.seeds = seeds, .key = key, .out = &out});
  }

  /// Samples with one query per seed, such as a time; all vertices sampled for a seed inherit its query.
  ///
  /// @shape  queries [S], type after type
  /// @comm   as without queries, plus sizeof(query_type) bytes per remote frontier vertex
  /// @throws collective_error  as without queries, or if a rank does not pass one query per seed
  void sample(seeds_type seeds, array_view<space, query_type const> queries, sample_key key, subgraph_type& out)
    requires(detail::has_query<Rule>)
  {
    run({.seeds = seeds, .queries = queries, .key = key, .out = &out});
  }

  /// Samples this rank's batch with seeds of one node type into `out`.
  ///
  /// @shape  seeds [S] global ids
  /// @comm   as the first `sample`
  /// @throws collective_error  on every rank, if the node type does not exist, or as the first `sample`
  void sample(int node_type, array_view<space, Vertex const> seeds, sample_key key, subgraph_type& out)
    requires(!detail::has_query<Rule> && !std::same_as<seeds_type, array_view<space, Vertex const>>)
  {
    seeds_type lists;
    report(key.step, [&] { lists = seeds_.of_one_type(node_type, seeds); });
    run({.seeds = lists, .key = key, .out = &out});
  }

  template <
      class Seeds, class Out,
      class Reason = typename decltype(detail::reason_of_seeds<Seeds, space, Vertex, detail::has_query<Rule>>())::type>
    requires(std::same_as<seeds_type, array_view<space, Vertex const>> &&
             (detail::has_query<Rule> || !detail::fitting_seeds<Seeds, Out, space, Vertex, subgraph_type>))
  void sample(Seeds const&, sample_key, Out&) = delete;

  /// Samples this rank's batches in one sweep of messages, each as `sample` would; a batch without seeds has an empty
  /// list, or empty lists.
  ///
  /// @comm   collective; every rank with the same number of batches and the same keys: as many messages as for one
  ///         batch
  /// @throws collective_error  on every rank, as `sample`; also if a rank has no batch, a batch without `out`, or
  ///                           another number of batches, or there are too many batches to number the vertices of a
  ///                           part for all of them. Then every `out` is unchanged on the rank that failed, and
  ///                           unspecified on others
  /// @cost   as `sample` of every batch; allocates only for more or larger batches than in every earlier call
  void sample_bulk(std::span<bulk_item const> batches) {
    auto const step = batches.empty() ? 0 : batches[0].key.step;
    report(step, [&] {
      check(batches);
      for (std::size_t b = 0; alone_ && b < batches.size(); ++b) {
        sample_alone(b, batches[b]);
      }
    });
    if (alone_) {
      return;
    }
    auto const num_hops = detail::num_hops(options_);
    if (num_hops == 0) { // without hops, this call reports failures
      draw(0, batches);
    }
    for (std::size_t b = 0; b < batches.size(); ++b) {
      kind::begin(*graph_, workers_[b].builder, batches[b].seeds, options_, *batches[b].out);
    }
    for (std::size_t hop = 0; hop < num_hops; ++hop) {
      auto drawn = draw(hop, batches).begin();
      for (std::size_t b = 0; b < batches.size(); ++b) {
        auto& builder = workers_[b].builder;
        for (std::size_t e = 0; e < ends_.size(); ++e) {
          if (options_of(hop, e).fanout == 0) {
            builder.typed().skip_relation(e);
          } else {
            builder.typed().add_relation(e, *drawn++);
          }
        }
        builder.end_hop();
      }
    }
    for (std::size_t b = 0; b < batches.size(); ++b) {
      workers_[b].builder.finish();
    }
  }

private:
  using exchange_type = detail::hop_exchange<Comm, Policy, Vertex, Rule, GraphPolicy::space>;

  void run(bulk_item const& batch) { sample_bulk(std::span(&batch, 1)); }

  // Reports a failed check to the other ranks in the first hop.
  template <class Check>
  void report(std::int64_t step, Check check) {
    auto const failure = detail::failure_of(check);
    if (!failure.empty()) {
      exchange_.refuse({.what = detail::operation::sample, .step = step, .hop = 0}, failure);
    }
  }

  void check(Comm const& comm) {
    kind::check(*graph_, options_, rules_);
    for (auto const& relation : part_.graphs) {
      detail::check_edge_ids(relation, options_.edge_ids);
    }
    for (auto const& book : books_) {
      detail::check_own_part(comm, graph_->part(), book.num_parts(), "part", "sampled by");
    }
    exchange_.set_books(books_);
    detail::read_neighborhood<Policy>(*this, *graph_);
  }

  // Over a replicated topology ranks that draw in place do not answer others: all of them do, or none.
  void agree_on_data(Comm& comm) {
    if constexpr (host_policy<Policy> && !std::is_empty_v<Rule> && detail::shows_data<Rule>) {
      if (auto const& views = graph_->neighborhood(); views.everywhere) {
        std::span<Rule const> const rules(rules_);
        auto const found = detail::shared_data(rules, *views.of_rank[static_cast<std::size_t>(comm.rank())]);
        auto const headers = detail::exchange_values(
            detail::host_comm(comm), {.what = detail::operation::make_sampler, .hop = 1}, {}, found.number());
        agreed_ = found.all &&
                  std::ranges::all_of(headers, [&](auto const& header) { return header.value == found.number(); });
        detail::read_neighborhood<Policy>(*this, *graph_);
      }
    }
  }

  void check(std::span<bulk_item const> batches) {
    detail::check_batches(batches, [&](bulk_item const& batch) {
      auto const num_seeds = seeds_.check(policy_, kind::lists(batch.seeds));
      if (detail::has_query<Rule>) {
        detail::check_queries(num_seeds, batch.queries.size());
      }
    });
    exchange_.set_books(books_, std::ssize(batches));
    while (workers_.size() < batches.size()) {
      workers_.emplace_back(policy_, books_.size());
    }
  }

  // Samples a batch on a device when there are no other ranks: sorts nothing by owner, and never waits for the sizes of
  // a hop.
  void sample_alone(std::size_t b, bulk_item const& batch) {
    if constexpr (!host_policy<Policy>) {
      std::vector<Rule> rules_of_batch;
      for (std::size_t e = 0; rule_of_ && e < ends_.size(); ++e) {
        rules_of_batch.push_back(*rule_of_(0, b, static_cast<int>(e), 0));
      }
      auto const& rules = rule_of_ ? rules_of_batch : rules_;
      kind::sample_alone(*graph_, lone_, policy_, part_, options_, rules, batch);
      for (std::size_t t = 0; t < books_.size(); ++t) {
        auto const nodes = kind::num_nodes(*batch.out, static_cast<int>(t));
        num_lone_rows_ += detail::count_expanded(nodes, options_, std::span(std::as_const(ends_)), t);
      }
    }
  }

  [[nodiscard]] hop_options options_of(std::size_t hop, std::size_t edge_type) const {
    return detail::hop_of(options_, hop, static_cast<int>(edge_type));
  }

  // Draws a hop of all batches: their relations with a fanout, for the frontiers of the destination types.
  auto draw(std::size_t hop, std::span<bulk_item const> batches) {
    auto const number = static_cast<std::int32_t>(hop);
    detail::fingerprint keys;
    frontiers_.assign(batches.size() * books_.size(), {});
    queries_.assign(batches.size() * books_.size(), {});
    relations_.clear();
    for (std::size_t b = 0; b < batches.size(); ++b) {
      auto& [builder, inherited] = workers_[b];
      keys.add(static_cast<std::int64_t>(detail::hop_key(batches[b].key, number).bits()));
      for (std::size_t e = 0; e < ends_.size(); ++e) {
        if (auto const options = options_of(hop, e); options.fanout != 0) {
          auto const t = ends_[e].destination;
          auto const at = b * books_.size() + t;
          if (frontiers_[at].empty()) {
            frontiers_[at] = builder.typed().current_frontier(t);
            queries_[at] = inherited[t].of(batches[b].queries, builder.typed().current_trees(t));
          }
          auto const edge_type = static_cast<int>(e);
          relations_.push_back({.node_type = static_cast<int>(at),
                                .edge_type = edge_type,
                                .local = part_.graphs[e],
                                .original = part_.original[t],
                                .options = options,
                                .key = detail::hop_key(batches[b].key, number, edge_type),
                                .rule = rules_[e]});
        }
      }
    }
    typename exchange_type::rule_source rule_of;
    if (rule_of_) {
      rule_of = [this](int rank, std::size_t relation, int part) {
        auto const& request = relations_[relation];
        return rule_of_(rank, static_cast<std::size_t>(request.node_type) / books_.size(), request.edge_type, part);
      };
    }
    return exchange_.draw({.what = detail::operation::sample, .step = batches[0].key.step, .hop = number}, keys.value(),
                          frontiers_, queries_, relations_, options_.edge_ids, rule_of);
  }

  Graph const* graph_;
  options_type options_;
  std::vector<Rule> rules_; // by edge type
  Policy policy_;
  bool agreed_ = true; // on the shared data of the rules
  bool alone_;         // there is only this rank, and `lone_` draws
  typename kind::part_type part_;
  std::vector<partition_book> books_;       // by node type
  std::vector<detail::relation_ends> ends_; // by edge type
  typename kind::checked_seeds seeds_;
  std::function<std::optional<Rule>(int rank, std::size_t batch, int edge_type, int part)> rule_of_;
  exchange_type exchange_;
  std::conditional_t<host_policy<Policy>, detail::no_lone_worker, typename kind::lone_type> lone_;
  std::int64_t num_lone_rows_ = 0;
  std::vector<detail::batch_worker<Policy, Rule, typename kind::builder_type>> workers_; // by batch
  // Data of the hop, by batch and node type; empty if no edge type draws for it:
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
