// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/hetero_sharded_graph.hpp>
#include <glt/graph/hetero_schema.hpp>
#include <glt/torch/attend_neighbors.hpp>
#include <glt/torch/detail/hetero_layer.hpp>
#include <glt/torch/message_graph.hpp>
#include <glt/torch/neighbor_attention.hpp>

#include <torch/nn/init.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

namespace glt {

namespace detail {

/// Key and ids that decide which coefficients of a layer over relations are dropped; see `attention_draws`.
///
/// @shape  edge_ids: for each edge type [E], by position in the rows of a sharded graph's part; empty for blocks that
///         have edge ids
struct rgat_conv_draws {
  random_key key{0}; ///< key into which seed, step and layer were folded
  std::vector<at::Tensor> edge_ids = {};
};

/// Widths of an `rgat_conv`, and options of its attention.
struct rgat_conv_options {
  std::vector<std::int64_t> in = {}; ///< columns of the input of each node type, or one number for all
  std::int64_t out = 0;              ///< columns of each head
  std::int64_t heads = 1;
  bool concatenate = true; ///< heads side by side, heads · out columns; else their mean
  double slope = 0.2;      ///< of the leaky ReLU
  double dropout = 0;      ///< share of coefficients that a layer in training drops
};

/// Relational graph attention: y_v = W_t x_v + b_t + Σ over relations e into v's type t of Σ over the in-edges (u, v) of
/// e of α_uv W_e x_u, for each head. The coefficients α are the softmax over the in-edges of v in e of
/// leaky_relu(a_e · W_e x_u + q_e · x_v).
///
/// @source Busbridge et al., "Relational graph attention networks", arXiv:1904.05811, 2019, eqs. 2 to 7 (softmax within
///         relations, additive scores), with a map for vertices themselves as in `rgcn_conv`
class rgat_conv_impl : public hetero_layer {
public:
  using options_type = rgat_conv_options;

  /// @throws precondition_error  if a width or the heads are below 1, widths are fewer or more than node types, or dropout
  ///                             is not in [0, 1)
  rgat_conv_impl(hetero_schema schema, rgat_conv_options options)
      : hetero_layer("rgat_conv", std::move(schema)), options_(std::move(options)),
        in_(columns_of_types(options_.in, options_.out)) {
    if (options_.heads < 1 || !(options_.dropout >= 0 && options_.dropout < 1)) {
      throw precondition_error(message("rgat_conv with ", options_.heads, " heads and a dropout of ", options_.dropout,
                                       "; pass 1 head or more and a share in [0, 1)"));
    }
    auto const all = options_.heads * options_.out;
    auto const make = [&](std::string const& name, int number, at::IntArrayRef shape) {
      auto const weight = register_parameter(name + std::to_string(number), at::empty(shape));
      ::torch::nn::init::xavier_uniform_(weight);
      return weight;
    };
    for (int e = 0; e < schema_.num_edge_types(); ++e) {
      maps_.push_back(make("map", e, {all, in_[index(schema_.source_type(e))]}));
      sources_.push_back(make("source", e, {options_.heads, options_.out}));
      destinations_.push_back(make("destination", e, {options_.heads, in_[index(schema_.destination_type(e))]}));
    }
    auto const columns = options_.concatenate ? all : options_.out;
    for (int t = 0; t < schema_.num_node_types(); ++t) {
      own_.push_back(register_module("own" + std::to_string(t), ::torch::nn::Linear(in_[index(t)], columns)));
    }
  }

