// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/collect/collected_table.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/hotness/named_hot_rows.hpp>
#include <glt/dist/loading/detail/batch_request.hpp>
#include <glt/dist/loading/detail/link_seeding.hpp>
#include <glt/dist/loading/detail/row_collectors.hpp>
#include <glt/dist/loading/detail/row_maker.hpp>
#include <glt/dist/loading/detail/seed_memory.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/dist/named_features.hpp>
#include <glt/dist/sampling/hetero_sampler.hpp>
#include <glt/dist/sampling/results.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/validate_vertices.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/link/link_options.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

/// Sampler of a maker of batches around vertices of one type; `link_seeding` is the one around edges.
template <communicator Comm, device_policy Policy, vertex_id Vertex, class Rule>
class typed_seeding {
  static constexpr memory_space space = Policy::space;
  using graph_type = dist::hetero_graph<Policy, Vertex>;

public:
  using seeds_type = dist::typed_seeds<Vertex>;
  using sampler_type = dist::hetero_neighbor_sampler<Comm, Policy, Vertex, Rule>;

  /// @comm   as `hetero_neighbor_sampler`
  typed_seeding(Comm comm, graph_type const& graph, hetero_options const& options, std::vector<Rule> const& rules,
                Policy policy)
      : graph_(&graph), items_(policy), sampler_(std::move(comm), graph, options, rules, std::move(policy)) {}

  /// @throws precondition_error  if the node type does not exist, a seed is not a vertex of it, has a time that the
  ///                             rule does not use, or lacks a time
  void check(seeds_type const& seeds) const {
    seeds.check();
    auto const& schema = graph_->schema();
    if (seeds.node_type < 0 || seeds.node_type >= schema.num_node_types()) {
      throw precondition_error(message("seeds of node type ", seeds.node_type, " of a graph of ",
                                       schema.num_node_types(), " node types; types count from 0"));
    }
    validate_vertices("seed", host_view<Vertex const>(seeds.vertices), schema.num_vertices(seeds.node_type));
    check_times(seeds, has_time<typename Rule::query_type>);
  }

  [[nodiscard]] sampler_type const& sampler() const noexcept { return sampler_; }
  void read_in_place(node_views<part_view<space, Vertex>> parts)
    requires host_policy<Policy>
  {
    sampler_.read_in_place(std::move(parts));
  }

  /// Samples the subgraphs of batches in one sweep of messages; a rank without seeds takes part.
  ///
  /// @comm   collective; see `hetero_neighbor_sampler`
  template <class Batch>
  void sample(std::span<batch_request<seeds_type, Batch> const> batches) {
    lists_.resize(batches.size());
    sampler_.sample_bulk(items_.of(batches, [&](auto& memory, auto const& batch) {
      batch.out->seed_type = batch.seeds->node_type;
      auto& lists = lists_[static_cast<std::size_t>(&batch - batches.data())];
      lists.assign(graph_->schema().node_types().size(), {});
      lists[static_cast<std::size_t>(batch.seeds->node_type)] = memory.vertices(*batch.seeds);
      item_type request{.seeds = lists, .key = batch.key, .out = &batch.out->subgraph};
      if constexpr (has_query<Rule>) {
        request.queries = memory.queries(*batch.seeds);
      }
      return request;
    }));
  }

private:
  using item_type = typename sampler_type::bulk_item;

  graph_type const* graph_;
  bulk_items<Policy, seed_memory<Policy, Vertex, typename Rule::query_type>, item_type> items_;
  std::vector<std::vector<array_view<space, Vertex const>>> lists_; // of each batch, by node type
  sampler_type sampler_;
};

} // namespace glt::detail

namespace glt::dist {

/// Seeds of this rank in one step, their sampled neighbourhood by types, and the requested tensors:
/// `batch.tensors[node_type]["x"]`.
///
/// @shape  tensors [node types], tables of one row per vertex of the type, or per distinct seed · edge_tensors [edge
///         types], tables of one row per sampled edge of the type
template <device_policy Policy, vertex_id Vertex>
struct typed_batch : batch_place {
  using policy_type = Policy;
  template <device_policy Other>
  using on_policy = typed_batch<Other, Vertex>;

  int seed_type = 0; ///< the node type of the seeds
  hetero_subgraph<Policy, Vertex> subgraph;
  std::vector<collected_table<Policy>> tensors;
  std::vector<collected_table<Policy>> edge_tensors;

