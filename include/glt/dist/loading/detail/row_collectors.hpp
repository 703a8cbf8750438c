// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/failure.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/collect/collected_rows.hpp>
#include <glt/dist/collect/collected_table.hpp>
#include <glt/dist/collect/detail/bulk_list.hpp>
#include <glt/dist/collect/detail/sampled_destinations.hpp>
#include <glt/dist/collect/feature_collector.hpp>
#include <glt/dist/collect/named_collector.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/dist/hotness/named_hot_rows.hpp>
#include <glt/dist/loading/detail/batch_rows.hpp>
#include <glt/dist/named_features.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Requested named tensors of vertices or edges; borrowed, null if not requested.
template <device_policy Policy>
struct wanted_tensors {
  dist::named_features<Policy> const* features = nullptr;
  std::vector<dist::tensor_request> wanted{};
};

/// Stores whose rows are collected for the vertices and edges of a batch; borrowed, null if not requested.
template <device_policy Policy, bytes_copyable T>
struct collected_things {
  dist::feature_store<Policy, T> const* features = nullptr;
  wanted_tensors<Policy> tensors{};
  wanted_tensors<Policy> edge_tensors{};
};

inline constexpr char const* other_things = "collects other things than rank 0; ask for the same features and "
                                            "named tensors on all ranks";

/// Returns true if views are of rows of edges.
template <memory_space Space>
[[nodiscard]] bool are_of_edges(node_views<table_view<Space>> const& views) {
  return std::ranges::any_of(views.of_rank, [](auto const& view) { return view && view->of_edges; });
}

/// One batch in a call of `collect`.
template <device_policy Policy, bytes_copyable T, class Subgraph>
struct rows_of_batch {
  Subgraph const* subgraph = nullptr;
  std::int64_t num_seeds = 0; ///< distinct seeds
  batch_rows<Policy, T>* out = nullptr;
};

/// The collectors of batches of vertices and edges.
template <communicator Comm, device_policy Policy, bytes_copyable T, device_policy StorePolicy>
class row_collectors {
  // Named tensors are collected where they are stored.
  static constexpr bool all_kinds = std::same_as<Policy, StorePolicy>;

public:
  template <class Subgraph>
  using request = rows_of_batch<Policy, T, std::remove_cvref_t<Subgraph>>;

  /// @comm   collective; one header exchange, and the exchanges of `named_collector`
  /// @throws collective_error  on every rank, if a store and the graph are of different partitions, or ranks collect
  ///                           different things
  template <class Graph>
  row_collectors(Comm comm, collected_things<StorePolicy, T> const& things, Graph const& graph, bool edge_ids,
                 Policy policy)
      : features_(things.features), policy_(policy) {
    fingerprint kinds;
    kinds.add(things.features != nullptr).add(things.tensors.features != nullptr);
    kinds.add(things.edge_tensors.features != nullptr);
    agree(host_comm(comm), {.what = operation::make_sampler}, failure_of([&] { check(things, graph, edge_ids); }),
          kinds.value(), [](auto, auto) { return other_things; });
    if (features_ != nullptr) {
      rows_.emplace(comm, *features_, policy);
    }
    if constexpr (all_kinds) {
      for (auto const& [named, collector] :
           {std::pair(&things.tensors, &tensors_), std::pair(&things.edge_tensors, &edge_tensors_)}) {
        if (named->features != nullptr) {
          collector->emplace(comm, *named->features, named->wanted, policy);
        }
      }
    }
  }

  /// Collects the rows of subgraphs, in one sweep of messages per kind of rows. The first vertices of a subgraph are
  /// the distinct seeds.
  ///
  /// @comm   collective; as many batches on all ranks; the exchanges of each collector
  template <class Subgraph>
  void collect(std::span<rows_of_batch<Policy, T, Subgraph> const> batches, std::int64_t step) {
    using vertex = typename Subgraph::vertex_type;
    if (rows_) {
      bool const labels = features_->has_labels();
      std::vector<bulk_list<Policy, vertex, dist::collected_rows<Policy, T>>> lists;
      for (auto const& [subgraph, num_seeds, out] : batches) {
        lists.push_back({.vertices = subgraph->nodes(), .num_seeds = labels ? num_seeds : 0, .out = &out->rows});
        out->num_columns = features_->num_columns();
      }
      rows_->collect_bulk(std::span(std::as_const(lists)), step);
    }
    if constexpr (all_kinds) {
      if (edge_tensors_) {
        collect_edges(batches, step);
      }
      if (tensors_) {
        std::vector<bulk_list<Policy, vertex, dist::collected_table<Policy>>> lists;
        for (auto const& [subgraph, num_seeds, out] : batches) {
          lists.push_back({.vertices = subgraph->nodes(), .num_seeds = num_seeds, .out = &out->tensors});
        }
        tensors_->collect_bulk(std::span(std::as_const(lists)), step);
      }
    }
  }

