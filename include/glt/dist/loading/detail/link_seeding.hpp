// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/link/detail/relation_part.hpp>
#include <glt/dist/link/detail/vertex_times.hpp>
#include <glt/dist/link/link_sampler.hpp>
#include <glt/dist/link/vertex_weights.hpp>
#include <glt/dist/loading/detail/batch_request.hpp>
#include <glt/dist/loading/detail/seed_memory.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/dist/vertex_directory.hpp>
#include <glt/sample/link/link_options.hpp>
#include <glt/sample/rule/rule.hpp>

#include <map>

namespace glt::detail {

/// Weights of the vertices of this rank's part, and times from which on they exist, by node type. Vertices of other
/// types are equally likely to be an end of a negative, and always exist.
template <memory_space Space>
struct ends_by_type {
  std::map<int, array_view<Space, double const>> weights{};
  std::map<int, array_view<Space, std::int64_t const>> times{};
};

/// Link sampler of a maker of batches, with the directories and weights of the ends on its communicator.
template <communicator Comm, device_policy Policy, vertex_id Vertex, class Rule, class Graph>
class link_seeding {
  static_assert(!has_query<Rule> || std::same_as<typename Rule::query_type, std::int64_t>,
                "seed edges have times and no other queries: take a rule such as temporal_rule");
  using kind = link_relations<Rule, Graph>;
  using directory_type = dist::vertex_directory<Comm, Policy, Vertex>;
  using weights_type = dist::vertex_weights<Comm, Policy, Vertex>;
  using times_type = vertex_times<Comm, Policy, Vertex>;

public:
  using seeds_type = dist::edge_seeds<Vertex>;
  using sampler_type = dist::link_sampler<Comm, Policy, Vertex, Rule, Graph>;

  /// @comm   collective; with types one header exchange, then the exchanges of `vertex_directory` and of
  ///         `vertex_weights` and `vertex_times` for each type of the ends, and of `link_sampler`
  /// @throws collective_error  on every rank, if the options, weights or times of a rank are wrong
  link_seeding(Comm comm, Graph const& graph, typename kind::options_type const& options,
               typename kind::rules_type const& rules, ends_by_type<Policy::space> const& ends, Policy policy)
      : types_(agree_on(comm, graph, options, ends)), items_(policy),
        sources_(types_.one_vertex_type() ? nullptr : directory_of(comm, graph, types_.source, policy)),
        destinations_(directory_of(comm, graph, types_.destination, policy)),
        source_weights_(sources_ ? table_of<weights_type>(comm, ends.weights, types_.source, *sources_, policy)
                                 : nullptr),
        destination_weights_(table_of<weights_type>(comm, ends.weights, types_.destination, *destinations_, policy)),
        source_times_(sources_ ? table_of<times_type>(comm, ends.times, types_.source, *sources_, policy) : nullptr),
        destination_times_(table_of<times_type>(comm, ends.times, types_.destination, *destinations_, policy)),
        sampler_(comm, graph, {(sources_ ? sources_ : destinations_).get(), destinations_.get()}, options, rules,
                 {(sources_ ? source_weights_ : destination_weights_).get(), destination_weights_.get()},
                 std::move(policy), {(sources_ ? source_times_ : destination_times_).get(), destination_times_.get()}) {
  }

  /// @throws precondition_error  if an end of a seed edge is not a vertex of its type, a label is not a class, triplets
  ///                             have labels, or an edge has a time that the rule does not use, or lacks a time
  void check(seeds_type const& seeds) const {
    seeds.check();
    sampler_.check({seeds.sources, seeds.offsets}, seeds.destinations, seeds.labels);
    check_times(seeds, has_query<Rule>);
  }

  [[nodiscard]] sampler_type& sampler() noexcept { return sampler_; }
  [[nodiscard]] sampler_type const& sampler() const noexcept { return sampler_; }

