// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples a graph of papers, authors and topics: seeds are papers, and every edge type has its own fanouts.
#include <glt/glt.hpp>

#include <cstddef>
#include <iostream>
#include <utility>
#include <vector>

using glt::device::cpu;

int main() {
  glt::hetero_schema const schema({{"paper", 1000}, {"author", 300}, {"topic", 10}},
                                  {{"author", "writes", "paper"},
                                   {"paper", "written_by", "author"},
                                   {"paper", "cites", "paper"},
                                   {"topic", "of", "paper"}});

  // An edge goes from a vertex of the source type to one of the destination type, which collects its message.
  struct edges {
    std::vector<glt::local_id> sources, destinations;
  };
  std::vector<edges> lists(4);
  auto const add = [&](char const* type, glt::local_id source, glt::local_id destination) {
    auto& list = lists[static_cast<std::size_t>(schema.find_edge_type(type))];
    list.sources.push_back(source);
    list.destinations.push_back(destination);
  };
  for (glt::local_id paper = 0; paper < 1000; ++paper) {
    for (glt::local_id i = 1; i <= 3; ++i) {
      auto const author = paper * 7 * i % 300;
      add("writes", author, paper);
      add("written_by", paper, author);
      add("cites", (paper * i + i) % 1000, paper);
    }
    add("of", paper % 10, paper);
  }
  std::vector<glt::csr_graph<cpu>> relations;
  for (int e = 0; e < schema.num_edge_types(); ++e) {
    auto const& list = lists[static_cast<std::size_t>(e)];
    relations.push_back(glt::make_relation<cpu>(schema, e, list.sources, list.destinations));
  }
  glt::hetero_graph<cpu> const graph(schema, std::move(relations));

  glt::hetero_options options{.fanouts = glt::same_fanouts(schema, {2, 2})};
  options.fanouts[static_cast<std::size_t>(schema.find_edge_type("of"))] = {0, 1}; // topics in the second hop only
  glt::hetero_neighbor_sampler<cpu> sampler(graph.view(), options);
  glt::hetero_subgraph<cpu> batch;
  std::vector<glt::local_id> const papers{10, 20, 30, 40};
  sampler.sample(schema.find_node_type("paper"), papers, {.seed = 42}, batch);

  for (int t = 0; t < schema.num_node_types(); ++t) {
    auto const& name = schema.node_types()[static_cast<std::size_t>(t)].name;
    std::cout << name << ": " << batch.nodes(t).size() << " vertices\n";
  }
  for (int e = 0; e < schema.num_edge_types(); ++e) {
    auto const hops = batch.num_sampled_edges(e);
    std::cout << schema.name_of_edge_type(e) << ": " << hops[0] << " + " << hops[1] << " edges\n";
  }

  // Two authors a paper in the first hop, no topics yet, and then one topic for every new paper.
  auto const writes = batch.num_sampled_edges(schema.find_edge_type("writes"));
  auto const topics = batch.num_sampled_edges(schema.find_edge_type("of"));
  auto const new_papers = batch.num_sampled_nodes(schema.find_node_type("paper"))[1];
  return writes[0] == 8 && topics[0] == 0 && topics[1] == new_papers ? 0 : 1;
}