  /// Applies the layer; `relation(e)` is an `attention_graph` of the edges of type e: a relation of a sharded graph, or
  /// a block.
  ///
  /// @shape  x: for every node type t [num_sources, in of t], where destinations come first → [num_destinations, heads ·
  ///         out], or out columns for the mean of heads; for a type to which no relation leads, all existing rows
  /// @comm   as `attend_edges`, one relation after the other
  /// @throws precondition_error  if x is not of that shape, or ids are missing that dropout depends on
  /// @cost   O(E · heads · out) and the products, forward and backward; no tensor of E rows is kept
  template <class RelationOf>
  [[nodiscard]] std::vector<at::Tensor> forward(std::vector<at::Tensor> const& x, RelationOf const& relation,
                                                rgat_conv_draws const& draws = {}) {
    check_rows(x, in_);
    std::vector<at::Tensor> y(x.size());
    auto const own = [&](std::size_t type, at::Tensor const& rows) {
      return map_own(relation, rows, own_[type]->weight, own_[type]->bias);
    };
    for (int e = 0; e < schema_.num_edge_types(); ++e) {
      auto&& graph = relation(e);
      auto const values = map_rows_over(graph, sources_of(x, e, graph), maps_[index(e)]);
      auto const destinations = destinations_of(x, e, graph);
      auto const heads =
          attend_neighbors(values, map_rows_over(graph, values, by_head(sources_[index(e)])),
                           map_rows_over(graph, destinations, destinations_[index(e)]), graph,
                           {.heads = options_.heads,
                            .slope = options_.slope,
                            .add_self_loops = false,
                            .dropout = is_training() ? options_.dropout : 0,
                            .draws = {.key = draws.key.fold(static_cast<std::uint64_t>(e)),
                                      .edge_ids = draws.edge_ids.empty() ? at::Tensor() : draws.edge_ids[index(e)]}});
      auto& of_type = y[index(schema_.destination_type(e))];
      if (!of_type.defined()) {
        of_type = own(index(schema_.destination_type(e)), rows_of_destinations(destinations, heads.size(0)));
      }
      of_type =
          of_type + (options_.concatenate ? heads : heads.view({heads.size(0), options_.heads, options_.out}).mean(1));
    }
    for (std::size_t t = 0; t < y.size(); ++t) {
      if (!y[t].defined()) {
        y[t] = own(t, rows_alone(relation, x, static_cast<int>(t)));
      }
    }
    return y;
  }

  /// Applies the layer to a whole graph.
  ///
  /// @throws precondition_error  also if the graph has another schema
  template <communicator Comm, device_policy Policy>
  [[nodiscard]] std::vector<at::Tensor> forward(std::vector<at::Tensor> const& x,
                                                dist::hetero_sharded_graph<Comm, Policy>& graph,
                                                rgat_conv_draws const& draws = {}) {
    return forward(x, relations_of(graph), draws);
  }

private:
  rgat_conv_options options_;
  std::vector<std::int64_t> in_;
  std::vector<at::Tensor> maps_;         // by edge type [heads · out, in of the source type]
  std::vector<at::Tensor> sources_;      // [heads, out]
  std::vector<at::Tensor> destinations_; // [heads, in of the destination type]
  std::vector<::torch::nn::Linear> own_; // by node type
};

} // namespace detail

/// Shared handle of an `rgat_conv_impl`, like the modules of LibTorch:
///
///     glt::rgat_conv layer(graph.schema(), {.in = {334, 4231}, .out = 8, .heads = 8});
///     auto const y = layer(x, sharded);                                     // the whole graph, or
///     auto const z = layer(x, [&](int e) { return subgraph.block(e, 0); }); // blocks of a batch
///
/// Options: `in`, columns of the input of each node type, or one number for all; `out`, columns of each head; `heads`, 1
/// by default; `concatenate` heads (else their mean), true; `slope` of the leaky ReLU, 0.2; `dropout`, the share of
/// coefficients, 0, with a key and ids as third argument.
///
/// Concurrent calls: as for a module of LibTorch: `forward` may run concurrently while parameters are not written.
class rgat_conv : public detail::hetero_graph_layer<detail::rgat_conv_impl> {
public:
  using draws = detail::rgat_conv_draws;
  using hetero_graph_layer::hetero_graph_layer;
};

namespace detail {

/// Widths of an `hgt_conv`.
struct hgt_conv_options {
  std::vector<std::int64_t> in = {}; ///< columns of the input of each node type, or one number for all
  std::int64_t out = 0;              ///< columns of the output, a multiple of the heads
  std::int64_t heads = 1;
};

/// Heterogeneous graph transformer: y_v = g_t (A_t gelu(h_v) + a_t) + (1 − g_t) x_v for v of type t, where g_t is the
/// sigmoid of a parameter. If in and out differ for t, y_v = A_t gelu(h_v) + a_t.
///
/// For each head, h_v = Σ over the in-edges (u, v) of all relations e of α_uv M_e (V x_u + b), and the coefficients α are
/// the softmax, over all these edges, of μ_e (B_e (K x_u + c)) · (Q x_v + d) / √(out / heads). Maps K, V and Q belong to
/// the types of vertices, M_e, B_e and the number μ_e to a relation and a head.
///
/// @source Hu et al., "Heterogeneous graph transformer", WWW 2020, eqs. 3 to 5; the gate as in the authors' program
class hgt_conv_impl : public hetero_layer {
public:
  using options_type = hgt_conv_options;