  /// Returns the times of all collectors.
  [[nodiscard]] collector_seconds seconds() const noexcept {
    collector_seconds sum;
    sum += rows_ ? rows_->seconds() : collector_seconds();
    sum += tensors_ ? tensors_->seconds() : collector_seconds();
    return sum += edge_tensors_ ? edge_tensors_->seconds() : collector_seconds();
  }
  /// Counts the rows of vertices by their origin.
  [[nodiscard]] collected_counts counts() const noexcept {
    auto sum = rows_ ? rows_->counts() : collected_counts();
    return sum += tensors_ ? tensors_->counts() : collected_counts();
  }
  /// Returns why rows of vertices are not read in place; empty if all are.
  [[nodiscard]] std::string why_not_in_place() const {
    auto const why = rows_ ? rows_->why_not_in_place() : std::string();
    return why.empty() && tensors_ ? tensors_->why_not_in_place() : why;
  }

  void read_in_place(node_views<feature_view<StorePolicy::space, T>> const& views) {
    of(rows_, "features").read_in_place(views);
  }
  void read_in_place(node_views<table_view<Policy::space>> const& views) {
    (are_of_edges(views) ? of(edge_tensors_, "named tensors of edges") : of(tensors_, "named tensors"))
        .read_in_place(views);
  }
  template <class Rows>
  void use(Rows const& rows)
    requires requires(dist::feature_collector<Comm, Policy, T, StorePolicy>& of) { of.use(rows); }
  {
    of(rows_, "features").use(rows);
  }
  void use(dist::named_hot_rows<Policy> const& hot) { of(tensors_, "named tensors").use(hot); }

private:
  template <class Graph>
  static void check(collected_things<StorePolicy, T> const& things, Graph const& graph, bool edge_ids) {
    auto const check_book = [&](auto const* rows, char const* what) {
      if (rows != nullptr && !rows->book().matches(graph.book())) {
        throw precondition_error(message(what, " and graph have different partition books; load both from one "
                                               "partition"));
      }
    };
    check_book(things.features, "features");
    check_book(things.tensors.features, "named tensors");
    check_book(things.edge_tensors.features, "named tensors of edges");
    if (things.features != nullptr && things.features->local().num_vertices() != graph.book().size(graph.part())) {
      throw precondition_error("features and graph are of different parts; make both with the same communicator");
    }
    bool const of_edges = things.edge_tensors.features != nullptr;
    if (of_edges && !edge_ids) {
      throw precondition_error("tensors of edges are collected by edge id; set edge_ids in the options of the sampler");
    }
    if (!all_kinds && (of_edges || things.tensors.features != nullptr)) {
      throw precondition_error("named tensors are collected in the memory where they are stored; "
                               "give the loader their policy");
    }
  }

  template <class Subgraph>
  void collect_edges(std::span<rows_of_batch<Policy, T, Subgraph> const> batches, std::int64_t step) {
    while (destinations_.size() < batches.size()) {
      destinations_.emplace_back(0, policy_);
    }
    std::vector<bulk_list<Policy, global_id, dist::collected_table<Policy>>> lists;
    for (std::size_t b = 0; b < batches.size(); ++b) {
      auto const& [subgraph, num_seeds, out] = batches[b];
      sampled_destinations(policy_, *subgraph, destinations_[b]);
      auto const destinations = std::as_const(destinations_[b]).view();
      auto const edges = subgraph->edge_ids();
      lists.push_back({.vertices = destinations, .edges = edges, .num_seeds = edges.size(), .out = &out->edge_tensors});
    }
    edge_tensors_->collect_bulk(std::span(std::as_const(lists)), step);
  }

  template <class Collector>
  [[nodiscard]] static Collector& of(std::optional<Collector>& collector, char const* what) {
    if (!collector) {
      throw precondition_error(message("this loader collects no ", what, "; give some to what makes its batches"));
    }
    return *collector;
  }

  dist::feature_store<StorePolicy, T> const* features_;
  std::optional<dist::feature_collector<Comm, Policy, T, StorePolicy>> rows_;
  std::optional<dist::named_collector<Comm, Policy>> tensors_;
  std::optional<dist::named_collector<Comm, Policy>> edge_tensors_;
  Policy policy_;
  std::vector<buffer<Policy, global_id>> destinations_; // of the edges of each batch
};

} // namespace glt::detail
