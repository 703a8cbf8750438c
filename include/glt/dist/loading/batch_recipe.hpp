// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/dist/detail/exchange/measures.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/loading/detail/batch_request.hpp>
#include <glt/dist/loading/detail/expansion.hpp>
#include <glt/dist/loading/detail/row_collectors.hpp>
#include <glt/dist/named_features.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::dist {

/// Recipe of mini-batches: seeds, how they are expanded, and which rows are collected for the result. Each kind of
/// options gives another kind of batches, with a separate name: `neighbor_batches`, `typed_batches`, `link_batches`,
/// `induced_batches`, `walk_batches`. Graph, rules' data and stores are borrowed and must outlive the loaders.
///
///     glt::dist::batch_recipe recipe(data, glt::neighbor_options{.fanouts = {15, 10}});
///     glt::dist::neighbor_batches same(data, {.fanouts = {15, 10}});
///
/// Concurrent calls: const members may run concurrently.
template <class Options, device_policy GraphPolicy, vertex_id Vertex, bytes_copyable T = float,
          class Rule = uniform_rule, device_policy StorePolicy = GraphPolicy>
  requires detail::options_of_recipe<Options>
class batch_recipe {
  using kind = detail::expansion<Options>;
  using rules_type = typename kind::template rules_type<Rule>;
  static_assert(detail::collects_rows<Options> || std::same_as<Rule, uniform_rule>,
                "walks draw steps by their options, such as p and q of node2vec, and by no rule; leave the rule out");

public:
  using vertex_type = Vertex;
  using element_type = T;
  using rule_type = Rule;
  using graph_type = typename kind::template graph_type<GraphPolicy, Vertex>;
  using seeds_type = typename kind::template seeds_type<Vertex>;
  using options_type = Options;
  using policy_type = GraphPolicy;
  template <device_policy Policy>
  using batch_on = typename kind::template batch_type<Policy, Vertex, T>;
  using tensor_request = detail::tensor_request; ///< `name`, and `type` or `seeds_only`
  using batch_type = batch_on<GraphPolicy>;      ///< of a loader in the memory of the graph
  template <class Comm, class Policy>            // clang 19 rejects the definition below if one of them is constrained
  class maker;

  /// Expands in the graph of a data set. Collects its features and labels; with types, the tensors "x" of all types
  /// that have some, as float32, and the labels "y" of the seeds or ends of seed edges.
  ///
  /// @shape  rules  one rule; with types [edge types]
  /// @throws precondition_error  if a rule cannot draw from the rows, such as `temporal_rule` if they are out of order
  batch_recipe(data_set<GraphPolicy, Vertex> const& data, Options options, rules_type rules)
    requires(std::same_as<T, float> && std::same_as<StorePolicy, GraphPolicy> && !detail::along_types<Options>)
      : batch_recipe(kind::graph_of(data), std::move(options), std::move(rules)) {
    add_usual(data);
  }
  explicit batch_recipe(data_set<GraphPolicy, Vertex> const& data, Options options = kind::usual_options())
    requires(std::same_as<T, float> && std::same_as<StorePolicy, GraphPolicy> && !detail::along_types<Options> &&
             std::default_initializable<Rule>)
      : batch_recipe(kind::graph_of(data), std::move(options)) {
    add_usual(data);
  }
  /// Collects features and labels of the vertices.
  batch_recipe(graph_type const& graph, feature_store<StorePolicy, T> const& features, Options options,
               rules_type rules)
    requires(detail::collects_rows<Options> && !detail::expands_types<Options>)
      : graph_(&graph), options_(std::move(options)), rules_(std::move(rules)), rows_{&features} {
    check_rows();
  }
  batch_recipe(graph_type const& graph, feature_store<StorePolicy, T> const& features,
               Options options = kind::usual_options())
    requires(detail::collects_rows<Options> && !detail::expands_types<Options> && std::default_initializable<Rule>)
      : batch_recipe(graph, features, std::move(options), rules_type{}) {}
  /// Expands only; call `with` to collect rows.
  batch_recipe(graph_type const& graph, Options options, rules_type rules)
    requires(!detail::along_types<Options>)
      : graph_(&graph), options_(std::move(options)), rules_(std::move(rules)) {
    check_rows();
  }
  explicit batch_recipe(graph_type const& graph, Options options = kind::usual_options())
    requires(!detail::along_types<Options> && std::default_initializable<Rule>)
      : batch_recipe(graph, std::move(options), kind::template usual_rules<Rule>(graph)) {}
  /// Walks along edge types; see `metapath_walker`.
  batch_recipe(graph_type const& graph, std::vector<int> edge_types, Options options)
    requires detail::along_types<Options>
      : graph_(&graph), options_(std::move(options)), rules_(std::move(edge_types)) {}
  batch_recipe(data_set<GraphPolicy, Vertex> const& data, std::vector<int> edge_types, Options options)
    requires detail::along_types<Options>
      : batch_recipe(kind::graph_of(data), std::move(edge_types), std::move(options)) {}