  /// Explains at compile time where the rows are.
  template <class... None>
  auto features() const {
    static_assert(detail::never<Policy, None...>,
                  "batches with types have no features(): the rows of a type are batch.tensors[node_type][\"x\"], "
                  "if the recipe was told so by with(node_type, features)");
  }

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tuple_cat(batch_place::members(self),
                          std::tie(self.seed_type, self.subgraph, self.tensors, self.edge_tensors));
  }
};

} // namespace glt::dist

namespace glt::detail {

/// Mini-batch of seed edges of one type: their negatives, the sampled neighbourhood of all ends by types, and the
/// requested tensors.
///
/// @shape  as `typed_batch`; distinct ends take the place of distinct seeds
template <device_policy Policy, vertex_id Vertex>
struct typed_link_batch : dist::batch_place {
  using policy_type = Policy;
  template <device_policy Other>
  using on_policy = typed_link_batch<Other, Vertex>;

  hetero_link_sample<Policy, Vertex> sample; ///< with its `edge_label_index()` and `edge_label()`, or triplets
  std::vector<dist::collected_table<Policy>> tensors;
  std::vector<dist::collected_table<Policy>> edge_tensors;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tuple_cat(dist::batch_place::members(self), std::tie(self.sample, self.tensors, self.edge_tensors));
  }
};

} // namespace glt::detail

namespace glt::dist {

/// Recipe for mini-batches with sampled neighbourhoods in a heterogeneous graph: around vertices of one type, or by
/// `hetero_link_options` around edges of one type and their negatives. It names the graph, sampling options, rules, and
/// the tensors to collect. Graph and stores are borrowed and must outlive the loaders.
///
///     glt::dist::typed_batches recipe(data, {.fanouts = glt::same_fanouts(data.schema(), {15, 10})});
///     recipe.with(author, data.tensors(author), {{.name = "age"}}); // instead of "x"
///     glt::dist::loader loader(comm, recipe, glt::dist::typed_seeds<>(paper, {data.split("train", paper)}));
///
/// Concurrent calls: const members may run concurrently.
template <device_policy GraphPolicy, vertex_id Vertex, class Rule = uniform_rule, class Options = hetero_options>
class typed_batches {
  static constexpr bool around_edges = std::same_as<Options, hetero_link_options>;
  static_assert(around_edges || std::same_as<Options, hetero_options>,
                "options of another recipe: typed_batches takes hetero_options, or hetero_link_options for seed edges");

public:
  using vertex_type = Vertex;
  using rule_type = Rule;
  using graph_type = hetero_graph<GraphPolicy, Vertex>;
  using seeds_type = std::conditional_t<around_edges, edge_seeds<Vertex>, typed_seeds<Vertex>>;
  using options_type = Options;
  using policy_type = GraphPolicy;
  template <device_policy Policy>
  using batch_on =
      std::conditional_t<around_edges, detail::typed_link_batch<Policy, Vertex>, typed_batch<Policy, Vertex>>;
  template <class Comm, class Policy> // clang 19 rejects the definition below if one of them is constrained
  class maker;

  /// @shape  rules [edge types]
  typed_batches(hetero_graph<GraphPolicy, Vertex> const& graph, Options options, std::vector<Rule> rules)
      : graph_(&graph), options_(std::move(options)), rules_(std::move(rules)) {}
  /// Samples by rules without data, such as `uniform_rule`.
  typed_batches(hetero_graph<GraphPolicy, Vertex> const& graph, Options options)
    requires std::default_initializable<Rule>
      : typed_batches(graph, std::move(options), std::vector<Rule>(graph.schema().edge_types().size())) {}

  /// Samples the graph of a data set. Collects the features "x" of all types that have some, as float32, and the labels
  /// "y" of the seeds or ends of seed edges.
  typed_batches(data_set<GraphPolicy, Vertex> const& data, Options options, std::vector<Rule> rules)
      : typed_batches(data.hetero_graph(), std::move(options), std::move(rules)) {
    add_usual(data);
  }
  typed_batches(data_set<GraphPolicy, Vertex> const& data, Options options)
    requires std::default_initializable<Rule>
      : typed_batches(data.hetero_graph(), std::move(options)) {
    add_usual(data);
  }

