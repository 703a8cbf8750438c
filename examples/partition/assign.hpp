// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"
#include "whole_graph.hpp"

#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/hotness/frequency_partition.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/io/text/detail/assignment.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/multilevel/multilevel_partitioner.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/repair_balance.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>
#include <glt/sample/hotness/hotness.hpp>

#if GLT_PARTITION_METIS
#include <glt/metis/partitioner.hpp>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace glt_partition {

using assignment = glt::buffer<cpu, glt::local_id>;

inline bool asks_balance(options const& chosen, char const* of) {
  return std::ranges::count(chosen.balance, of) > 0;
}

inline glt::ldg_partitioner make_ldg(options const& chosen, glt::balance_constraints balance = {}) {
  return {.seed = chosen.key,
          .capacity_slack = chosen.slack,
          .passes = chosen.passes,
          .order = glt::stream_order::natural,
          .balance = std::move(balance)};
}

inline glt::fennel_partitioner make_fennel(options const& chosen, glt::balance_constraints balance = {}) {
  glt::fennel_partitioner made;
  made.seed = chosen.key;
  made.capacity_slack = chosen.slack;
  made.passes = chosen.passes;
  made.order = glt::stream_order::natural;
  made.balance = std::move(balance);
  return made;
}

#if GLT_PARTITION_METIS
using multilevel = glt::multilevel_partitioner<glt::metis_partitioner>;
#else
using multilevel = glt::multilevel_partitioner<>;
#endif

inline multilevel make_multilevel(options const& chosen, glt::balance_constraints balance) {
  multilevel made;
  made.seed = chosen.key;
  made.capacity_slack = chosen.slack;
  made.balance = std::move(balance);
  return made;
}

/// The limits cut ranges apart; asked for vertices alone, a graph without types needs none.
inline glt::contiguous_partitioner make_contiguous(options const& chosen, glt::balance_constraints limits) {
  if (!limits.empty() && asks_balance(chosen, "vertices")) {
    limits.push_back(glt::balance_limit::vertices(chosen.slack));
  }
  return {.balance = std::move(limits)};
}

/// The limits that --balance asks for beside the vertices, which every partitioner shares out; for a graph whose types
/// are in one numbering. `edges()` makes the limit of the edges.
template <class Edges>
glt::balance_constraints limits_of(options const& chosen, glt::hetero_schema const& schema,
                                   std::vector<glt::global_id> const& seeds, Edges edges) {
  glt::balance_constraints limits;
  if (asks_balance(chosen, "edges")) {
    limits.push_back(edges());
  }
  if (asks_balance(chosen, "seeds")) {
    limits.push_back(glt::balance_limit::seeds(glt::detail::first_vertices(schema).back(),
                                               glt::host_view<glt::global_id const>(seeds), chosen.slack));
  }
  if (asks_balance(chosen, "types") || schema.num_node_types() > 1) {
    limits.push_back(glt::balance_limit::types(schema, chosen.slack));
  }
  return limits;
}

/// Those limits and that of the vertices, all of which the parts must keep in the end.
inline glt::balance_constraints with_vertices(glt::balance_constraints limits, options const& chosen) {
  limits.push_back(glt::balance_limit::vertices(chosen.slack));
  return limits;
}

/// Throws if --method frequency has nothing to go by.
inline void check_has_seeds(std::vector<glt::global_id> const& seeds) {
  if (seeds.empty()) {
    throw glt::precondition_error(
        "--method frequency of a data set without training vertices; use ldg, or add a split");
  }
}

/// How the part of a vertex was found, for the manifest.
inline glt::io::manifest::partitioner_note note_of(options const& chosen) {
  glt::io::manifest::partitioner_note note{.name = chosen.method, .options = {}, .key = chosen.key};
  bool const streams = chosen.method == "ldg" || chosen.method == "fennel";
  if (keeps_balance(chosen.method)) {
    if (chosen.method != "contiguous") {
      note.options.emplace_back("slack", glt::detail::message(chosen.slack));
    }
    std::string balance;
    for (auto const& name : chosen.balance) {
      balance += (balance.empty() ? "" : ",") + name;
    }
    note.options.emplace_back("balance", balance);
  }
  if (streams) {
    note.options.emplace_back("passes", std::to_string(chosen.passes));
  }
  return note;
}

/// The hotness that --fanout stands for.
inline glt::hotness_options hotness_of(options const& chosen) {
  return {.neighbors = {.fanouts = chosen.fanouts}};
}

/// What a partitioner makes of a graph in memory; `limits()` makes those that it shall keep.
template <class Limits>
assignment assign_by_method(options const& chosen, whole_graph const& graph, Limits limits) {
  auto const& method = chosen.method;
  auto const parts = chosen.parts;
  if (method == "contiguous") {
    return make_contiguous(chosen, limits())(graph.view(), parts);
  }
  if (method == "random") {
    return glt::random_partitioner{.seed = chosen.key}(graph.view(), parts);
  }
  if (method == "hash") {
    return glt::hash_partitioner{.seed = chosen.key}(graph.view(), parts);
  }
  if (method == "file") {
    auto const given = glt::io::detail::read_assignment(chosen.assignment);
    return glt::assigned_partitioner{.parts = given.view()}(graph.view(), parts);
  }
  if (method == "ldg") {
    return make_ldg(chosen, limits())(graph.view(), parts);
  }
  if (method == "fennel") {
    return make_fennel(chosen, limits())(graph.view(), parts);
  }
  if (method == "multilevel") {
    return make_multilevel(chosen, limits())(graph.view(), parts);
  }
  if (method == "frequency") {
    check_has_seeds(graph.seeds());
    auto const deal = make_ldg(chosen);
    return glt::dist::frequency_partitioner<glt::ldg_partitioner>{.seeds = graph.seeds(),
                                                                  .hotness = hotness_of(chosen),
                                                                  .capacity_slack = chosen.slack,
                                                                  .balance = limits(),
                                                                  .deal = deal,
                                                                  .policy = cpu(chosen.threads)}(graph.view(), parts);
  }
#if GLT_PARTITION_METIS
  return glt::metis_partitioner{.seed = chosen.key, .capacity_slack = chosen.slack, .balance = limits()}(graph.view(),
                                                                                                         parts);
#else
  throw glt::precondition_error(
      "--method metis: this glt-partition was built without METIS; use multilevel, ldg or fennel");
#endif
}

/// Assigns the vertices of a graph in memory.
inline assignment assign(options const& chosen, whole_graph const& graph) {
  auto const limits = [&] {
    return limits_of(chosen, graph.schema(), graph.seeds(),
                     [&] { return glt::balance_limit::edges(graph.view(), chosen.slack); });
  };
  auto part_of = assign_by_method(chosen, graph, limits);
  return repairs_balance(chosen.method)
             ? glt::repair_balance(graph.view(), std::move(part_of), with_vertices(limits(), chosen), chosen.parts)
             : std::move(part_of);
}

} // namespace glt_partition