  template <class Other, class Given = Options,
            class Reason = detail::the_features_have_another_element_type_than_the_recipe>
    requires(!std::same_as<Other, T>)
  batch_recipe(std::type_identity_t<graph_type> const&, feature_store<StorePolicy, Other> const&, Given const&,
               Rule = {}) = delete;
  template <class Reason = detail::batches_with_these_options_are_of_graphs_without_types>
    requires(!detail::expands_types<Options>)
  batch_recipe(hetero_graph<GraphPolicy, Vertex> const&, Options const&, Rule const& = {}) = delete;

  /// Replaces the options.
  batch_recipe& with(Options options) {
    options_ = std::move(options);
    return *this;
  }
  /// Also collects named tensors of the vertices, or of the sampled edges, such as their times: the tensors in
  /// `wanted`, or all if it is empty. For edges set `edge_ids` in the options.
  batch_recipe& with(named_features<StorePolicy> const& features, std::vector<tensor_request> wanted = {})
    requires(detail::collects_rows<Options> && !detail::expands_types<Options>)
  {
    rows_.add(0, features, std::move(wanted));
    return *this;
  }
  /// Collects named tensors of the vertices or of the sampled edges of a type, as above. Each type takes separate
  /// messages. Labels of the seeds are a tensor with `seeds_only`.
  batch_recipe& with(int type, named_features<StorePolicy> const& features, std::vector<tensor_request> wanted = {})
    requires(detail::collects_rows<Options> && detail::expands_types<Options>)
  {
    rows_.add(type, features, std::move(wanted));
    return *this;
  }
  /// Draws the ends of negatives in proportion to weights, on all ranks; without weights all vertices, or all of a node
  /// type, are equally likely.
  ///
  /// @shape  weights [rows of the part], or of the node type in the part
  batch_recipe& with_weights(array_view<GraphPolicy::space, double const> weights)
    requires(detail::around_edges<Options> && !detail::expands_types<Options>)
  {
    ends_.weights.insert_or_assign(0, weights);
    return *this;
  }
  batch_recipe& with_weights(int node_type, array_view<GraphPolicy::space, double const> weights)
    requires(detail::around_edges<Options> && detail::expands_types<Options>)
  {
    ends_.weights.insert_or_assign(node_type, weights);
    return *this;
  }
  /// Draws only ends of negatives that exist at the time of the seed edge: their times are not later. For strict
  /// negatives, by a rule that compares times, on all ranks; without times all vertices exist.
  ///
  /// @shape  times [rows of the part], or of the node type in the part
  batch_recipe& with_times(array_view<GraphPolicy::space, std::int64_t const> times)
    requires(detail::around_edges<Options> && !detail::expands_types<Options>)
  {
    ends_.times.insert_or_assign(0, times);
    return *this;
  }
  batch_recipe& with_times(int node_type, array_view<GraphPolicy::space, std::int64_t const> times)
    requires(detail::around_edges<Options> && detail::expands_types<Options>)
  {
    ends_.times.insert_or_assign(node_type, times);
    return *this;
  }

