// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/batch.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Kind of batches that a recipe makes by its options, such as `neighbor_options`. A kind has a base below. It replaces
/// members that differ, and adds `seeding_type<Comm, Policy, GraphPolicy, Vertex, Rule>`, a class that checks seeds and
/// samples for batches of them. `around_edges` marks seed edges, `along_types` a list of edge types in place of rules;
/// `usual_options()` exists where options can be left out.
template <class Options>
struct expansion;

template <class Options>
concept options_of_recipe = requires { sizeof(expansion<Options>); };

// Outside of recipes, since compilers check constraints of constructors outside, too.
template <class Options>
concept expands_types = expansion<Options>::has_types;
template <class Options>
concept collects_rows = expansion<Options>::has_rows;
template <class Options>
concept around_edges = requires { typename expansion<Options>::around_edges; };
template <class Options>
concept along_types = requires { typename expansion<Options>::along_types; };

struct batches_with_these_options_are_of_graphs_without_types;

/// Graph with types of vertices and edges.
template <class Graph>
concept has_schema = requires(Graph const& graph) { graph.schema(); };

/// Part of a recipe that has nothing to say.
struct nothing {};

/// Base of the kinds in a graph without types, around vertices.
struct plain_expansion {
  template <class Vertex>
  using seeds_type = dist::vertex_seeds<Vertex>;
  template <class Policy, class Vertex, class T>
  using batch_type = dist::batch<Policy, Vertex, T>;
  template <class Policy, class Vertex>
  using graph_type = dist::graph<Policy, Vertex>;
  template <class Rule>
  using rules_type = Rule;
  template <memory_space>
  using ends_type = nothing;
  static constexpr bool has_types = false;
  static constexpr bool has_rows = true;
  static constexpr bool on_any_policy = false; // else on the graph's policy only

  [[nodiscard]] static auto const& graph_of(auto const& data) { return data.graph(); }
  template <class Rule>
  [[nodiscard]] static Rule usual_rules(auto const&) {
    return {};
  }
  [[nodiscard]] static bool edge_ids(auto const& options) noexcept {
    if constexpr (requires { options.neighbors; }) {
      return options.neighbors.edge_ids;
    } else {
      return options.edge_ids;
    }
  }
};

/// Base of the kinds in a graph with types, which have seeds and batches of their own.
struct typed_expansion : plain_expansion {
  template <class Policy, class Vertex>
  using graph_type = dist::hetero_graph<Policy, Vertex>;
  template <class Rule>
  using rules_type = std::vector<Rule>; // [edge types]
  static constexpr bool has_types = true;

  [[nodiscard]] static auto const& graph_of(auto const& data) { return data.hetero_graph(); }
  template <class Rule>
  [[nodiscard]] static std::vector<Rule> usual_rules(auto const& graph) {
    return std::vector<Rule>(graph.schema().edge_types().size());
  }
};

/// Takes the place of collectors for batches without rows.
struct no_rows {
  explicit no_rows(auto const&...) noexcept {}
};

} // namespace glt::detail
