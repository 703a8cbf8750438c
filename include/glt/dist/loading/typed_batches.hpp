// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/collect/collected_table.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/hotness/named_hot_rows.hpp>
#include <glt/dist/loading/detail/batch_request.hpp>
#include <glt/dist/loading/detail/row_maker.hpp>
#include <glt/dist/loading/detail/seed_memory.hpp>
#include <glt/dist/loading/detail/typed_collectors.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/dist/named_features.hpp>
#include <glt/dist/sampling/hetero_sampler.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/validate_vertices.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/hetero_subgraph.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/rule/rule.hpp>

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

/// Recipe for mini-batches of vertices of one type with sampled neighbourhoods in a heterogeneous graph. It names the
/// graph, sampling options, rules, and the tensors to collect. Graph and stores are borrowed and must outlive the
/// loaders.
///
///     glt::dist::typed_batches recipe(data, {.fanouts = glt::same_fanouts(data.schema(), {15, 10})});
///     recipe.with(author, data.tensors(author), {{.name = "age"}}); // instead of "x"
///     glt::dist::loader loader(comm, recipe, glt::dist::typed_seeds<>(paper, {data.split("train", paper)}));
///
/// Concurrent calls: const members may run concurrently.
template <device_policy GraphPolicy, vertex_id Vertex, class Rule = uniform_rule>
class typed_batches {
public:
  using vertex_type = Vertex;
  using rule_type = Rule;
  using graph_type = hetero_graph<GraphPolicy, Vertex>;
  using seeds_type = typed_seeds<Vertex>;
  using options_type = hetero_options;
  using policy_type = GraphPolicy;
  template <device_policy Policy>
  using batch_on = typed_batch<Policy, Vertex>;
  template <class Comm, class Policy> // clang 19 rejects the definition below if one of them is constrained
  class maker;

  /// @shape  rules [edge types]
  typed_batches(hetero_graph<GraphPolicy, Vertex> const& graph, hetero_options options, std::vector<Rule> rules)
      : graph_(&graph), options_(std::move(options)), rules_(std::move(rules)) {}
  /// Samples by rules without data, such as `uniform_rule`.
  typed_batches(hetero_graph<GraphPolicy, Vertex> const& graph, hetero_options options)
    requires std::default_initializable<Rule>
      : typed_batches(graph, std::move(options), std::vector<Rule>(graph.schema().edge_types().size())) {}

  /// Samples the graph of a data set. Collects the features "x" of all types that have some, as float32, and the labels
  /// "y" of the seeds.
  typed_batches(data_set<GraphPolicy, Vertex> const& data, hetero_options options, std::vector<Rule> rules)
      : typed_batches(data.hetero_graph(), std::move(options), std::move(rules)) {
    add_usual(data);
  }
  typed_batches(data_set<GraphPolicy, Vertex> const& data, hetero_options options)
    requires std::default_initializable<Rule>
      : typed_batches(data.hetero_graph(), std::move(options)) {
    add_usual(data);
  }

  /// Replaces the options.
  typed_batches& with(hetero_options options) {
    options_ = std::move(options);
    return *this;
  }
  /// Collects named tensors of the vertices or of the sampled edges of a type: the tensors in `wanted`, or all if it is
  /// empty. Each type takes separate messages. Labels of the seeds are a tensor with `seeds_only`. For edges set
  /// `edge_ids` in the options.
  typed_batches& with(int type, named_features<GraphPolicy> const& features, std::vector<tensor_request> wanted = {}) {
    (features.of_edges() ? things_.edges : things_.nodes)[type] = {&features, std::move(wanted)};
    return *this;
  }

  [[nodiscard]] hetero_options const& options() const noexcept { return options_; }

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
  hetero_options options_;
  std::vector<Rule> rules_;
  detail::typed_things<GraphPolicy> things_;
};

/// Maker of the batches of `typed_batches` on a communicator, in memory of the graph's policy.
template <device_policy GraphPolicy, vertex_id Vertex, class Rule>
template <class Comm, class Policy>
class typed_batches<GraphPolicy, Vertex, Rule>::maker
    : public detail::row_maker<detail::typed_collectors<Comm, Policy>> {
  static_assert(communicator<Comm> && std::same_as<Policy, GraphPolicy>,
                "these batches are made in memory of the graph's policy; leave the loader's policy out");

  static constexpr memory_space space = Policy::space;
  using rows = detail::row_maker<detail::typed_collectors<Comm, Policy>>;
  using sampler_type = hetero_neighbor_sampler<Comm, Policy, Vertex, Rule>;

public:
  using batch_type = typed_batch<Policy, Vertex>;

  /// @comm   collective; two header exchanges and the exchanges of the collectors
  /// @throws collective_error  on every rank, if options or rules of a rank are wrong, tensors and graph are of
  ///                           different partitions, or ranks collect different things
  maker(Comm comm, typed_batches const& what, Policy policy)
      : rows(comm, what.things_, *what.graph_, what.options_.edge_ids, policy), graph_(what.graph_), items_(policy),
        sampler_(comm, *what.graph_, what.options_, what.rules_, std::move(policy)) {}

  /// @throws precondition_error  if the node type does not exist, a seed is not a vertex of it, has a time that the
  ///                             rule does not use, or lacks a time
  void check(seeds_type const& seeds) const {
    seeds.check();
    auto const& schema = graph_->schema();
    if (seeds.node_type < 0 || seeds.node_type >= schema.num_node_types()) {
      throw precondition_error(detail::message("seeds of node type ", seeds.node_type, " of a graph of ",
                                               schema.num_node_types(), " node types; types count from 0"));
    }
    detail::validate_vertices("seed", host_view<Vertex const>(seeds.vertices), schema.num_vertices(seeds.node_type));
    detail::check_times(seeds, detail::has_time<typename Rule::query_type>);
  }

  /// Makes batches of valid seeds in one sweep of messages; a rank without seeds takes part.
  ///
  /// @comm   collective; see `hetero_neighbor_sampler` and the collectors
  void make_bulk(std::span<detail::batch_request<seeds_type, batch_type> const> batches) {
    auto const item_of = [&](auto& memory, auto const& batch) {
      batch.out->seed_type = batch.seeds->node_type;
      auto& lists = lists_[static_cast<std::size_t>(&batch - batches.data())];
      lists.assign(graph_->schema().node_types().size(), {});
      lists[static_cast<std::size_t>(batch.seeds->node_type)] = memory.vertices(*batch.seeds);
      typename sampler_type::bulk_item item{.seeds = lists, .key = batch.key, .out = &batch.out->subgraph};
      if constexpr (detail::has_query<Rule>) {
        item.queries = memory.queries(*batch.seeds);
      }
      return item;
    };
    lists_.resize(batches.size());
    this->make_around([&] { sampler_.sample_bulk(items_.of(batches, item_of)); },
                      [&](auto& of_types) { of_types.collect(batches, batches[0].key.step); });
  }

  [[nodiscard]] loader_report report() const { return this->report_of(sampler_); }
  using rows::read_in_place;
  void read_in_place(node_views<detail::part_view<space, Vertex>> parts)
    requires host_policy<Policy>
  {
    sampler_.read_in_place(std::move(parts));
  }

private:
  graph_type const* graph_;
  detail::bulk_items<Policy, detail::seed_memory<Policy, Vertex, typename Rule::query_type>,
                     typename sampler_type::bulk_item>
      items_;
  std::vector<std::vector<array_view<space, Vertex const>>> lists_; // of each batch, by node type
  sampler_type sampler_;
};

} // namespace glt::dist