  [[nodiscard]] Options const& options() const noexcept { return options_; }

private:
  // Refuses rows that a rule cannot draw from, such as rows out of order of time.
  void check_rows() const {
    if constexpr (requires(Rule rule) { rule.check_rows(graph_->local()); }) {
      rules_.check_rows(graph_->local());
    } else if constexpr (requires(Rule rule) { rule.check_rows(graph_->local(0)); }) {
      for (int e = 0; e < graph_->schema().num_edge_types() && e < std::ssize(rules_); ++e) {
        rules_[static_cast<std::size_t>(e)].check_rows(graph_->local(e));
      }
    }
  }
  void add_usual(data_set<GraphPolicy, Vertex> const& data) {
    if constexpr (detail::collects_rows<Options> && !detail::expands_types<Options>) {
      rows_.features = &data.features();
    } else if constexpr (detail::collects_rows<Options>) {
      for (int type = 0; type < data.schema().num_node_types(); ++type) {
        std::vector<tensor_request> wanted;
        for (auto const& name : data.tensors(type).local().names()) {
          if (name == "x") {
            wanted.push_back({.name = name, .type = glt::element_type::float32});
          } else if (name == "y") {
            wanted.push_back({.name = name, .seeds_only = true});
          }
        }
        if (!wanted.empty()) {
          with(type, data.tensors(type), std::move(wanted));
        }
      }
    }
  }

  graph_type const* graph_;
  Options options_;
  rules_type rules_; // edge types of walks along types
  detail::collected_things<StorePolicy, T> rows_{};
  typename kind::template ends_type<GraphPolicy::space> ends_{}; // of negatives
};

template <device_policy GraphPolicy, vertex_id Vertex, detail::options_of_recipe Options, class Rule = uniform_rule>
batch_recipe(data_set<GraphPolicy, Vertex> const&, Options, Rule = {})
    -> batch_recipe<Options, GraphPolicy, Vertex, float, Rule>;
template <device_policy GraphPolicy, vertex_id Vertex, detail::options_of_recipe Options, class Rule>
batch_recipe(data_set<GraphPolicy, Vertex> const&, Options, std::vector<Rule>)
    -> batch_recipe<Options, GraphPolicy, Vertex, float, Rule>;
template <device_policy GraphPolicy, vertex_id Vertex, device_policy StorePolicy, bytes_copyable T,
          detail::options_of_recipe Options, class Rule = uniform_rule>
batch_recipe(graph<GraphPolicy, Vertex> const&, feature_store<StorePolicy, T> const&, Options, Rule = {})
    -> batch_recipe<Options, GraphPolicy, Vertex, T, Rule, StorePolicy>;
template <device_policy GraphPolicy, vertex_id Vertex, detail::options_of_recipe Options, class Rule = uniform_rule>
batch_recipe(graph<GraphPolicy, Vertex> const&, Options, Rule = {})
    -> batch_recipe<Options, GraphPolicy, Vertex, float, Rule>;
template <device_policy GraphPolicy, vertex_id Vertex, detail::options_of_recipe Options, class Rule = uniform_rule>
batch_recipe(hetero_graph<GraphPolicy, Vertex> const&, Options)
    -> batch_recipe<Options, GraphPolicy, Vertex, float, Rule>;
template <device_policy GraphPolicy, vertex_id Vertex, detail::options_of_recipe Options, class Rule>
batch_recipe(hetero_graph<GraphPolicy, Vertex> const&, Options, std::vector<Rule>)
    -> batch_recipe<Options, GraphPolicy, Vertex, float, Rule>;
template <device_policy GraphPolicy, vertex_id Vertex, detail::options_of_recipe Options>
batch_recipe(hetero_graph<GraphPolicy, Vertex> const&, std::vector<int>, Options)
    -> batch_recipe<Options, GraphPolicy, Vertex>;
template <device_policy GraphPolicy, vertex_id Vertex, detail::options_of_recipe Options>
batch_recipe(data_set<GraphPolicy, Vertex> const&, std::vector<int>, Options)
    -> batch_recipe<Options, GraphPolicy, Vertex>;

/// Maker of the batches of a recipe on a communicator, in memory of a policy: samples, then collects rows.
template <class Options, device_policy GraphPolicy, vertex_id Vertex, bytes_copyable T, class Rule,
          device_policy StorePolicy>
  requires detail::options_of_recipe<Options>
