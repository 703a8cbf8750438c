// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/quality/quality.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt_partition {

using cpu = glt::device::cpu;
using host_csr = glt::csr_view<glt::memory_space::host, glt::global_id>;

/// A data set as one graph, its types one after the other in one numbering: what partitioners see.
class whole_graph {
public:
  explicit whole_graph(glt::io::raw_data const& data) : data_(data), typed_(make_typed(data)) {
    for (auto const& nodes : data.nodes) {
      first_.push_back(first_.back() + nodes.num_nodes);
      for (auto const vertex : nodes.train) {
        seeds_.push_back(first_[first_.size() - 2] + vertex);
      }
    }
    if (!is_simple()) {
      merged_ = glt::detail::make_homogeneous(typed_.view());
    }
  }

  [[nodiscard]] bool is_simple() const { return data_.nodes.size() == 1 && data_.edges.size() == 1; }
  [[nodiscard]] host_csr view() const { return is_simple() ? typed_.view().relation(0) : merged_.view(); }
  [[nodiscard]] glt::hetero_schema const& schema() const { return typed_.schema(); }
  /// Training vertices of all types, in the numbering of `view()`.
  [[nodiscard]] std::vector<glt::global_id> const& seeds() const { return seeds_; }

  /// The parts of the vertices of one type, out of those of all.
  [[nodiscard]] glt::host_view<glt::local_id const> of_type(glt::host_view<glt::local_id const> part_of,
                                                            std::size_t type) const {
    return part_of.subview(first_[type], first_[type + 1] - first_[type]);
  }

  /// @shape  part_of [V of all types]
  [[nodiscard]] glt::partition_quality measure(glt::host_view<glt::local_id const> part_of, int num_parts,
                                               int threads) const {
    cpu const policy(threads);
    std::vector<glt::partition_quality::vertex_splits> splits;
    std::vector<glt::host_view<glt::local_id const>> parts;
    for (std::size_t t = 0; t < data_.nodes.size(); ++t) {
      auto const& nodes = data_.nodes[t];
      splits.push_back({nodes.train, nodes.valid, nodes.test});
      parts.push_back(of_type(part_of, t));
    }
    if (is_simple()) {
      return glt::measure_partition(view(), part_of, num_parts, {.splits = splits[0]}, policy.executor());
    }
    return glt::measure_partition(typed_.view(), std::span<glt::host_view<glt::local_id const> const>(parts), num_parts,
                                  {.splits = std::move(splits)}, policy.executor());
  }

private:
  static glt::hetero_graph<cpu, glt::global_id> make_typed(glt::io::raw_data const& data) {
    std::vector<glt::hetero_schema::node_type> nodes;
    std::vector<glt::hetero_schema::edge_type> edges;
    for (auto const& table : data.nodes) {
      nodes.push_back({table.name, table.num_nodes});
    }
    for (auto const& table : data.edges) {
      edges.push_back({table.source, table.name, table.destination});
    }
    glt::hetero_schema schema(std::move(nodes), std::move(edges));
    std::vector<glt::csr_graph<cpu, glt::global_id>> relations;
    for (int e = 0; e < schema.num_edge_types(); ++e) {
      auto const& table = data.edges[static_cast<std::size_t>(e)];
      relations.push_back(
          glt::make_relation<cpu, glt::global_id>(schema, e, glt::host_view<glt::global_id const>(table.sources),
                                                  glt::host_view<glt::global_id const>(table.destinations)));
    }
    return {std::move(schema), std::move(relations)};
  }

  glt::io::raw_data const& data_;
  glt::hetero_graph<cpu, glt::global_id> typed_;
  glt::csr_graph<cpu, glt::global_id> merged_;
  std::vector<glt::global_id> first_{0}; // vertex of every type
  std::vector<glt::global_id> seeds_;
};

} // namespace glt_partition
