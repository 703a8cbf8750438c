// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/hetero_sharded_graph.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/sample/subgraph.hpp>
#include <glt/torch/message_graph.hpp>

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

namespace glt::detail {

/// Returns the rows of a block's sources, which come first, from the rows of a node type without in-edges. There may be
/// more rows, because such vertices keep their rows through all layers.
template <memory_space Space>
[[nodiscard]] at::Tensor rows_of_sources(at::Tensor const& rows, block_view<Space> block) {
  return rows.narrow(0, 0, std::min(rows.size(0), block.num_sources));
}
template <class Graph>
[[nodiscard]] at::Tensor rows_of_sources(at::Tensor const& rows, Graph const&) {
  return rows;
}

/// Returns the number of destinations of a graph, or `others` if it does not tell.
template <class Graph>
[[nodiscard]] std::int64_t num_destinations_of(Graph const& graph, std::int64_t others) {
  if constexpr (requires { graph.num_destinations(); }) {
    return graph.num_destinations();
  } else if constexpr (requires { graph.num_destinations; }) {
    return graph.num_destinations;
  } else if constexpr (requires { graph.graph.num_destinations(); }) {
    return graph.graph.num_destinations();
  } else {
    return others;
  }
}

/// Relations of a sharded graph, as a layer takes them.
template <communicator Comm, device_policy Policy>
struct sharded_relations {
  dist::hetero_sharded_graph<Comm, Policy>* graph;
  [[nodiscard]] auto& operator()(int edge_type) const { return graph->relation(edge_type); }
  [[nodiscard]] std::int64_t num_destinations(int type) const { return graph->num_destinations(type); }
};

/// Layer over typed vertices and the relations between them. `relation(e)` of its functions is a `message_graph` of the
/// edges of type e; all relations are over the same ranks.
class hetero_layer : public ::torch::nn::Module {
protected:
  hetero_layer(std::string name, hetero_schema schema) : name_(std::move(name)), schema_(std::move(schema)) {}

  /// Returns the columns of every node type from a number for each type, or one for all.
  ///
  /// @throws precondition_error  if there are others
  [[nodiscard]] std::vector<std::int64_t> columns_of_types(std::vector<std::int64_t> const& in,
                                                           std::int64_t out) const {
    auto const num_types = static_cast<std::size_t>(schema_.num_node_types());
    if (in.size() != 1 && in.size() != num_types) {
      throw precondition_error(message(name_, " with ", in.size(), " widths of the input; pass one for each of the ",
                                       num_types, " node types, or one for all"));
    }
    for (auto const columns : in) {
      check_widths(name_, columns, out);
    }
    return in.size() == 1 ? std::vector<std::int64_t>(num_types, in[0]) : in;
  }

  /// Checks that x has a matrix for each node type, of `in` columns.
  ///
  /// @throws precondition_error  if it has others
  void check_rows(std::vector<at::Tensor> const& x, std::vector<std::int64_t> const& in) const {
    auto const num_types = static_cast<std::size_t>(schema_.num_node_types());
    if (x.size() != num_types) {
      throw precondition_error(
          message(name_, " over ", x.size(), " matrices; pass one for each of the ", num_types, " node types"));
    }
    for (std::size_t t = 0; t < num_types; ++t) {
      check_input(name_, x[t], in[t]);
    }
  }

  /// Returns the relations of a sharded graph.
  ///
  /// @throws precondition_error  if the graph has another schema
  template <communicator Comm, device_policy Policy>
  [[nodiscard]] sharded_relations<Comm, Policy> relations_of(dist::hetero_sharded_graph<Comm, Policy>& graph) const {
    if (!(graph.schema() == schema_)) {
      throw precondition_error(
          message(name_, " was made for other types than this graph has; make the layer with graph.schema()"));
    }
    return sharded_relations<Comm, Policy>{&graph};
  }

  [[nodiscard]] static std::size_t index(int type) { return static_cast<std::size_t>(type); }

  /// Returns the rows of the sources of a relation, whose edges are `graph`.
  template <class Graph>
  [[nodiscard]] at::Tensor sources_of(std::vector<at::Tensor> const& x, int edge_type, Graph const& graph) const {
    auto const type = schema_.source_type(edge_type);
    for (int e = 0; e < schema_.num_edge_types(); ++e) {
      if (schema_.destination_type(e) == type) {
        return x[index(type)];
      }
    }
    return rows_of_sources(x[index(type)], graph);
  }

  /// Returns the rows of the destinations of a relation; all rows of their type if the graph does not tell how many.
  template <class Graph>
  [[nodiscard]] at::Tensor destinations_of(std::vector<at::Tensor> const& x, int edge_type, Graph const& graph) const {
    auto const& rows = x[index(schema_.destination_type(edge_type))];
    return rows_of_destinations(rows, num_destinations_of(graph, rows.size(0)));
  }

  /// Returns the rows of the destinations of a type to which no relation leads; all its rows if relations do not tell.
  template <class RelationOf>
  [[nodiscard]] static at::Tensor rows_alone(RelationOf const& relation, std::vector<at::Tensor> const& x, int type) {
    if constexpr (requires { relation.num_destinations(type); }) {
      return rows_of_destinations(x[index(type)], relation.num_destinations(type));
    } else {
      return x[index(type)];
    }
  }

  /// Maps rows by way of any relation.
  template <class RelationOf>
  [[nodiscard]] at::Tensor map_own(RelationOf const& relation, at::Tensor const& rows, at::Tensor const& weight,
                                   at::Tensor const& bias) const {
    if (schema_.num_edge_types() == 0) {
      return at::linear(rows, weight, bias);
    }
    auto&& graph = relation(0);
    return map_rows_over(graph, rows, weight, bias);
  }

  std::string name_; // in errors
  hetero_schema schema_;
};

/// Shared handle of a layer over typed vertices, like the modules of LibTorch.
template <class Layer>
class hetero_graph_layer : public ::torch::nn::ModuleHolder<Layer> {
public:
  using ::torch::nn::ModuleHolder<Layer>::ModuleHolder;
  using Impl = Layer;
  using options = typename Layer::options_type;

  hetero_graph_layer(hetero_schema schema, options chosen)
      : ::torch::nn::ModuleHolder<Layer>(std::make_shared<Layer>(std::move(schema), std::move(chosen))) {}

  template <class Graph, class... More>
  [[nodiscard]] std::vector<at::Tensor> operator()(std::vector<at::Tensor> const& x, Graph&& graph,
                                                   More const&... more) {
    return (*this)->forward(x, graph, more...);
  }
};

} // namespace glt::detail