  /// Samples the links of batches in one sweep of messages; a rank without seeds takes part.
  ///
  /// @comm   collective; see `link_sampler`
  template <class Batch>
  void sample(std::span<batch_request<seeds_type, Batch> const> batches) {
    sampler_.sample_bulk(items_.of(batches, [](auto& memory, auto const& batch) {
      auto const& seeds = *batch.seeds;
      item_type request{.sources = {memory.sources.view(seeds.sources), memory.offsets.view(seeds.offsets)},
                        .destinations = memory.destinations.view(seeds.destinations),
                        .labels = memory.labels.view(seeds.labels),
                        .key = batch.key,
                        .out = &batch.out->sample};
      if constexpr (has_query<Rule>) {
        request.queries = memory.times.view(seeds.times);
      }
      return request;
    }));
  }

private:
  using item_type = typename sampler_type::bulk_item;

  // Returns the types, which ranks must agree on before they make directories; without types there is nothing to agree.
  static link_types agree_on(Comm& comm, Graph const& graph, typename kind::options_type const& options,
                             ends_by_type<Policy::space> const& ends) {
    link_types types;
    if constexpr (!std::same_as<Graph, dist::graph<Policy, Vertex>>) {
      auto const check = [&](auto const& tables, std::string_view what) {
        for (auto const& [type, of_type] : tables) {
          if (type != types.source && type != types.destination) {
            throw precondition_error(message(what, " of node type ", type, ", which is at no end of ",
                                             graph.schema().name_of_edge_type(types.edge_type)));
          }
        }
      };
      auto const failure = failure_of([&] {
        types = kind::types(graph, options);
        check(ends.weights, "weights");
        check(ends.times, "times");
      });
      auto const print =
          fingerprint_of(types.edge_type, ends.weights.contains(types.source), ends.weights.contains(types.destination),
                         ends.times.contains(types.source), ends.times.contains(types.destination));
      agree(host_comm(comm), {.what = operation::make_sampler}, failure, print,
            "has other seed edges, weights or times than rank 0; pass the same edge type, weighted types and types "
            "with times on all ranks");
    }
    return types;
  }

  static std::unique_ptr<directory_type> directory_of(Comm const& comm, Graph const& graph, int node_type,
                                                      Policy const& policy) {
    if constexpr (std::same_as<Graph, dist::graph<Policy, Vertex>>) {
      return std::make_unique<directory_type>(comm, graph, policy);
    } else {
      return std::make_unique<directory_type>(comm, graph, node_type, policy);
    }
  }
  template <class Table, class ByType>
  static std::unique_ptr<Table> table_of(Comm const& comm, ByType const& by_type, int node_type,
                                         directory_type const& directory, Policy const& policy) {
    auto const found = by_type.find(node_type);
    return found == by_type.end() ? nullptr : std::make_unique<Table>(comm, directory, found->second, policy);
  }

  link_types types_;
  bulk_items<Policy, edge_memory<Policy, Vertex>, item_type> items_;
  std::unique_ptr<directory_type> sources_; // null if both ends are of one type; likewise their weights and times
  std::unique_ptr<directory_type> destinations_;
  std::unique_ptr<weights_type> source_weights_;
  std::unique_ptr<weights_type> destination_weights_;
  std::unique_ptr<times_type> source_times_;
  std::unique_ptr<times_type> destination_times_;
  sampler_type sampler_;
};

/// Common part of the kinds around seed edges; `Base` is the base for the graph.
template <class Base>
struct link_expansion : Base {
  using around_edges = void;
  template <class Vertex>
  using seeds_type = dist::edge_seeds<Vertex>;
  template <memory_space Space>
  using ends_type = ends_by_type<Space>;
  template <class Comm, class Policy, class GraphPolicy, class Vertex, class Rule>
  using seeding_type =
      link_seeding<Comm, Policy, Vertex, Rule, typename Base::template graph_type<GraphPolicy, Vertex>>;
};

} // namespace glt::detail
