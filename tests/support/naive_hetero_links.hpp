// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/sample/link/link_options.hpp>
#include <glt/sample/link/negatives.hpp>
#include <glt/sample/options.hpp>

#include "hetero_graphs.hpp"
#include "naive_hetero_sampler.hpp"
#include "naive_links.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace glt_test {

/// The edges of one type.
inline pair_list pairs_of(relation_list const& relation) {
  pair_list pairs;
  for (std::size_t i = 0; i < relation.sources.size(); ++i) {
    pairs.emplace_back(relation.sources[i], relation.destinations[i]);
  }
  return pairs;
}

/// What a link sampler of a heterogeneous graph returns; ends are ids of the lists instead of positions.
struct naive_hetero_link_sample : naive_link_pairs {
  naive_hetero_subgraph subgraph;

  bool operator==(naive_hetero_link_sample const&) const = default;
};

/// Samples links of one type from the definition: edges to be excluded are taken out of their lists before anything is
/// sampled. `around(rest, seeds, edge_of_seed)` samples around the seeds, a list per node type; their seed edges are
/// listed type after type.
///
/// @shape  shares of the sources and of the destinations, or empty
template <class Around>
naive_hetero_link_sample sample_hetero_links_naively(
    hetero_list const& graph, naive_positives const& positives, std::vector<std::int64_t> const& labels,
    glt::hetero_link_options const& options, glt::sample_key key,
    std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> const& shares, Around const& around) {
  auto const& schema = graph.schema;
  auto const edge_type = static_cast<std::size_t>(options.edge_type);
  auto const source_type = schema.source_type(options.edge_type);
  auto const destination_type = schema.destination_type(options.edge_type);
  auto negative_options = options.negatives;
  negative_options.self_pairs = negative_options.self_pairs || source_type != destination_type;
  auto const negatives =
      draw_naively(pairs_of(graph.relations[edge_type]), naive_end(schema.num_vertices(source_type), shares.first),
                   naive_end(schema.num_vertices(destination_type), shares.second), positives,
                   glt::detail::negatives_key(key, options.edge_type), negative_options);
  auto rest = graph;
  std::vector<std::vector<std::int64_t>> id_in_graph(graph.relations.size());
  for (std::size_t e = 0; e < graph.relations.size(); ++e) {
    std::set<std::pair<std::int64_t, std::int64_t>> excluded;
    for (auto const& [source, destination] : positives.pairs()) {
      if (e == edge_type && options.exclude != glt::seed_exclusion::none) {
        excluded.insert({source, destination});
      }
      if (options.exclude == glt::seed_exclusion::edges_and_reverses && std::cmp_equal(e, options.reverse_type)) {
        excluded.insert({destination, source});
      }
    }
    auto const pairs = pairs_of(graph.relations[e]);
    rest.relations[e] = {};
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (!excluded.contains(pairs[i])) {
        rest.relations[e].add(pairs[i].first, pairs[i].second);
        id_in_graph[e].push_back(static_cast<std::int64_t>(i));
      }
    }
  }
  naive_hetero_link_sample out;
  auto const ends = join_naively(out, positives, labels, negatives, options.negatives);
  std::vector<std::vector<std::int64_t>> seeds(schema.node_types().size());
  std::vector<std::vector<std::size_t>> edges(seeds.size());
  auto const add = [&](int type, auto const& vertices, auto const& edge_of) {
    auto& list = seeds[static_cast<std::size_t>(type)];
    list.insert(list.end(), vertices.begin(), vertices.end());
    auto& of_list = edges[static_cast<std::size_t>(type)];
    of_list.insert(of_list.end(), edge_of.begin(), edge_of.end());
  };
  add(source_type, ends.sources, ends.edge_of_source);
  add(destination_type, ends.destinations, ends.edge_of_destination);
  std::vector<std::size_t> edge_of_seed;
  for (auto const& list : edges) {
    edge_of_seed.insert(edge_of_seed.end(), list.begin(), list.end());
  }
  out.subgraph = around(rest, seeds, edge_of_seed);
  for (std::size_t e = 0; e < graph.relations.size(); ++e) {
    for (auto& id : out.subgraph.edge_ids[e]) {
      id = id_in_graph[e][static_cast<std::size_t>(id)];
    }
  }
  return out;
}

/// Samples links of one type uniformly.
inline naive_hetero_link_sample
sample_hetero_links_naively(hetero_list const& graph, naive_positives const& positives,
                            std::vector<std::int64_t> const& labels, glt::hetero_link_options const& options,
                            glt::sample_key key,
                            std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> const& shares = {}) {
  return sample_hetero_links_naively(graph, positives, labels, options, key, shares,
                                     [&](hetero_list const& rest, auto const& seeds, auto const&) {
                                       return naive_hetero_sample(rest, seeds, options.neighbors, key);
                                     });
}

/// A typed link sample in plain vectors, its vertices mapped through `original` (by node type, by node id) if that is
/// given.
template <class Sample, class Original = std::vector<std::vector<std::int64_t>>>
naive_hetero_link_sample plain_hetero_links(Sample const& sample, glt::hetero_schema const& schema, int edge_type,
                                            Original const& original = {}) {
  naive_hetero_link_sample out;
  out.subgraph = plain_hetero(sample.subgraph(), original);
  auto const nodes_of = [&](int type) -> auto& { return out.subgraph.nodes.at(static_cast<std::size_t>(type)); };
  copy_pairs(out, sample, nodes_of(schema.source_type(edge_type)), nodes_of(schema.destination_type(edge_type)));
  return out;
}

/// `some_positives` for the edges of a type.
inline pair_list some_hetero_positives(hetero_list const& graph, int edge_type, std::int64_t size, std::uint64_t seed) {
  auto const& schema = graph.schema;
  return some_positives(pairs_of(graph.relations[static_cast<std::size_t>(edge_type)]),
                        schema.num_vertices(schema.source_type(edge_type)),
                        schema.num_vertices(schema.destination_type(edge_type)), size, {glt::random_key(78), seed});
}

/// The edge type with its ends swapped, or −1.
inline int reverse_of(glt::hetero_schema const& schema, int edge_type) {
  for (int e = schema.num_edge_types() - 1; e >= 0; --e) {
    if (schema.source_type(e) == schema.destination_type(edge_type) &&
        schema.destination_type(e) == schema.source_type(edge_type)) {
      return e;
    }
  }
  return -1;
}

/// Options of every mode for an edge type, with exclusion, replacement, padding and gaps.
inline std::vector<glt::hetero_link_options> hetero_link_options_to_try(glt::hetero_schema const& schema,
                                                                        int edge_type) {
  std::vector<glt::hetero_link_options> made;
  auto const reverse = reverse_of(schema, edge_type);
  for (auto const& option : link_options_to_try()) {
    glt::hetero_link_options typed{.edge_type = edge_type,
                                   .neighbors = {.fanouts = glt::same_fanouts(schema, option.neighbors.fanouts),
                                                 .replace = option.neighbors.replace,
                                                 .expand = option.neighbors.expand,
                                                 .edge_ids = option.neighbors.edge_ids,
                                                 .disjoint = option.neighbors.disjoint},
                                   .negatives = option.negatives,
                                   .exclude = option.exclude,
                                   .reverse_type = reverse};
    if (reverse < 0 && typed.exclude == glt::seed_exclusion::edges_and_reverses) {
      typed.exclude = glt::seed_exclusion::edges;
    }
    made.push_back(std::move(typed));
  }
  return made;
}

} // namespace glt_test
