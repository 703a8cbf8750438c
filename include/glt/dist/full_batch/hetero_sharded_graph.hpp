// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/detail/boundary.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/memory/memory.hpp>

namespace glt::dist {

/// Sharded graphs of the relations of a heterogeneous graph, for full-batch passes over typed vertices.
///
/// The sources of a relation are the local vertices of its source type; its destinations are the local vertices of its
/// destination type. A layer of `make_mfgs` has only some of them. A pass over a layer is one pass for each relation,
/// or one rotation for all (`aggregate_relations`).
///
/// Concurrent calls: as of `sharded_graph`.
template <communicator Comm, device_policy Policy>
class hetero_sharded_graph {
public:
  using relation_type = sharded_graph<Comm, Policy>;
  using report_type = typename relation_type::report_type;

  /// Divides the edges of all relations of a rank's part; the graph is not needed afterwards.
  ///
  /// @comm   collective; for each relation as `sharded_graph`
  /// @throws collective_error  as `sharded_graph`
  /// @cost   of each relation as `sharded_graph`
  template <vertex_id Vertex>
  hetero_sharded_graph(Comm comm, hetero_graph<Policy, Vertex> const& graph, sharding_options options = {},
                       Policy policy = {})
      : schema_(graph.schema()) {
    for (int t = 0; t < schema_.num_node_types(); ++t) {
      num_sources_.push_back(graph.book(t).size(graph.part()));
    }
    num_destinations_ = num_sources_;
    for (int e = 0; e < schema_.num_edge_types(); ++e) {
      auto const type = schema_.source_type(e);
      relations_.emplace_back(
          comm, graph.local(e),
          glt::detail::find_boundary(comm, graph.book(type), graph.local(e), num_sources(type), options, policy),
          options, policy);
    }
  }

  /// Divides the edges of a data set with types.
  template <vertex_id Vertex>
  hetero_sharded_graph(Comm comm, data_set<Policy, Vertex> const& data, sharding_options options = {},
                       Policy policy = {})
      : hetero_sharded_graph(std::move(comm), data.hetero_graph(), options, std::move(policy)) {}

  /// Makes the graph from its relations. Those from a type have num_sources of it, those to a type have
  /// num_destinations, the first of these sources.
  hetero_sharded_graph(hetero_schema schema, std::vector<std::int64_t> num_sources,
                       std::vector<std::int64_t> num_destinations, std::vector<relation_type> relations)
      : schema_(std::move(schema)), num_sources_(std::move(num_sources)),
        num_destinations_(std::move(num_destinations)), relations_(std::move(relations)) {}

  [[nodiscard]] hetero_schema const& schema() const noexcept { return schema_; }
  /// Returns the number of local vertices of a type whose rows a pass combines; in the whole graph, all of the part.
  ///
  /// @pre    node_type is in [0, schema().num_node_types()); not checked
  [[nodiscard]] std::int64_t num_sources(int node_type) const noexcept {
    return num_sources_[static_cast<std::size_t>(node_type)];
  }
  /// Returns the number of local vertices of a type for which a pass makes rows, the first of the sources; in the whole
  /// graph, all of the part.
  ///
  /// @pre    as `num_sources`
  [[nodiscard]] std::int64_t num_destinations(int node_type) const noexcept {
    return num_destinations_[static_cast<std::size_t>(node_type)];
  }
  /// @pre    edge_type is in [0, schema().num_edge_types()); not checked
  [[nodiscard]] relation_type& relation(int edge_type) noexcept {
    return relations_[static_cast<std::size_t>(edge_type)];
  }
  /// Returns the cost of passes over all relations so far, and the largest memory of any relation.
  [[nodiscard]] report_type report() noexcept {
    report_type all;
    for (auto& relation : relations_) {
      auto const& one = relation.report();
      all.passes += one.passes;
      all.messages += one.messages;
      all.bytes += one.bytes;
      all.seconds_waiting += one.seconds_waiting;
      all.peak_remote_bytes = std::max(all.peak_remote_bytes, one.peak_remote_bytes);
    }
    return all;
  }

private:
  hetero_schema schema_;
  std::vector<std::int64_t> num_sources_;      // by type
  std::vector<std::int64_t> num_destinations_; // by type
  std::vector<relation_type> relations_;
};

} // namespace glt::dist
