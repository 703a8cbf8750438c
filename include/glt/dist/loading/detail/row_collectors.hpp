// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/collect/detail/row_lists.hpp>
#include <glt/dist/collect/feature_collector.hpp>
#include <glt/dist/collect/named_collector.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/dist/loading/detail/batch_request.hpp>
#include <glt/dist/loading/detail/expansion.hpp>
#include <glt/dist/named_features.hpp>
#include <glt/feature/feature_store.hpp>

#include <deque>
#include <map>

namespace glt::detail {

/// Requested named tensors of the vertices or edges of a type; borrowed.
template <device_policy Policy>
struct wanted_tensors {
  dist::named_features<Policy> const* features = nullptr;
  std::vector<tensor_request> wanted{};
};

/// Stores whose rows are collected for the vertices and edges of a batch, by type; without types the only type is 0.
template <device_policy Policy, bytes_copyable T>
struct collected_things {
  dist::feature_store<Policy, T> const* features = nullptr; ///< borrowed, null if not requested; without types only
  std::map<int, wanted_tensors<Policy>> nodes{};
  std::map<int, wanted_tensors<Policy>> edges{};

  void add(int type, dist::named_features<Policy> const& of_type, std::vector<tensor_request> wanted) {
    (of_type.of_edges() ? edges : nodes)[type] = {&of_type, std::move(wanted)};
  }
};

template <memory_space Space>
[[nodiscard]] bool are_of_edges(node_views<table_view<Space>> const& views) {
  return std::ranges::any_of(views.of_rank, [](auto const& view) { return view && view->of_edges; });
}

/// The collectors of batches of vertices and edges: one for each type with requested tensors, and one for a matrix of
/// features.
template <communicator Comm, device_policy Policy, bytes_copyable T = float, device_policy StorePolicy = Policy>
class row_collectors {
  // Named tensors are collected where they are stored.
  static constexpr bool all_kinds = std::same_as<Policy, StorePolicy>;

public:
  /// @comm   collective; one header exchange, and the exchanges of each collector
  /// @throws collective_error  on every rank, if a type does not exist, a store and the graph are of different
  ///                           partitions, or ranks collect different things
  template <class Graph>
  row_collectors(Comm comm, collected_things<StorePolicy, T> const& things, Graph const& graph, bool edge_ids,
                 Policy policy)
      : features_(things.features), policy_(policy) {
    auto const kinds =
        fingerprint_of(things.features != nullptr, std::views::keys(things.nodes), std::views::keys(things.edges));
    agree(host_comm(comm), {.what = operation::make_sampler}, failure_of([&] { check(things, graph, edge_ids); }),
          kinds, "collects other things than rank 0; ask for the same features and named tensors on all ranks");
    if (features_ != nullptr) {
      rows_.emplace(comm, *features_, policy);
    }
    if constexpr (all_kinds) {
      for (auto const& [type, each] : things.nodes) {
        nodes_.emplace_back(type, type, comm, each, policy);
      }
      for (auto const& [type, each] : things.edges) {
        edges_.emplace_back(type, destination_type(graph, type), comm, each, policy);
      }
    }
  }

  /// Collects the rows of each `subgraph_of(batch)`, in one sweep of messages per type and kind of rows. The first
  /// vertices of a subgraph are the distinct seeds. Types without requested tensors keep empty tables.
  ///
  /// @comm   collective; as many batches on all ranks; the exchanges of each collector
  template <class Seeds, class Batch, class SubgraphOf>
  void collect(std::span<batch_request<Seeds, Batch> const> batches, SubgraphOf subgraph_of) {
    using vertex = typename std::remove_cvref_t<decltype(subgraph_of(*batches[0].out))>::vertex_type;
    auto const step = batches[0].key.step;
    if (rows_) {
      if constexpr (requires { batches[0].out->rows; }) {
        std::vector<bulk_list<Policy, vertex, dist::collected_rows<Policy, T>>> lists;
        for (auto const& [seeds, key, out] : batches) {
          auto const& subgraph = subgraph_of(std::as_const(*out));
          lists.push_back({.vertices = nodes_of(subgraph, 0),
                           .num_seeds = features_->has_labels() ? num_seeds(subgraph, 0) : 0,
                           .out = &out->rows});
          out->num_columns = features_->num_columns();
        }
        rows_->collect_bulk(std::span(std::as_const(lists)), step);
      }
    }
    if constexpr (all_kinds) {
      for (auto const& [seeds, key, out] : batches) {
        make_room(subgraph_of(std::as_const(*out)), *out);
      }
      for (auto& [type, node_type, collector] : nodes_) {
        std::vector<bulk_list<Policy, vertex, collected_table<Policy>>> lists;
        for (auto const& [seeds, key, out] : batches) {
          auto const& subgraph = subgraph_of(std::as_const(*out));
          lists.push_back({.vertices = nodes_of(subgraph, type),
                           .num_seeds = num_seeds(subgraph, type),
                           .out = &table_of(out->tensors, type)});
        }
        collector.collect_bulk(std::span(std::as_const(lists)), step);
      }
      while (destinations_.size() < batches.size()) {
        destinations_.emplace_back(0, policy_);
      }
      for (auto& [type, node_type, collector] : edges_) {
        std::vector<bulk_list<Policy, global_id, collected_table<Policy>>> lists;
        for (std::size_t b = 0; b < batches.size(); ++b) {
          auto& out = *batches[b].out;
          auto const& subgraph = subgraph_of(std::as_const(out));
          auto const edges = edges_of(subgraph, type);
          sampled_destinations(policy_, nodes_of(subgraph, node_type), destinations_of(subgraph, type),
                               destinations_[b]);
          lists.push_back({.vertices = std::as_const(destinations_[b]).view(),
                           .edges = edges,
                           .num_seeds = edges.size(),
                           .out = &table_of(out.edge_tensors, type)});
        }
        collector.collect_bulk(std::span(std::as_const(lists)), step);
      }
    }
  }