  /// @throws precondition_error  if a width or the heads are below 1, widths are fewer or more than node types, or heads do
  ///                             not divide the output
  hgt_conv_impl(hetero_schema schema, hgt_conv_options options)
      : hetero_layer("hgt_conv", std::move(schema)), options_(std::move(options)),
        in_(columns_of_types(options_.in, options_.out)) {
    auto const& [_, out, heads] = options_;
    if (heads < 1 || out % heads != 0) {
      throw precondition_error(message("hgt_conv of ", out, " columns in ", heads, " heads; pass a divisor of them"));
    }
    for (int t = 0; t < schema_.num_node_types(); ++t) {
      auto const make = [&](std::string const& name, std::int64_t in) {
        return register_module(name + std::to_string(t), ::torch::nn::Linear(in, out));
      };
      auto const in = in_[index(t)];
      types_.push_back({make("key", in), make("value", in), make("query", in), make("result", out), {}});
      if (in == out) {
        types_.back().gate = register_parameter("gate" + std::to_string(t), at::ones({1}));
      }
    }
    std::int64_t const relations = schema_.num_edge_types();
    key_maps_ = register_parameter("key_maps", at::empty({relations, heads, out / heads, out / heads}));
    value_maps_ = register_parameter("value_maps", at::empty_like(key_maps_));
    for (std::int64_t e = 0; e < relations; ++e) {
      for (std::int64_t head = 0; head < heads; ++head) {
        ::torch::nn::init::xavier_uniform_(key_maps_[e][head]);
        ::torch::nn::init::xavier_uniform_(value_maps_[e][head]);
      }
    }
    priors_ = register_parameter("priors", at::ones({relations, heads}));
  }

