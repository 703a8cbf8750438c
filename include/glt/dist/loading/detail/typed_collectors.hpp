// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/failure.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/collect/collected_table.hpp>
#include <glt/dist/collect/detail/bulk_list.hpp>
#include <glt/dist/collect/detail/sampled_destinations.hpp>
#include <glt/dist/collect/named_collector.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/hotness/named_hot_rows.hpp>
#include <glt/dist/loading/detail/batch_request.hpp>
#include <glt/dist/loading/detail/row_collectors.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

#include <deque>
#include <map>

namespace glt::detail {

/// Requested tensors of the vertices and edges of a typed batch, by type.
template <device_policy Policy>
struct typed_things {
  std::map<int, wanted_tensors<Policy>> nodes;
  std::map<int, wanted_tensors<Policy>> edges;
};

/// Collectors of batches of vertices and edges of several types: one per type with requested tensors.
template <communicator Comm, device_policy Policy>
class typed_collectors {
public:
  /// @comm   collective; one header exchange, and per type the exchanges of `named_collector`
  /// @throws collective_error  on every rank, if a type does not exist, tensors and graph are of different partitions,
  ///                           or ranks collect different things
  template <vertex_id Vertex>
  typed_collectors(Comm comm, typed_things<Policy> const& things, dist::hetero_graph<Policy, Vertex> const& graph,
                   bool edge_ids, Policy policy)
      : policy_(policy) {
    fingerprint types;
    for (auto const& [type, each] : things.nodes) {
      types.add(type);
    }
    types.add(-1);
    for (auto const& [type, each] : things.edges) {
      types.add(type);
    }
    agree(host_comm(comm), {.what = operation::make_sampler}, failure_of([&] { check(things, graph, edge_ids); }),
          types.value(), [](auto, auto) { return other_things; });
    for (auto const& [type, each] : things.nodes) {
      nodes_.emplace_back(type, type, comm, each, policy);
    }
    for (auto const& [type, each] : things.edges) {
      edges_.emplace_back(type, graph.schema().destination_type(type), comm, each, policy);
    }
  }

  /// Collects the tensors of the vertices and edges of each `subgraph_of(batch)`, in one sweep of messages per type.
  /// Types without requested tensors keep empty tables.
  ///
  /// @comm   collective; as many batches on all ranks; the exchanges of each collector
  template <class Seeds, class Batch, class SubgraphOf>
  void collect(std::span<batch_request<Seeds, Batch> const> batches, std::int64_t step, SubgraphOf subgraph_of) {
    using vertex = typename std::remove_cvref_t<decltype(subgraph_of(*batches[0].out))>::vertex_type;
    for (auto const& [seeds, key, out] : batches) {
      out->tensors.resize(static_cast<std::size_t>(subgraph_of(*out).num_node_types()));
      out->edge_tensors.resize(static_cast<std::size_t>(subgraph_of(*out).num_edge_types()));
    }
    for (auto& [type, node_type, collector] : nodes_) {
      std::vector<bulk_list<Policy, vertex, dist::collected_table<Policy>>> lists;
      for (auto const& [seeds, key, out] : batches) {
        auto const& subgraph = subgraph_of(std::as_const(*out));
        lists.push_back({.vertices = subgraph.nodes(type),
                         .num_seeds = subgraph.num_sampled_nodes(type)[0],
                         .out = &out->tensors[static_cast<std::size_t>(type)]});
      }
      collector.collect_bulk(std::span(std::as_const(lists)), step);
    }
    while (destinations_.size() < batches.size()) {
      destinations_.emplace_back(0, policy_);
    }
    for (auto& [type, node_type, collector] : edges_) {
      std::vector<bulk_list<Policy, global_id, dist::collected_table<Policy>>> lists;
      for (std::size_t b = 0; b < batches.size(); ++b) {
        auto& out = *batches[b].out;
        auto const& subgraph = subgraph_of(std::as_const(out));
        auto const edges = subgraph.edge_ids(type);
        sampled_destinations(policy_, subgraph.nodes(node_type), subgraph.col(type), destinations_[b]);
        lists.push_back({.vertices = std::as_const(destinations_[b]).view(),
                         .edges = edges,
                         .num_seeds = edges.size(),
                         .out = &out.edge_tensors[static_cast<std::size_t>(type)]});
      }
      collector.collect_bulk(std::span(std::as_const(lists)), step);
    }
  }

  void read_in_place(int type, node_views<table_view<Policy::space>> const& views) {
    (are_of_edges(views) ? of(edges_, type, "edge") : of(nodes_, type, "node")).read_in_place(views);
  }
  void use(int node_type, dist::named_hot_rows<Policy> const& hot) { of(nodes_, node_type, "node").use(hot); }

  /// Returns the times of all collectors.
  [[nodiscard]] collector_seconds seconds() const noexcept {
    collector_seconds sum;
    for (auto const& each : nodes_) {
      sum += each.collector.seconds();
    }
    for (auto const& each : edges_) {
      sum += each.collector.seconds();
    }
    return sum;
  }
  /// Counts the rows of vertices by their origin.
  [[nodiscard]] collected_counts counts() const noexcept {
    collected_counts sum;
    for (auto const& each : nodes_) {
      sum += each.collector.counts();
    }
    return sum;
  }
  /// Returns why rows of vertices of a type are not read in place; empty if all are.
  [[nodiscard]] std::string why_not_in_place() const {
    for (auto const& each : nodes_) {
      if (auto const& why = each.collector.why_not_in_place(); !why.empty()) {
        return why;
      }
    }
    return {};
  }

private:
  struct typed_collector {
    int type;
    int node_type; // type whose owners receive the requests
    dist::named_collector<Comm, Policy> collector;

    typed_collector(int of_type, int of_node_type, Comm const& comm, wanted_tensors<Policy> const& things,
                    Policy const& policy)
        : type(of_type), node_type(of_node_type), collector(comm, *things.features, things.wanted, policy) {}
  };

  [[nodiscard]] static auto& of(std::deque<typed_collector>& collectors, int type, char const* what) {
    for (auto& each : collectors) {
      if (each.type == type) {
        return each.collector;
      }
    }
    throw precondition_error(message("this loader collects no named tensors of ", what, " type ", type,
                                     "; give some to what makes its batches"));
  }

  template <class Graph>
  static void check(typed_things<Policy> const& things, Graph const& graph, bool edge_ids) {
    auto const& schema = graph.schema();
    auto const check_each = [](std::string_view what, auto const& of_types, int num_types, auto book_of) {
      for (auto const& [type, each] : of_types) {
        if (type < 0 || type >= num_types) {
          throw precondition_error(message("named tensors of ", what, " type ", type, " of a graph of ", num_types, ' ',
                                           what, " types; types count from 0"));
        }
        if (!each.features->book().matches(book_of(type))) {
          throw precondition_error(message("named tensors of ", what, " type ", type,
                                           " and graph have different "
                                           "partition books; load both from one partition"));
        }
      }
    };
    check_each("node", things.nodes, schema.num_node_types(), [&](int type) { return graph.book(type); });
    check_each("edge", things.edges, schema.num_edge_types(),
               [&](int type) { return graph.book(schema.destination_type(type)); });
    if (!things.edges.empty() && !edge_ids) {
      throw precondition_error("tensors of edges are collected by edge id; set edge_ids in the options of the sampler");
    }
  }

  Policy policy_;
  std::deque<typed_collector> nodes_; // a deque: elements never move
  std::deque<typed_collector> edges_;
  std::vector<buffer<Policy, global_id>> destinations_; // of the edges of a type, by batch
};

} // namespace glt::detail