  /// Tells all ranks, in place of `collect`, that this rank could not sample its batches. Returns if nothing is
  /// collected.
  ///
  /// @throws collective_error  on every rank
  void refuse(std::int64_t step, std::string const& failure) {
    if (rows_) {
      rows_->refuse(step, failure);
    }
    for (auto* const of_types : {&nodes_, &edges_}) {
      for (auto& each : *of_types) {
        each.collector.refuse(step, failure);
      }
    }
  }

  [[nodiscard]] collector_seconds seconds() const noexcept {
    auto sum = rows_ ? rows_->seconds() : collector_seconds();
    for (auto const* const of_types : {&nodes_, &edges_}) {
      for (auto const& each : *of_types) {
        sum += each.collector.seconds();
      }
    }
    return sum;
  }
  /// Counts the rows of vertices by their origin.
  [[nodiscard]] collected_counts counts() const noexcept {
    auto sum = rows_ ? rows_->counts() : collected_counts();
    for (auto const& each : nodes_) {
      sum += each.collector.counts();
    }
    return sum;
  }
  /// Returns why rows of vertices are not read in place; empty if all are.
  [[nodiscard]] std::string why_not_in_place() const {
    auto why = rows_ ? rows_->why_not_in_place() : std::string();
    for (auto each = nodes_.begin(); why.empty() && each != nodes_.end(); ++each) {
      why = each->collector.why_not_in_place();
    }
    return why;
  }

  void read_in_place(node_views<feature_view<StorePolicy::space, T>> const& views) { matrix().read_in_place(views); }
  void read_in_place(node_views<table_view<Policy::space>> const& views) { read_in_place(0, views); }
  void read_in_place(int type, node_views<table_view<Policy::space>> const& views) {
    (are_of_edges(views) ? of(edges_, type, "edge") : of(nodes_, type, "node")).read_in_place(views);
  }
  template <class Rows>
  void use(Rows const& rows)
    requires uses_rows<dist::feature_collector<Comm, Policy, T, StorePolicy>, Rows>
  {
    matrix().use(rows);
  }
  void use(dist::named_hot_rows<Policy> const& hot) { use(0, hot); }
  void use(int node_type, dist::named_hot_rows<Policy> const& hot) { of(nodes_, node_type, "node").use(hot); }

private:
  struct typed_collector {
    int type;
    int node_type; // type whose owners receive the requests
    dist::named_collector<Comm, Policy> collector;

    typed_collector(int of_type, int of_node_type, Comm const& comm, wanted_tensors<Policy> const& things,
                    Policy const& policy)
        : type(of_type), node_type(of_node_type), collector(comm, *things.features, things.wanted, policy) {}
  };

