// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.hpp"
#include "whole_graph.hpp"

#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/frequency_partition.hpp>
#include <glt/io/assignment.hpp>
#include <glt/io/manifest.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/partition/assigned.hpp>
#include <glt/partition/balance.hpp>
#include <glt/partition/contiguous.hpp>
#include <glt/partition/fennel.hpp>
#include <glt/partition/hash.hpp>
#include <glt/partition/ldg.hpp>
#include <glt/partition/random.hpp>
#include <glt/sample/hotness.hpp>

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

/// The limits that --balance asks for beside the vertices, which every partitioner shares out.
inline glt::balance_constraints limits_of(options const& chosen, whole_graph const& graph) {
  auto const asked = [&](char const* name) { return std::ranges::count(chosen.balance, name) > 0; };
  glt::balance_constraints limits;
  if (asked("edges")) {
    limits.push_back(glt::balance_edges(graph.view(), chosen.slack));
  }
  if (asked("seeds")) {
    limits.push_back(
        glt::balance_seeds(graph.view().num_rows(), glt::host_view<glt::global_id const>(graph.seeds()), chosen.slack));
  }
  if (asked("types") || graph.num_types() > 1) {
    limits.push_back(
        glt::balance_types(glt::host_view<glt::local_id const>(graph.type_of()), graph.num_types(), chosen.slack));
  }
  return limits;
}

/// How the part of a vertex was found, for the manifest.
inline glt::io::partitioner_note note_of(options const& chosen) {
  glt::io::partitioner_note note{.name = chosen.method, .options = {}, .key = chosen.key};
  bool const streams = chosen.method == "ldg" || chosen.method == "fennel";
  if (streams || chosen.method == "metis" || chosen.method == "frequency") {
    note.options.emplace_back("slack", glt::detail::message(chosen.slack));
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

/// Assigns the vertices of a graph in memory.
inline assignment assign(options const& chosen, whole_graph const& graph) {
  auto const& method = chosen.method;
  auto const parts = chosen.parts;
  if (method == "contiguous") {
    return glt::contiguous_partitioner{}(graph.view(), parts);
  }
  if (method == "random") {
    return glt::random_partitioner{.seed = chosen.key}(graph.view(), parts);
  }
  if (method == "hash") {
    return glt::hash_partitioner{.seed = chosen.key}(graph.view(), parts);
  }
  if (method == "file") {
    auto const given = glt::io::read_assignment(chosen.assignment);
    return glt::assigned_partitioner{.parts = given.view()}(graph.view(), parts);
  }
  auto limits = limits_of(chosen, graph);
  if (method == "ldg") {
    return make_ldg(chosen, std::move(limits))(graph.view(), parts);
  }
  if (method == "fennel") {
    return make_fennel(chosen, std::move(limits))(graph.view(), parts);
  }
  if (method == "frequency") {
    if (graph.seeds().empty()) {
      throw glt::precondition_error(
          "--method frequency of a data set without training vertices; use ldg, or add a split");
    }
    auto const deal = make_ldg(chosen);
    return glt::dist::frequency_partitioner<glt::ldg_partitioner>{.seeds = graph.seeds(),
                                                                  .hotness = hotness_of(chosen),
                                                                  .capacity_slack = chosen.slack,
                                                                  .balance = std::move(limits),
                                                                  .deal = deal,
                                                                  .policy = cpu(chosen.threads)}(graph.view(), parts);
  }
#if GLT_PARTITION_METIS
  return glt::metis_partitioner{.seed = chosen.key, .capacity_slack = chosen.slack, .balance = std::move(limits)}(
      graph.view(), parts);
#else
  throw glt::precondition_error("--method metis: this glt-partition was built without METIS; use ldg or fennel");
#endif
}

} // namespace glt_partition
