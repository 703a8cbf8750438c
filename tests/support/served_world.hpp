// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/named_features.hpp>

#include "named_tables.hpp"
#include "parts.hpp"

#include <cstdint>
#include <vector>

namespace glt_test {

/// The part of a server, of a graph with as many parts as servers, and what is known about its vertices.
struct served_world {
  template <class Comm>
  served_world(Comm& group, divided_graph const& divided)
      : graph(group, divided.part(group.rank())), features(group, graph.book(), divided.features(group.rank(), 3)),
        named(group, graph.book(), named_table(originals(divided, group.rank()))) {}

  /// Original ids of the vertices of a part.
  static std::vector<std::int64_t> originals(divided_graph const& divided, int part) {
    std::vector<std::int64_t> ids;
    for (auto v = divided.names.book.begin(part); v < divided.names.book.end(part); ++v) {
      ids.push_back(divided.names.original[v]);
    }
    return ids;
  }
  /// Vertices of a part in a split: every third, from the part's number on; none of the last one of several.
  static std::vector<glt::global_id> split(divided_graph const& divided, int part) {
    std::vector<glt::global_id> ids;
    auto const& book = divided.names.book;
    if (book.num_parts() == 1 || part + 1 < book.num_parts()) {
      for (auto v = book.begin(part) + part; v < book.end(part); v += 3) {
        ids.push_back(v);
      }
    }
    return ids;
  }

  glt::dist::graph<cpu> graph;
  glt::dist::feature_store<cpu, float> features;
  glt::dist::named_features<cpu> named;
};

} // namespace glt_test
