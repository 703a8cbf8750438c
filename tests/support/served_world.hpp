// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/dist/data_part.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/buffer.hpp>

#include "named_tables.hpp"
#include "parts.hpp"

#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace glt_test {

/// The part of a server, of a graph with as many parts as servers, and what is known about its vertices.
struct served_world {
  template <class Comm>
  served_world(Comm& group, divided_graph const& divided, std::vector<glt::dist::data_part<>::vertex_split> splits = {})
      : data(group, part(divided, group.rank(), std::move(splits))) {}

  /// Features, labels, and tensors of all kinds.
  static glt::dist::data_part<cpu> part(divided_graph const& divided, int rank,
                                        std::vector<glt::dist::data_part<>::vertex_split> splits) {
    auto const ids = originals(divided, rank);
    auto tensors = named_table(ids);
    tensors.add("x", divided.features(rank, 3, false));
    std::vector<std::int64_t> labels;
    for (auto const id : ids) {
      labels.push_back(divided_graph::label(id));
    }
    tensors.add("y", glt::feature_store<cpu, std::int64_t>(std::ssize(ids), 1, glt::make_buffer<cpu>(labels)));
    return glt::dist::data_part<cpu>(divided.part(rank), {.tensors = std::move(tensors), .splits = std::move(splits)});
  }
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

  glt::dist::data_set<cpu> data;
};

} // namespace glt_test