  // Access by type, where a graph, a subgraph or a batch may have none.
  template <class Graph>
  [[nodiscard]] static int destination_type(Graph const& graph, int edge_type) {
    if constexpr (has_schema<Graph>) {
      return graph.schema().destination_type(edge_type);
    } else {
      return 0;
    }
  }
  template <class Subgraph>
  static constexpr bool sampled_types = requires(Subgraph const& subgraph) { subgraph.nodes(0); };
  // Calls `read(subgraph, type)`, without a type if there are none.
  template <class Subgraph, class Read>
  [[nodiscard]] static auto of_type(Subgraph const& subgraph, int type, Read read) {
    if constexpr (sampled_types<Subgraph>) {
      return read(subgraph, type);
    } else {
      return read(subgraph);
    }
  }
  [[nodiscard]] static auto nodes_of(auto const& subgraph, int type) {
    return of_type(subgraph, type, [](auto const& from, auto... of) { return from.nodes(of...); });
  }
  [[nodiscard]] static auto edges_of(auto const& subgraph, int type) {
    return of_type(subgraph, type, [](auto const& from, auto... of) { return from.edge_ids(of...); });
  }
  [[nodiscard]] static auto destinations_of(auto const& subgraph, int type) {
    return of_type(subgraph, type, [](auto const& from, auto... of) { return from.col(of...); });
  }
  [[nodiscard]] static std::int64_t num_seeds(auto const& subgraph, int type) {
    return of_type(subgraph, type, [](auto const& from, auto... of) { return from.num_sampled_nodes(of...)[0]; });
  }
  template <class Subgraph, class Batch>
  static void make_room(Subgraph const& subgraph, Batch& out) {
    if constexpr (sampled_types<Subgraph>) {
      out.tensors.resize(static_cast<std::size_t>(subgraph.num_node_types()));
      out.edge_tensors.resize(static_cast<std::size_t>(subgraph.num_edge_types()));
    }
  }
  [[nodiscard]] static auto& table_of(collected_table<Policy>& only, int) noexcept { return only; }
  [[nodiscard]] static auto& table_of(std::vector<collected_table<Policy>>& tables, int type) {
    return tables[static_cast<std::size_t>(type)];
  }

  template <class Graph>
  static void check(collected_things<StorePolicy, T> const& things, Graph const& graph, bool edge_ids) {
    auto const check_book = [](auto const& rows, auto const& book, auto const&... what) {
      if (!rows.book().matches(book)) {
        throw precondition_error(message(what..., " and graph have different partition books; load both from one "
                                                  "partition"));
      }
    };
    if constexpr (has_schema<Graph>) {
      auto const& schema = graph.schema();
      auto const check_each = [&](char const* what, auto const& of_types, int num_types, auto node_type_of) {
        for (auto const& [type, each] : of_types) {
          if (type < 0 || type >= num_types) {
            throw precondition_error(message("named tensors of ", what, " type ", type, " of a graph of ", num_types,
                                             ' ', what, " types; types count from 0"));
          }
          check_book(*each.features, graph.book(node_type_of(type)), "named tensors of ", what, " type ", type);
        }
      };
      check_each("node", things.nodes, schema.num_node_types(), [](int type) { return type; });
      check_each("edge", things.edges, schema.num_edge_types(),
                 [&](int type) { return schema.destination_type(type); });
    } else {
      if (things.features != nullptr) {
        check_book(*things.features, graph.book(), "features");
        if (things.features->local().num_vertices() != graph.book().size(graph.part())) {
          throw precondition_error("features and graph are of different parts; make both with the same communicator");
        }
      }
      for (auto const& [type, each] : things.nodes) {
        check_book(*each.features, graph.book(), "named tensors");
      }
      for (auto const& [type, each] : things.edges) {
        check_book(*each.features, graph.book(), "named tensors of edges");
      }
    }
    if (!things.edges.empty() && !edge_ids) {
      throw precondition_error("tensors of edges are collected by edge id; set edge_ids in the options of the sampler");
    }
    if (!all_kinds && !(things.edges.empty() && things.nodes.empty())) {
      throw precondition_error("named tensors are collected in the memory where they are stored; "
                               "give the loader their policy");
    }
  }

  [[nodiscard]] auto& matrix() {
    if (!rows_) {
      throw precondition_error("this loader collects no features; give some to what makes its batches");
    }
    return *rows_;
  }
  [[nodiscard]] static auto& of(std::deque<typed_collector>& collectors, int type, char const* what) {
    for (auto& each : collectors) {
      if (each.type == type) {
        return each.collector;
      }
    }
    throw precondition_error(message("this loader collects no named tensors of ", what, " type ", type,
                                     "; give some to what makes its batches"));
  }

  dist::feature_store<StorePolicy, T> const* features_;
  std::optional<dist::feature_collector<Comm, Policy, T, StorePolicy>> rows_;
  std::deque<typed_collector> nodes_; // a deque: elements never move
  std::deque<typed_collector> edges_;
  Policy policy_;
  std::vector<buffer<Policy, global_id>> destinations_; // of the edges of a type, by batch
};

} // namespace glt::detail