  /// Replaces the options.
  typed_batches& with(Options options) {
    options_ = std::move(options);
    return *this;
  }
  /// Collects named tensors of the vertices or of the sampled edges of a type: the tensors in `wanted`, or all if it is
  /// empty. Each type takes separate messages. Labels of the seeds are a tensor with `seeds_only`. For edges set
  /// `edge_ids` in the options.
  typed_batches& with(int type, named_features<GraphPolicy> const& features, std::vector<tensor_request> wanted = {}) {
    things_.add(type, features, std::move(wanted));
    return *this;
  }
  /// Draws the ends of negatives that are of a node type in proportion to weights, on all ranks; else all vertices of
  /// the type are equally likely.
  ///
  /// @shape  weights [rows of the type in the part]
  typed_batches& with_weights(int node_type, array_view<GraphPolicy::space, double const> weights)
    requires(around_edges)
  {
    weights_.insert_or_assign(node_type, weights);
    return *this;
  }

  [[nodiscard]] Options const& options() const noexcept { return options_; }

private:
  void add_usual(data_set<GraphPolicy, Vertex> const& data) {
    for (int type = 0; type < data.schema().num_node_types(); ++type) {
      std::vector<tensor_request> wanted;
      for (auto const& name : data.tensors(type).local().names()) {
        if (name == "x") {
          wanted.push_back({.name = name, .type = element_type::float32});
        } else if (name == "y") {
          wanted.push_back({.name = name, .seeds_only = true});
        }
      }
      if (!wanted.empty()) {
        with(type, data.tensors(type), std::move(wanted));
      }
    }
  }

  graph_type const* graph_;
  Options options_;
  std::vector<Rule> rules_;
  detail::collected_things<GraphPolicy, float> things_;
  detail::weights_by_type<GraphPolicy::space> weights_; // none around vertices
};

/// Maker of the batches of `typed_batches` on a communicator, in memory of the graph's policy.
template <device_policy GraphPolicy, vertex_id Vertex, class Rule, class Options>
template <class Comm, class Policy>
class typed_batches<GraphPolicy, Vertex, Rule, Options>::maker
    : public detail::row_maker<detail::row_collectors<Comm, Policy>> {
  static_assert(communicator<Comm> && std::same_as<Policy, GraphPolicy>,
                "these batches are made in memory of the graph's policy; leave the loader's policy out");
  using rows = detail::row_maker<detail::row_collectors<Comm, Policy>>;

public:
  using batch_type = batch_on<Policy>;

  /// @comm   collective; the exchanges of the sampler and of the collectors
  /// @throws collective_error  on every rank, if options, rules or weights of a rank are wrong, tensors and graph are
  ///                           of different partitions, or ranks collect different things
  maker(Comm comm, typed_batches const& what, Policy policy)
    requires(!around_edges)
      : rows(comm, what.things_, *what.graph_, what.options_.edge_ids, policy),
        seeding_(std::move(comm), *what.graph_, what.options_, what.rules_, std::move(policy)) {}
  maker(Comm comm, typed_batches const& what, Policy policy)
    requires(around_edges)
      : rows(comm, what.things_, *what.graph_, what.options_.neighbors.edge_ids, policy),
        seeding_(std::move(comm), *what.graph_, what.options_, what.rules_, what.weights_, std::move(policy)) {}

  /// @throws precondition_error  if a type does not exist, a seed is not a vertex of its type, has a time that the rule
  ///                             does not use, or lacks a time, or a label does not fit
  void check(seeds_type const& seeds) const { seeding_.check(seeds); }

  /// Makes batches of valid seeds in one sweep of messages; a rank without seeds takes part.
  ///
  /// @comm   collective; see the sampler and the collectors
  void make_bulk(std::span<detail::batch_request<seeds_type, batch_type> const> batches) {
    this->make_around(
        batches, [&] { seeding_.sample(batches); },
        [](batch_type const& made) -> auto& {
          if constexpr (around_edges) {
            return made.sample.subgraph();
          } else {
            return made.subgraph;
          }
        });
  }

  [[nodiscard]] loader_report report() const { return this->report_of(seeding_.sampler()); }
  using rows::read_in_place;
  void read_in_place(node_views<detail::part_view<Policy::space, Vertex>> parts)
    requires host_policy<Policy>
  {
    seeding_.read_in_place(std::move(parts));
  }

private:
  std::conditional_t<around_edges, detail::link_seeding<Comm, Policy, Vertex, Rule, graph_type>,
                     detail::typed_seeding<Comm, Policy, Vertex, Rule>>
      seeding_;
};

} // namespace glt::dist
