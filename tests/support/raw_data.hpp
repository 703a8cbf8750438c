// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <glt/core/random.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/raw_data.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace glt_test {

/// An array of random bytes; rows of `columns` elements.
inline glt::io::array random_array(glt::random_stream& draws, glt::element_type type, std::int64_t rows,
                                   std::int64_t columns) {
  glt::buffer<glt::device::cpu, std::byte> bytes(rows * columns * glt::detail::size_of(type));
  for (auto& byte : bytes) {
    byte = static_cast<std::byte>(draws.below(60)); // no NaN
  }
  return {type, {rows, columns}, std::move(bytes)};
}

/// The vertices of a type with everything that they may have.
inline glt::io::raw_data::node_table random_nodes(glt::random_stream& draws, std::string const& name,
                                                  std::int64_t num_nodes) {
  glt::io::raw_data::node_table nodes;
  nodes.name = name;
  nodes.num_nodes = num_nodes;
  nodes.features.push_back({"node_feat", random_array(draws, glt::element_type::float32, num_nodes, 3)});
  nodes.labels = random_array(draws, glt::element_type::int64, num_nodes, 1);
  for (std::int64_t v = 0; v < num_nodes; ++v) {
    nodes.times.push_back(static_cast<std::int64_t>(draws.below(100)) - 50);
    (v % 3 == 0 ? nodes.train : v % 3 == 1 ? nodes.valid : nodes.test).push_back(num_nodes - 1 - v);
  }
  return nodes;
}

/// The edges of a type with everything that they may have.
inline glt::io::raw_data::edge_table random_edges(glt::random_stream& draws, glt::io::raw_data::node_table const& from,
                                                  std::string const& name, glt::io::raw_data::node_table const& to,
                                                  std::int64_t num_edges) {
  auto const vertex = [&](glt::io::raw_data::node_table const& nodes) {
    return static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(nodes.num_nodes)));
  };
  glt::io::raw_data::edge_table edges;
  edges.source = from.name;
  edges.name = name;
  edges.destination = to.name;
  for (std::int64_t e = 0; e < num_edges; ++e) {
    edges.sources.push_back(vertex(from));
    edges.destinations.push_back(vertex(to));
    edges.weights.push_back(static_cast<float>(draws.below(100)) / 8);
    edges.times.push_back(static_cast<std::int64_t>(draws.below(100)));
  }
  edges.features.push_back({"edge_feat", random_array(draws, glt::element_type::float16, num_edges, 2)});
  for (char const* const split : {"train", "valid", "test"}) {
    glt::link_split links{.name = split, .edges = {}, .negatives = {}};
    for (std::int64_t i = 0; i < num_edges / 3; ++i) {
      links.edges.sources.push_back(vertex(from));
      links.edges.destinations.push_back(vertex(to));
      links.negatives.sources.push_back(vertex(from));
      links.negatives.destinations.push_back(vertex(to));
    }
    edges.links.push_back(std::move(links));
  }
  return edges;
}

/// Checks that two arrays are of the same type, shape and bytes.
inline void check_same(glt::io::array const& a, glt::io::array const& b) {
  CHECK(a.shape() == b.shape());
  CHECK((a.shape().empty() || a.type() == b.type()));
  CHECK(std::ranges::equal(a.bytes(), b.bytes()));
}

inline void check_same(std::span<glt::io::raw_data::named_array const> a,
                       std::span<glt::io::raw_data::named_array const> b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(a[i].name == b[i].name);
    check_same(a[i].values, b[i].values);
  }
}

/// Checks that two data sets are the same, but for their names.
inline void check_same(glt::io::raw_data_view const& a, glt::io::raw_data_view const& b) {
  REQUIRE(a.nodes.size() == b.nodes.size());
  REQUIRE(a.edges.size() == b.edges.size());
  for (std::size_t t = 0; t < a.nodes.size(); ++t) {
    auto const& x = a.nodes[t];
    auto const& y = b.nodes[t];
    CHECK(x.name == y.name);
    CHECK(x.num_nodes == y.num_nodes);
    check_same(x.features, y.features);
    check_same(x.labels, y.labels);
    CHECK(x.times == y.times);
    CHECK(x.train == y.train);
    CHECK(x.valid == y.valid);
    CHECK(x.test == y.test);
  }
  for (std::size_t t = 0; t < a.edges.size(); ++t) {
    auto const& x = a.edges[t];
    auto const& y = b.edges[t];
    CHECK(x.source == y.source);
    CHECK(x.name == y.name);
    CHECK(x.destination == y.destination);
    CHECK(std::ranges::equal(x.columns.sources, y.columns.sources));
    CHECK(std::ranges::equal(x.columns.destinations, y.columns.destinations));
    CHECK(std::ranges::equal(x.columns.weights, y.columns.weights));
    CHECK(std::ranges::equal(x.columns.times, y.columns.times));
    check_same(x.features, y.features);
    REQUIRE(x.links.size() == y.links.size());
    for (std::size_t i = 0; i < x.links.size(); ++i) {
      CHECK(x.links[i].name == y.links[i].name);
      CHECK(std::ranges::equal(x.links[i].edges.sources, y.links[i].edges.sources));
      CHECK(std::ranges::equal(x.links[i].edges.destinations, y.links[i].edges.destinations));
      CHECK(std::ranges::equal(x.links[i].negatives.sources, y.links[i].negatives.sources));
      CHECK(std::ranges::equal(x.links[i].negatives.destinations, y.links[i].negatives.destinations));
    }
  }
}

} // namespace glt_test