template <class Comm, class Policy>
class batch_recipe<Options, GraphPolicy, Vertex, T, Rule, StorePolicy>::maker {
  static_assert(communicator<Comm> && device_policy<Policy>);
  static_assert(std::same_as<Policy, GraphPolicy> || kind::on_any_policy,
                "these batches are made in memory of the graph's policy; leave the loader's policy out");
  using seeding_type = typename kind::template seeding_type<Comm, Policy, GraphPolicy, Vertex, Rule>;
  using sampler_type = typename seeding_type::sampler_type;
  using rows_type = std::conditional_t<detail::collects_rows<Options>,
                                       detail::row_collectors<Comm, Policy, T, StorePolicy>, detail::no_rows>;

public:
  using batch_type = batch_on<Policy>;
  using request_type = detail::batch_request<seeds_type, batch_type>; ///< seeds, key and place of a batch

  /// @comm   collective; the exchanges of the collectors, then of the samplers
  /// @throws collective_error  on every rank, if options, rules, weights or times of a rank are wrong, stores and graph
  ///                           are of different partitions, or ranks collect different things
  maker(Comm comm, batch_recipe const& what, Policy policy)
      : rows_(comm, what.rows_, *what.graph_, kind::edge_ids(what.options_), policy),
        seeding_(std::move(comm), *what.graph_, what.options_, what.rules_, what.ends_, std::move(policy)) {}

  /// @throws precondition_error  if a type does not exist, a seed is not a vertex of its type, a time is missing or the
  ///                             rule looks at none, or a label does not fit
  void check(seeds_type const& seeds) const { seeding_.check(seeds); }

  /// Samples parts of the graph in place, or reads rows in place, of a type if there are types.
  template <class... Views>
  void read_in_place(Views const&... views)
    requires(detail::reads_in_place<sampler_type, Views...> || detail::reads_in_place<rows_type, Views...>)
  {
    if constexpr (detail::reads_in_place<sampler_type, Views...>) {
      seeding_.sampler().read_in_place(views...);
    } else {
      rows_.read_in_place(views...);
    }
  }
  /// Uses hot rows of other ranks, or tiers of local rows.
  template <class... Hot>
  void use(Hot const&... hot)
    requires detail::uses_rows<rows_type, Hot...>
  {
    rows_.use(hot...);
  }

  /// Makes batches of valid seeds in one sweep of messages; a rank without seeds takes part.
  ///
  /// @comm   collective; see the samplers and collectors
  void make_bulk(std::span<request_type const> batches) {
    detail::stopwatch watch;
    try {
      seeding_.sample(batches);
    } catch (collective_error const&) {
      throw;
    } catch (std::exception const& failure) {
      if constexpr (detail::collects_rows<Options> && requires { seeding_.sampler().sends_nothing(); }) {
        if (seeding_.sampler().sends_nothing()) { // other ranks do not know of the failure, and wait for rows
          rows_.refuse(batches[0].key.step, failure.what());
        }
      }
      throw;
    }
    watch.lap(seconds_.sampling);
    if constexpr (detail::collects_rows<Options>) {
      rows_.collect(batches, [](batch_type const& made) -> auto& {
        if constexpr (detail::around_edges<Options>) {
          return made.sample.subgraph();
        } else {
          return made.subgraph;
        }
      });
      watch.lap(seconds_.features);
    }
  }

  /// Returns times, and the counts of the sampler and of the collectors.
  [[nodiscard]] loader_report report() const {
    loader_report all{.seconds = seconds_};
    if constexpr (detail::collects_rows<Options>) {
      auto const& sampler = seeding_.sampler();
      all.seconds.collecting = rows_.seconds();
      all.sampled = sampler.counts();
      all.rows = rows_.counts();
      all.why_sampled = sampler.why_not_in_place();
      all.why_rows = rows_.why_not_in_place();
    }
    return all;
  }

private:
  rows_type rows_;
  seeding_type seeding_;
  detail::loader_seconds seconds_;
};

} // namespace glt::dist
