// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/part_check.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/sampling/detail/hop_exchange.hpp>
#include <glt/dist/sampling/detail/lone_worker.hpp>
#include <glt/dist/sampling/detail/relation_draws.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/detail/batch/hetero_builder.hpp>
#include <glt/sample/detail/batch/hetero_hop_worker.hpp>
#include <glt/sample/detail/batch/hetero_seeds.hpp>
#include <glt/sample/detail/batch/inherited_queries.hpp>
#include <glt/sample/detail/validate_vertices.hpp>
#include <glt/sample/edge_id_choice.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/detail/hetero_rules.hpp>
#include <glt/sample/rule/rule.hpp>

#include <concepts>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace glt::dist {

/// Sampler of the multi-hop in-neighbourhood of batches of seeds across the parts of a heterogeneous graph.
///
/// For the same key, the result equals the serial `hetero_neighbor_sampler` element by element, on any policy. Ids
/// differ only by the numbering of the parts. The communicator is for host memory, with any policy, or native to GPUs.
/// Concurrent calls: none on one object.
///
/// @where  memory of `Policy`; device policies synchronise for the sizes that ranks send each other, for the sizes of
///         the frontiers, and at the end; a single rank synchronises as the serial sampler
/// @comm   per hop one header exchange and, if a rank has remote vertices in its frontiers, two payload exchanges,
///         whatever the number of types; per remote frontier vertex 4 bytes of id, and over each edge type sampled into
///         it at most 4 bytes of count; per edge drawn remotely `sizeof(Vertex)` bytes, plus 8 for a requested edge id;
///         without edge types one header exchange
/// @source as `hetero_neighbor_sampler` and `dist::neighbor_sampler`
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id, class Rule = uniform_rule>
  requires draw_rule<Rule, csr_view<Policy::space, Vertex>>
class hetero_neighbor_sampler {
public:
  static constexpr memory_space space = Policy::space;
  using subgraph_type = hetero_subgraph<Policy, Vertex>;
  using query_type = typename Rule::query_type;
  using seed_lists = std::span<array_view<space, Vertex const> const>;

  /// One of the batches that `sample_bulk` samples together.
  ///
  /// @shape  seeds [node types], one list of global ids each · queries [seeds of all types], type after type, or empty
  ///         if the rules have none
  struct bulk_item {
    seed_lists seeds;
    array_view<space, query_type const> queries{};
    sample_key key{};
    subgraph_type* out = nullptr;
  };

  /// Borrows the graph and the data of the rules, which must outlive the sampler. The rules refer to rows and edges of
  /// the local part.
  ///
  /// @shape  rules [edge types]
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if the options of a rank are wrong, wrong for a rule, or differ from the
  ///                           options of rank 0, there is not one rule per edge type, or the graph was made for
  ///                           another rank or number of ranks
  hetero_neighbor_sampler(Comm comm, hetero_graph<Policy, Vertex> const& graph, hetero_options options,
                          std::vector<Rule> rules, Policy policy = {})
      : graph_(&graph), options_(std::move(options)), rules_(std::move(rules)), seeds_(graph.schema()), policy_(policy),
        exchange_(comm, policy), alone_(comm.size() == 1), local_(policy) {
    detail::agree(detail::host_comm(comm), {.what = detail::operation::make_sampler},
                  detail::failure_of([&] { prepare(comm); }), print(options_), [](auto, auto) {
                    return "samples with other options than rank 0; pass the same fanouts, replacement, frontier, edge "
                           "ids and disjointness on all ranks";
                  });
  }

  /// Samples by rules without data, such as `uniform_rule`.
  hetero_neighbor_sampler(Comm comm, hetero_graph<Policy, Vertex> const& graph, hetero_options options,
                          Policy policy = {})
    requires std::default_initializable<Rule>
      : hetero_neighbor_sampler(std::move(comm), graph, std::move(options),
                                std::vector<Rule>(graph.schema().edge_types().size()), std::move(policy)) {}

  [[nodiscard]] hetero_options const& options() const noexcept { return options_; }

  /// Samples this rank's batch with seeds of several types into `out`; a rank without seeds passes empty lists.
  ///
  /// @shape  seeds [node types], one list of global ids each, of any part; a seed may come more than once
  /// @comm   collective; every rank of the communicator with the same key
  /// @throws collective_error  on every rank, if a rank does not pass one list per node type, a seed is not a vertex of
  ///                           its type, or the keys differ; `out` is unchanged on that rank and unspecified on the
  ///                           others
  /// @cost   O(sampled edges) work; allocates only when the batch is larger than every earlier batch
  void sample(seed_lists seeds, sample_key key, subgraph_type& out)
    requires(!detail::has_query<Rule>)
  {
    run({.seeds = seeds, .key = key, .out = &out});
  }