  /// Applies the layer; `relation(e)` is a graph of the edges of type e that has `attend_edges`: a relation of a sharded
  /// graph, or a block.
  ///
  /// A relation's maps are multiplied with the maps of its source type, so its keys and values are each one product of x.
  ///
  /// @shape  x: for every node type t [num_sources, in of t], where destinations come first → [num_destinations, out];
  ///         for a type to which no relation leads, all existing rows, whose h is 0
  /// @comm   as `attend_edges`, one relation after the other
  /// @throws precondition_error  if x is not of that shape
  /// @cost   O(E · out) and the products, forward and backward; no tensor of E rows is kept
  template <class RelationOf>
  [[nodiscard]] std::vector<at::Tensor> forward(std::vector<at::Tensor> const& x, RelationOf const& relation) {
    check_rows(x, in_);
    std::vector<at::Tensor> own(x); // rows of destinations
    std::vector<at::Tensor> queries(x.size());
    std::vector<std::vector<neighbor_attention::result>> parts(x.size()); // by destination type
    for (int e = 0; e < schema_.num_edge_types(); ++e) {
      auto&& graph = relation(e);
      auto const from = index(schema_.source_type(e));
      auto const to = index(schema_.destination_type(e));
      auto const rows = sources_of(x, e, graph);
      if (!queries[to].defined()) {
        auto const& query = types_[to].query;
        queries[to] = map_rows_over(graph, destinations_of(x, e, graph), query->weight, query->bias);
      }
      auto const scaled = key_maps_[e] * priors_[e].view({-1, 1, 1});
      auto const keys = map_rows_over(graph, rows, joined(scaled, types_[from].key->weight),
                                      joined(scaled, types_[from].key->bias.unsqueeze(1)).squeeze(1));
      auto const values = map_rows_over(graph, rows, joined(value_maps_[e], types_[from].value->weight),
                                        joined(value_maps_[e], types_[from].value->bias.unsqueeze(1)).squeeze(1));
      parts[to].push_back(
          attend_edges(values, keys, queries[to], graph,
                       {.heads = options_.heads, .score = attention_score::dot_product, .add_self_loops = false}));
      own[to] = rows_of_destinations(x[to], parts[to].back().averages.size(0));
    }
    std::vector<at::Tensor> y;
    for (std::size_t t = 0; t < x.size(); ++t) {
      if (parts[t].empty()) {
        own[t] = rows_alone(relation, x, static_cast<int>(t));
      }
      auto const messages = parts[t].empty()
                                ? at::zeros({own[t].size(0), options_.out}, own[t].options().requires_grad(false))
                                : at::gelu(neighbor_attention::join(parts[t]));
      y.push_back(map_own(relation, messages, types_[t].result->weight, types_[t].result->bias));
      if (types_[t].gate.defined()) {
        y[t] = at::lerp(own[t], y[t], types_[t].gate.sigmoid());
      }
    }
    return y;
  }

  /// Applies the layer to a whole graph.
  ///
  /// @throws precondition_error  also if the graph has another schema
  template <communicator Comm, device_policy Policy>
  [[nodiscard]] std::vector<at::Tensor> forward(std::vector<at::Tensor> const& x,
                                                dist::hetero_sharded_graph<Comm, Policy>& graph) {
    return forward(x, relations_of(graph));
  }

private:
  struct maps_of_type {
    ::torch::nn::Linear key;
    ::torch::nn::Linear value;
    ::torch::nn::Linear query;
    ::torch::nn::Linear result;
    at::Tensor gate; // undefined if input and output have different columns
  };

  // Returns the product of a map for each head [heads, d, d] with one to all heads [heads · d, n].
  [[nodiscard]] static at::Tensor joined(at::Tensor const& by_head, at::Tensor const& to_heads) {
    return by_head.matmul(to_heads.view({by_head.size(0), by_head.size(1), -1})).view_as(to_heads);
  }

  hgt_conv_options options_;
  std::vector<std::int64_t> in_;
  std::vector<maps_of_type> types_;
  at::Tensor key_maps_;   // [relations, heads, d, d]
  at::Tensor value_maps_; // [relations, heads, d, d]
  at::Tensor priors_;     // [relations, heads]
};

} // namespace detail

/// Shared handle of an `hgt_conv_impl`, like the modules of LibTorch:
///
///     glt::hgt_conv layer(graph.schema(), {.in = {64}, .out = 64, .heads = 8});
///     auto const y = layer(x, sharded);                                     // the whole graph, or
///     auto const z = layer(x, [&](int e) { return subgraph.block(e, 0); }); // blocks of a batch
///
/// Options: `in`, columns of the input of each node type, or one number for all; `out`, columns of the output; `heads`, 1
/// by default.
///
/// Concurrent calls: as for a module of LibTorch: `forward` may run concurrently while parameters are not written.
class hgt_conv : public detail::hetero_graph_layer<detail::hgt_conv_impl> {
public:
  using hetero_graph_layer::hetero_graph_layer;
};

} // namespace glt
