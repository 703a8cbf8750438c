// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/hetero_sharded_graph.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/memory/policy.hpp>
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/detail/graph_layer.hpp>
#include <glt/torch/message_graph.hpp>

#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace glt {

/// Widths of an `rgcn_conv`.
struct rgcn_conv_options {
  std::int64_t in = 0;        ///< columns of the input, of every node type
  std::int64_t out = 0;       ///< columns of the output
  std::int64_t num_bases = 0; ///< maps of which those of all relations are combined; 0: every relation has its own
};

namespace detail {

/// Relational graph convolution: y_v = W_self x_v + b + Σ over relations e into v's type of W_e · mean over the in-edges
/// (u, v) of e of x_u, where W_e = Σ_b a_eb V_b if there are bases.
///
/// @source Schlichtkrull et al., "Modeling relational data with graph convolutional networks", ESWC 2018, eqs. 2 and 3
class rgcn_conv_impl : public ::torch::nn::Module {
public:
  /// @throws precondition_error  if a width is below 1 or the number of bases below 0
  rgcn_conv_impl(hetero_schema schema, rgcn_conv_options options) : schema_(std::move(schema)), options_(options) {
    check_widths("rgcn_conv", options.in, options.out);
    if (options.num_bases < 0) {
      throw precondition_error(message("rgcn_conv of ", options.num_bases, " bases; ask for 1 or more, or 0 for none"));
    }
    auto const num_relations = std::int64_t{schema_.num_edge_types()};
    auto const num_maps = options.num_bases > 0 ? options.num_bases : num_relations;
    maps_ = register_parameter("maps", make_maps({num_maps, options.in, options.out}));
    if (options.num_bases > 0) {
      shares_ = register_parameter("shares", make_maps({num_relations, options.num_bases}));
    }
    self_ = register_parameter("self", make_maps({options.in, options.out}));
    bias_ = register_parameter("bias", at::zeros({options.out}));
  }

  /// `relation(e)` is a `message_graph` of the edges of type e: a relation of a sharded graph, or a block.
  ///
  /// @shape  x: of every node type [num_sources, in], where destinations come first → [num_destinations, out]; of a
  ///         type to which no relation leads, [num_sources, out]
  /// @comm   that of `aggregate_neighbors` for one relation after the other
  /// @throws precondition_error  if x is not of that shape
  template <class RelationOf>
  [[nodiscard]] std::vector<at::Tensor> forward(std::vector<at::Tensor> const& x, RelationOf const& relation) {
    auto const num_types = static_cast<std::size_t>(schema_.num_node_types());
    if (x.size() != num_types) {
      throw precondition_error(message("rgcn_conv over ", x.size(), " matrices; pass one for each of the ", num_types,
                                       " node types"));
    }
    for (auto const& rows : x) {
      check_input("rgcn_conv", rows, options_.in);
    }
    std::vector<at::Tensor> y(num_types);
    for (int e = 0; e < schema_.num_edge_types(); ++e) {
      auto const& rows = x[static_cast<std::size_t>(schema_.source_type(e))];
      auto& sum = y[static_cast<std::size_t>(schema_.destination_type(e))];
      auto&& graph = relation(e);
      bool const first = maps_first(rows, graph, options_.in, options_.out);
      auto const map = map_of(e);
      auto const mean = aggregate_neighbors(first ? rows.mm(map) : rows, graph, dist::aggregator::mean);
      auto const brought = first ? mean : mean.mm(map);
      sum = sum.defined() ? sum + brought : brought;
    }
    for (std::size_t t = 0; t < num_types; ++t) {
      auto const own = y[t].defined() ? x[t].narrow(0, 0, y[t].size(0)) : x[t];
      auto const kept = own.mm(self_) + bias_;
      y[t] = y[t].defined() ? y[t] + kept : kept;
    }
    return y;
  }

  template <communicator Comm, device_policy Policy>
  [[nodiscard]] std::vector<at::Tensor> forward(std::vector<at::Tensor> const& x,
                                                dist::hetero_sharded_graph<Comm, Policy>& graph) {
    return forward(x, [&](int e) -> auto& { return graph.relation(e); });
  }

private:
  [[nodiscard]] static at::Tensor make_maps(std::vector<std::int64_t> const& shape) {
    auto maps = at::empty(shape);
    ::torch::nn::init::xavier_uniform_(maps);
    return maps;
  }

  [[nodiscard]] at::Tensor map_of(int edge_type) const {
    if (!shares_.defined()) {
      return maps_.select(0, edge_type);
    }
    return (shares_.select(0, edge_type).view({-1, 1, 1}) * maps_).sum(0);
  }

  hetero_schema schema_;
  rgcn_conv_options options_;
  at::Tensor maps_;   // [num_bases or relations, in, out]
  at::Tensor shares_; // [relations, num_bases], or undefined
  at::Tensor self_;   // [in, out]
  at::Tensor bias_;   // [out]
};

} // namespace detail

/// Shared handle of an `rgcn_conv_impl`, like the modules of LibTorch:
///
///     glt::rgcn_conv layer(graph.schema(), {.in = 64, .out = 64, .num_bases = 8});
///     auto const y = layer(x, sharded);                                          // the whole graph, or
///     auto const z = layer(x, [&](int e) { return subgraph.block(e, 0); });     // blocks of a batch
///
/// Concurrent calls: as of a module of LibTorch: `forward` may run concurrently while parameters are not written.
class rgcn_conv : public ::torch::nn::ModuleHolder<detail::rgcn_conv_impl> {
public:
  using ::torch::nn::ModuleHolder<detail::rgcn_conv_impl>::ModuleHolder;
  using Impl = detail::rgcn_conv_impl;

  rgcn_conv(hetero_schema schema, rgcn_conv_options options)
      : ModuleHolder(std::make_shared<detail::rgcn_conv_impl>(std::move(schema), options)) {}

  template <class Graph>
  [[nodiscard]] std::vector<at::Tensor> operator()(std::vector<at::Tensor> const& x, Graph&& graph) {
    return (*this)->forward(x, graph);
  }
};

} // namespace glt