  /// Samples with one query per seed, such as a time; all vertices sampled for a seed inherit its query.
  ///
  /// @shape  queries [seeds of all types], type after type
  /// @comm   as without queries, plus sizeof(query_type) bytes per remote frontier vertex
  /// @throws collective_error  as without queries, or if a rank does not pass one query per seed
  void sample(seed_lists seeds, array_view<space, query_type const> queries, sample_key key, subgraph_type& out)
    requires(detail::has_query<Rule>)
  {
    run({.seeds = seeds, .queries = queries, .key = key, .out = &out});
  }

  /// Samples this rank's batch with seeds of one type into `out`.
  ///
  /// @shape  seeds [S] global ids
  /// @comm   as the first `sample`
  /// @throws collective_error  on every rank, if the node type does not exist, or as the first `sample`
  void sample(int node_type, array_view<space, Vertex const> seeds, sample_key key, subgraph_type& out)
    requires(!detail::has_query<Rule>)
  {
    seed_lists lists;
    report(key.step, [&] { lists = seeds_.of_one_type(node_type, seeds); });
    run({.seeds = lists, .key = key, .out = &out});
  }

  /// Samples this rank's batches in one sweep of messages, each as `sample` would; a batch without seeds has empty
  /// lists.
  ///
  /// @comm   collective; every rank with the same number of batches and the same keys: as many messages as for one
  ///         batch
  /// @throws collective_error  on every rank, as `sample`, or as `neighbor_sampler::sample_bulk`
  /// @cost   as `sample` of every batch; allocates only when there are more or larger batches than in every earlier
  ///         call
  void sample_bulk(std::span<bulk_item const> batches) {
    auto const step = batches.empty() ? 0 : batches[0].key.step;
    report(step, [&] {
      check(batches);
      if constexpr (!host_policy<Policy>) {
        for (std::size_t b = 0; alone_ && b < batches.size(); ++b) {
          sample_alone(batches[b]);
        }
      }
    });
    if (!host_policy<Policy> && alone_) {
      return;
    }
    if (detail::num_hops(options_) == 0) { // without hops, this call reports failures
      collect_relations(0, batches);       // none
      exchange_.draw({.what = detail::operation::sample, .step = step}, print_of_keys(batches, 0), frontiers_, queries_,
                     relations_, false);
    }
    for (std::size_t b = 0; b < batches.size(); ++b) {
      workers_[b].builder.begin(graph_->schema(), batches[b].seeds, options_, *batches[b].out);
    }
    for (std::size_t hop = 0; hop < detail::num_hops(options_); ++hop) {
      collect_relations(hop, batches);
      auto const number = static_cast<std::int32_t>(hop);
      detail::call_site const site{.what = detail::operation::sample, .step = step, .hop = number};
      auto drawn =
          exchange_.draw(site, print_of_keys(batches, number), frontiers_, queries_, relations_, options_.edge_ids)
              .begin();
      for (std::size_t b = 0; b < batches.size(); ++b) {
        auto& builder = workers_[b].builder;
        for (int e = 0; e < graph_->schema().num_edge_types(); ++e) {
          if (detail::hop_of(options_, hop, e).fanout == 0) {
            builder.skip_relation(e);
          } else {
            builder.add_relation(e, *drawn++);
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
  // Memory to make one batch of a bulk.
  struct worker {
    worker(Policy const& policy, std::size_t node_types) : builder(policy) {
      while (queries.size() < node_types) {
        queries.emplace_back(policy);
      }
    }

    detail::hetero_builder<Policy, Vertex> builder;
    std::vector<detail::inherited_queries<Policy, Rule>> queries; // by node type
  };

  void sample_alone(bulk_item const& batch)
    requires(!host_policy<Policy>)
  {
    local_.sample(hetero_view<space, Vertex>(graph_->schema(), lone_relations_), options_, rules_, lone_original_,
                  batch.seeds, batch.queries, batch.key, *batch.out);
    for (int t = 0; t < graph_->schema().num_node_types(); ++t) { // sources without an owner; routing finds them too
      auto const nodes = std::as_const(*batch.out).nodes(t);
      if (auto const bad = detail::first_outside(policy_, nodes, graph_->book(t).num_vertices()); bad < nodes.size()) {
        static_cast<void>(graph_->book(t).owner(detail::read_element(policy_, nodes, bad)));
      }
    }
  }

  // Reports a failed check to the other ranks in the first hop.
  template <class Check>
  void report(std::int64_t step, Check check) {
    auto const failure = detail::failure_of(check);
    if (!failure.empty()) {
      exchange_.refuse({.what = detail::operation::sample, .step = step, .hop = 0}, failure);
    }
  }

  void prepare(Comm const& comm) {
    auto const& schema = graph_->schema();
    validate(options_, schema);
    detail::check_rules(schema, options_, rules_, [&](int e) { return graph_->local(e); });
    for (int e = 0; e < schema.num_edge_types(); ++e) {
      detail::check_edge_ids(graph_->local(e), options_.edge_ids);
    }
    for (int t = 0; t < schema.num_node_types(); ++t) {
      books_.push_back(graph_->book(t));
      detail::check_own_part(comm, graph_->part(), books_.back().num_parts(), "part", "sampled by");
    }
    exchange_.set_books(books_);
    for (int e = 0; alone_ && e < schema.num_edge_types(); ++e) {
      lone_relations_.push_back(graph_->local(e));
    }
    for (int t = 0; alone_ && t < schema.num_node_types(); ++t) {
      lone_original_.push_back(graph_->original(t));
    }
  }

  void check(std::span<bulk_item const> batches) {
    if (batches.empty()) {
      throw precondition_error("no batches; a rank without seeds joins with empty ones");
    }
    for (auto const& batch : batches) {
      auto const num_seeds = seeds_.check(policy_, batch.seeds);
      if (detail::has_query<Rule>) {
        detail::check_queries(num_seeds, batch.queries.size());
      }
      if (batch.out == nullptr) {
        throw precondition_error("a batch has no subgraph to write to; set `out`");
      }
    }
    exchange_.set_books(books_, std::ssize(batches));
    while (workers_.size() < batches.size()) {
      workers_.emplace_back(policy_, books_.size());
    }
  }

  void run(bulk_item const& batch) { sample_bulk(std::span(&batch, 1)); }

  [[nodiscard]] static std::int64_t print_of_keys(std::span<bulk_item const> batches, std::int64_t hop) {
    detail::fingerprint print;
    for (auto const& batch : batches) {
      print.add(static_cast<std::int64_t>(detail::hop_key(batch.key, hop).bits()));
    }
    return print.value();
  }

  // Collects the relations of every batch with a fanout in this hop, and the frontiers of their destination types.
  void collect_relations(std::size_t hop, std::span<bulk_item const> batches) {
    auto const& schema = graph_->schema();
    frontiers_.assign(batches.size() * books_.size(), {});
    queries_.assign(batches.size() * books_.size(), {});
    relations_.clear();
    for (std::size_t b = 0; b < batches.size(); ++b) {
      for (int e = 0; e < schema.num_edge_types(); ++e) {
        if (auto const options = detail::hop_of(options_, hop, e); options.fanout != 0) {
          auto const type = schema.destination_type(e);
          auto const t = static_cast<std::size_t>(type);
          auto const place = b * books_.size() + t;
          if (frontiers_[place].empty()) {
            auto& [builder, inherited] = workers_[b];
            frontiers_[place] = builder.current_frontier(type);
            queries_[place] = inherited[t].of(batches[b].queries, builder.current_trees(type));
          }
          relations_.push_back({.node_type = static_cast<int>(place),
                                .local = graph_->local(e),
                                .original = graph_->original(type),
                                .options = options,
                                .key = detail::hop_key(batches[b].key, static_cast<std::int64_t>(hop), e),
                                .rule = rules_[static_cast<std::size_t>(e)]});
        }
      }
    }
  }

  static std::int64_t print(hetero_options const& options) {
    detail::fingerprint print;
    print.add(options.replace).add(static_cast<std::int64_t>(options.expand)).add(options.edge_ids);
    print.add(options.disjoint);
    for (auto const& fanouts : options.fanouts) {
      print.add(static_cast<std::int64_t>(fanouts.size()));
      for (auto const fanout : fanouts) {
        print.add(fanout);
      }
    }
    return print.value();
  }

  hetero_graph<Policy, Vertex> const* graph_;
  hetero_options options_;
  std::vector<Rule> rules_; // by edge type
  detail::hetero_seeds<space, Vertex> seeds_;
  Policy policy_;
  detail::hop_exchange<Comm, Policy, Vertex, Rule> exchange_;
  bool alone_;                                                                         // there is only this rank
  detail::lone_worker<Policy, detail::hetero_hop_worker<Policy, Vertex, Rule>> local_; // draws if alone_, from
  std::vector<csr_view<space, Vertex>> lone_relations_;                                // by edge type
  std::vector<detail::original_ids<space>> lone_original_;                             // by node type
  std::vector<partition_book> books_;                                                  // by node type
  std::vector<worker> workers_;                                                        // by batch
  // Data of the hop, by batch and node type; empty if no edge type draws for it:
  std::vector<array_view<space, Vertex const>> frontiers_;
  std::vector<array_view<space, query_type const>> queries_;
  std::vector<detail::relation_request<space, Vertex, Rule>> relations_;
};

} // namespace glt::dist
