// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/element_type.hpp>
#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/graph/convert.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/simple_partitioners.hpp>

#include "graphs.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace glt_test {

/// Columns of the features of `known_set`.
inline constexpr std::int64_t known_width = 3;

/// A graph without types whose data says of which vertex or edge it is: column c of the features of vertex v is
/// 10 v + c, its label 100 + v, its time 1000 + v; the weight of edge e is e, its time -e. Lists are descending.
inline glt::io::raw_data known_set(edge_list const& graph) {
  glt::io::raw_data made{graph.name, {}, {}};
  auto& nodes = made.nodes.emplace_back();
  nodes.num_nodes = graph.num_vertices;
  std::vector<float> features;
  std::vector<std::int64_t> labels;
  for (std::int64_t v = 0; v < graph.num_vertices; ++v) {
    labels.push_back(100 + v);
    nodes.times.push_back(1000 + v);
    (v % 4 == 0 ? nodes.valid : v % 4 == 1 ? nodes.test : nodes.train).push_back(graph.num_vertices - 1 - v);
    for (std::int64_t c = 0; c < known_width; ++c) {
      features.push_back(static_cast<float>(v * 10 + c));
    }
  }
  nodes.features.push_back({"feat", glt::io::array::of<float>(features, {graph.num_vertices, known_width})});
  nodes.labels = glt::io::array::of<std::int64_t>(labels);
  auto& edges = made.edges.emplace_back();
  edges.sources.assign(graph.sources.begin(), graph.sources.end());
  edges.destinations.assign(graph.destinations.begin(), graph.destinations.end());
  for (std::int64_t e = 0; e < graph.num_edges(); ++e) {
    edges.weights.push_back(static_cast<float>(e));
    edges.times.push_back(-e);
  }
  return made;
}

/// Random numbers of the vertices of a type in parts.
inline glt::relabelling random_labels(std::int64_t num_vertices, int parts, std::uint64_t seed = 7) {
  std::vector<glt::local_id> part_of(static_cast<std::size_t>(num_vertices));
  glt::random_stream draws(glt::random_key(seed), 0);
  for (auto& part : part_of) {
    part = static_cast<glt::local_id>(draws.below(static_cast<std::uint64_t>(parts)));
  }
  return glt::make_relabelling(part_of, parts);
}

/// Relabellings of all types of a data set.
inline std::vector<glt::relabelling> random_labels(glt::io::raw_data const& data, int parts) {
  std::vector<glt::relabelling> labels;
  for (auto const& table : data.nodes) {
    labels.push_back(random_labels(table.num_nodes, parts, labels.size() + 1));
  }
  return labels;
}

/// Three types of vertices, one of them empty, and four of edges, with names and arrays that are hard to store.
///
/// The first value of an array of a vertex or edge i is i, modulo 100 in narrow types.
inline glt::io::raw_data hetero_known_set(std::int64_t papers = 23, std::int64_t authors = 11) {
  glt::io::raw_data made{"papers \"and\" authors", {}, {}};
  std::vector<float> wide;
  std::vector<std::int32_t> labels;
  std::vector<glt::float16> halves;
  std::vector<double> targets;
  std::vector<std::int64_t> times;
  for (std::int64_t v = 0; v < papers; ++v) {
    wide.insert(wide.end(), {static_cast<float>(v), -1.5F});
    labels.push_back(static_cast<std::int32_t>(v));
    times.push_back(v);
  }
  for (std::int64_t v = 0; v < authors; ++v) {
    halves.push_back(glt::float16(static_cast<float>(v % 100)));
    targets.insert(targets.end(), {static_cast<double>(v), 0.5});
  }
  glt::io::raw_data::node_table paper{.name = "paper", .num_nodes = papers};
  paper.features.push_back({"feat", glt::io::array::of<float>(wide, {papers, 2})});
  paper.features.push_back({"labels", glt::io::array::of<std::int32_t>(labels)});
  paper.features.push_back({"../x/y", glt::io::array::of<float>(wide, {papers, 1, 2})});
  paper.labels = glt::io::array::of<std::int32_t>(labels);
  paper.times = times;
  paper.train = {3, 1, 0, papers - 1};
  paper.test = {2};
  glt::io::raw_data::node_table author{.name = "author.of ü", .num_nodes = authors};
  author.features.push_back({"feat", glt::io::array::of<glt::float16>(halves)});
  author.labels = glt::io::array::of<double>(targets, {authors, 2});
  glt::io::raw_data::node_table nobody{.name = "../nobody", .num_nodes = 0};
  nobody.features.push_back({"none", glt::io::array::of<float>(glt::host_view<float const>(), {0, 5})});
  made.nodes.push_back(std::move(paper));
  made.nodes.push_back(std::move(author));
  made.nodes.push_back(std::move(nobody));

  glt::random_stream draws(glt::random_key(3), 0);
  auto const edges = [&](std::string source, std::string name, std::string destination, std::int64_t from,
                         std::int64_t to, std::int64_t count) {
    glt::io::raw_data::edge_table table{
        .source = std::move(source), .name = std::move(name), .destination = std::move(destination)};
    for (std::int64_t e = 0; e < count; ++e) {
      table.sources.push_back(static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(from))));
      table.destinations.push_back(static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(to))));
    }
    return table;
  };
  auto cites = edges("paper", "cites", "paper", papers, papers, 120);
  auto writes = edges("author.of ü", "writes", "paper", authors, papers, 60);
  auto reviews = edges("paper", "reviewed/by", "author.of ü", papers, authors, 7);
  std::vector<glt::bfloat16> brains;
  for (std::int64_t e = 0; e < 120; ++e) {
    cites.weights.push_back(static_cast<float>(e));
    cites.times.push_back(e);
    brains.push_back(glt::bfloat16(static_cast<float>(e % 100)));
    brains.push_back(glt::bfloat16(0.5F));
  }
  cites.features.push_back({"weights", glt::io::array::of<glt::bfloat16>(brains, {120, 2})});
  reviews.links.push_back({"train", {{0, 1, 2, 0}, {0, 1, 0, 5}}, {{4, 4}, {0, 3}}});
  reviews.links.push_back({"te/st", {{1}, {1}}, {}});
  made.edges.push_back(std::move(cites));
  made.edges.push_back(std::move(writes));
  made.edges.push_back(std::move(reviews));
  made.edges.push_back({.source = "../nobody", .name = "writes", .destination = "paper"});
  return made;
}

} // namespace glt_test
