// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/link/detail/relation_part.hpp>
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

/// Weights of the vertices of this rank's part, by node type; vertices of other types are equally likely to be an end
/// of a negative.
template <memory_space Space>
using weights_by_type = std::map<int, array_view<Space, double const>>;

/// Link sampler of a maker of batches, with the directories and weights of the ends on its communicator.
template <communicator Comm, device_policy Policy, vertex_id Vertex, class Rule, class Graph>
class link_seeding {
  static_assert(!has_query<Rule> || std::same_as<typename Rule::query_type, std::int64_t>,
                "seed edges have times and no other queries: take a rule such as temporal_rule");
  using kind = link_relations<Rule, Graph>;
  using directory_type = dist::vertex_directory<Comm, Policy, Vertex>;
  using weights_type = dist::vertex_weights<Comm, Policy, Vertex>;

public:
  using seeds_type = dist::edge_seeds<Vertex>;
  using sampler_type = dist::link_sampler<Comm, Policy, Vertex, Rule, Graph>;

  /// @comm   collective; with types one header exchange, then the exchanges of `vertex_directory` and of
  ///         `vertex_weights` for each type of the ends, and of `link_sampler`
  /// @throws collective_error  on every rank, if the options or weights of a rank are wrong
  link_seeding(Comm comm, Graph const& graph, typename kind::options_type const& options,
               typename kind::rules_type const& rules, weights_by_type<Policy::space> const& weights, Policy policy)
      : types_(agree_on(comm, graph, options, weights)), items_(policy),
        sources_(types_.one_vertex_type() ? nullptr : directory_of(comm, graph, types_.source, policy)),
        destinations_(directory_of(comm, graph, types_.destination, policy)),
        source_weights_(sources_ ? weights_of(comm, weights, types_.source, *sources_, policy) : nullptr),
        destination_weights_(weights_of(comm, weights, types_.destination, *destinations_, policy)),
        sampler_(comm, graph, {(sources_ ? sources_ : destinations_).get(), destinations_.get()}, options, rules,
                 {(sources_ ? source_weights_ : destination_weights_).get(), destination_weights_.get()},
                 std::move(policy)) {}

  /// @throws precondition_error  if an end of a seed edge is not a vertex of its type, a label is not a class, triplets
  ///                             have labels, or an edge has a time that the rule does not use, or lacks a time
  void check(seeds_type const& seeds) const {
    seeds.check();
    sampler_.check(seeds.sources, seeds.destinations, seeds.labels);
    check_times(seeds, has_query<Rule>);
  }

  [[nodiscard]] sampler_type const& sampler() const noexcept { return sampler_; }
  void read_in_place(node_views<part_view<Policy::space, Vertex>> parts)
    requires host_policy<Policy>
  {
    sampler_.read_in_place(std::move(parts));
  }

  /// Samples the links of batches in one sweep of messages; a rank without seeds takes part.
  ///
  /// @comm   collective; see `link_sampler`
  template <class Batch>
  void sample(std::span<batch_request<seeds_type, Batch> const> batches) {
    sampler_.sample_bulk(items_.of(batches, [](auto& memory, auto const& batch) {
      item_type request{.sources = memory.sources(*batch.seeds),
                        .destinations = memory.destinations(*batch.seeds),
                        .labels = memory.labels(*batch.seeds),
                        .key = batch.key,
                        .out = &batch.out->sample};
      if constexpr (has_query<Rule>) {
        request.queries = memory.times(*batch.seeds);
      }
      return request;
    }));
  }

private:
  using item_type = typename sampler_type::bulk_item;

  // Returns the types, which ranks must agree on before they make directories; without types there is nothing to agree.
  static link_types agree_on(Comm& comm, Graph const& graph, typename kind::options_type const& options,
                             weights_by_type<Policy::space> const& weights) {
    link_types types;
    if constexpr (!std::same_as<Graph, dist::graph<Policy, Vertex>>) {
      auto const failure = failure_of([&] {
        types = kind::types(graph, options);
        for (auto const& [type, of_type] : weights) {
          if (type != types.source && type != types.destination) {
            throw precondition_error(message("weights of node type ", type, ", which is at no end of ",
                                             graph.schema().name_of_edge_type(types.edge_type)));
          }
        }
      });
      fingerprint print;
      print.add(types.edge_type).add(weights.contains(types.source)).add(weights.contains(types.destination));
      agree(host_comm(comm), {.what = operation::make_sampler}, failure, print.value(), [](auto, auto) {
        return "has other seed edges or weights than rank 0; pass the same edge type and weighted types on all ranks";
      });
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
  static std::unique_ptr<weights_type> weights_of(Comm const& comm, weights_by_type<Policy::space> const& weights,
                                                  int node_type, directory_type const& directory,
                                                  Policy const& policy) {
    auto const found = weights.find(node_type);
    return found == weights.end() ? nullptr : std::make_unique<weights_type>(comm, directory, found->second, policy);
  }

  link_types types_;
  bulk_items<Policy, edge_memory<Policy, Vertex>, item_type> items_;
  std::unique_ptr<directory_type> sources_; // null if both ends are of one type; likewise their weights
  std::unique_ptr<directory_type> destinations_;
  std::unique_ptr<weights_type> source_weights_;
  std::unique_ptr<weights_type> destination_weights_;
  sampler_type sampler_;
};

} // namespace glt::detail
