// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/attend_neighbors.hpp>
#include <glt/torch/message_graph.hpp>
#include <glt/torch/neighbor_attention.hpp>

#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

namespace glt {

namespace detail {

/// Widths of a `sage_conv`, and its aggregator.
struct sage_conv_options {
  std::int64_t in = 0;  ///< columns of the input
  std::int64_t out = 0; ///< columns of the output
  dist::aggregator how = dist::aggregator::mean;
};

/// GraphSAGE layer: y_v = W_self x_v + W_neighbor · aggregate over in-edges (u, v) of x_u + b.
///
/// @source Hamilton et al., "Inductive representation learning on large graphs", NeurIPS 2017, Alg. 1
class sage_conv_impl : public ::torch::nn::Module {
public:
  using options_type = sage_conv_options;

  /// @throws precondition_error  if a width is below 1
  explicit sage_conv_impl(sage_conv_options options) : options_(options) {
    check_widths("sage_conv", options.in, options.out);
    self_ = register_module("self", ::torch::nn::Linear(options.in, options.out));
    neighbor_ = register_module("neighbor",
                                ::torch::nn::Linear(::torch::nn::LinearOptions(options.in, options.out).bias(false)));
  }

  /// Applies the layer; see `aggregate_neighbors` for the lifetime of the graph and the duties of ranks.
  ///
  /// @shape  x [num_sources, in] → [num_destinations, out] · degrees [num_sources], of the whole graph, or undefined:
  ///         with them a sum over sampled edges estimates the sum over all edges
  /// @throws precondition_error  if x is not of that shape
  template <message_graph Graph>
  [[nodiscard]] at::Tensor forward(at::Tensor const& x, Graph& graph, at::Tensor const& degrees = {}) {
    check_input("sage_conv", x, options_.in);
    bool const first = !is_extreme(options_.how) && maps_first(x, graph, options_.in, options_.out);
    auto const [gathered, rows] =
        gather_neighborhoods(first ? map_rows_over(graph, x, neighbor_->weight) : x, graph, options_.how, degrees);
    auto const own = first ? rows_of_destinations(x, gathered.size(0)) : rows;
    return add_mapped_rows(graph, map_rows_over(graph, own, self_->weight, self_->bias), gathered,
                           first ? at::Tensor() : neighbor_->weight);
  }

private:
  sage_conv_options options_;
  ::torch::nn::Linear self_{nullptr};
  ::torch::nn::Linear neighbor_{nullptr};
};

} // namespace detail

/// Shared handle of a `sage_conv_impl`, like the modules of LibTorch:
///
///     glt::sage_conv layer({.in = 256, .out = 64});
///     auto const y = layer(x, block); // or a sharded graph
///
/// Options: `in` and `out`, columns of the input and of the output; `how`, the aggregator, `mean` by default.
///
/// Concurrent calls: as for a module of LibTorch: `forward` may run concurrently while parameters are not written.
class sage_conv : public detail::graph_layer<detail::sage_conv_impl> {
public:
  using graph_layer::graph_layer;
};

namespace detail {

/// Widths of a `gcn_conv`.
struct gcn_conv_options {
  std::int64_t in = 0;        ///< columns of the input
  std::int64_t out = 0;       ///< columns of the output
  bool add_self_loops = true; ///< one more edge from every vertex to itself, beside the edges of the graph
};

/// Graph convolution: y_v = W Σ over in-edges (u, v) of x_u / √(d_u d_v) + b, where d is the in-degree, with
/// self-loops. On a symmetric graph this is D^−½ A D^−½ x W + b. A source without in-edges, not even a self-loop,
/// counts 0.
///
/// Rows are scaled before and after the aggregation, so that edges need no weights.
///
/// @source Kipf and Welling, "Semi-supervised classification with graph convolutional networks", ICLR 2017, eq. 2
class gcn_conv_impl : public ::torch::nn::Module {
public:
  using options_type = gcn_conv_options;

  /// @throws precondition_error  if a width is below 1
  explicit gcn_conv_impl(gcn_conv_options options) : options_(options) {
    check_widths("gcn_conv", options.in, options.out);
    linear_ =
        register_module("linear", ::torch::nn::Linear(::torch::nn::LinearOptions(options.in, options.out).bias(false)));
    bias_ = register_parameter("bias", at::zeros({options.out}));
  }

  /// Applies the layer; see `aggregate_neighbors` for the lifetime of the graph and the duties of ranks.
  ///
  /// Over sampled edges, the result is an unbiased estimate of the result over all edges. It is equal if all edges were
  /// taken.
  ///
  /// @shape  x [num_sources, in] → [num_destinations, out] · degrees [num_sources], in-degrees in the whole graph,
  ///         without added self-loops; not needed for a sharded graph
  /// @throws precondition_error  if x is not of that shape, or neither argument nor graph has degrees
  template <message_graph Graph>
  [[nodiscard]] at::Tensor forward(at::Tensor const& x, Graph& graph, at::Tensor const& degrees = {}) {
    check_input("gcn_conv", x, options_.in);
    auto known = degrees.defined() ? degrees : source_degrees(graph);
    if (!known.defined()) {
      throw precondition_error("gcn_conv over a graph that does not know the in-degrees of its sources; pass them");
    }
    check_degrees(known, x);
    known = known.to(x.scalar_type());
    auto const scale = scales(known);
    bool const first = maps_first(x, graph, options_.in, options_.out);
    auto const rows = (first ? map_rows_over(graph, x, linear_->weight) : x) * scale;
    auto const [neighbors, own] = gather_neighborhoods(rows, graph, dist::aggregator::sum, known);
    auto const sum = options_.add_self_loops ? neighbors + own : neighbors;
    auto const y = sum * scale.narrow(0, 0, sum.size(0));
    return map_rows_over(graph, y, first ? at::Tensor() : linear_->weight, bias_);
  }

private:
  // Returns d^−½ of every source, as a column.
  [[nodiscard]] at::Tensor scales(at::Tensor const& degrees) const {
    if (options_.add_self_loops) {
      return (degrees + 1).rsqrt().unsqueeze(1);
    }
    return at::where(degrees > 0, degrees.rsqrt(), at::zeros_like(degrees)).unsqueeze(1);
  }

  gcn_conv_options options_;
  ::torch::nn::Linear linear_{nullptr};
  at::Tensor bias_;
};

} // namespace detail

/// Shared handle of a `gcn_conv_impl`, like the modules of LibTorch:
///
///     glt::gcn_conv layer({.in = 256, .out = 64});
///     auto const y = layer(x, sharded);           // or layer(x, block, degrees)
///
/// Options: `in` and `out`, columns of the input and of the output; `add_self_loops`, true by default.
///
/// Concurrent calls: as for a module of LibTorch: `forward` may run concurrently while parameters are not written.
class gcn_conv : public detail::graph_layer<detail::gcn_conv_impl> {
public:
  using graph_layer::graph_layer;
};

namespace detail {

/// Widths of a `gin_conv`.
struct gin_conv_options {
  std::int64_t in = 0;        ///< columns of the input
  std::int64_t out = 0;       ///< columns of the output, and between the two linear maps
  double epsilon = 0;         ///< first value
  bool learn_epsilon = false; ///< trains epsilon; else it stays
};

/// Graph isomorphism layer: y_v = W₂ relu(W₁ ((1 + ε) x_v + Σ over in-edges (u, v) of x_u) + b₁) + b₂.
///
/// @source Xu et al., "How powerful are graph neural networks?", ICLR 2019, eq. 4.1
class gin_conv_impl : public ::torch::nn::Module {
public:
  using options_type = gin_conv_options;

  /// @throws precondition_error  if a width is below 1
  explicit gin_conv_impl(gin_conv_options options) : options_(options) {
    check_widths("gin_conv", options.in, options.out);
    first_ =
        register_module("first", ::torch::nn::Linear(::torch::nn::LinearOptions(options.in, options.out).bias(false)));
    bias_ = register_parameter("bias", at::zeros({options.out}));
    second_ = register_module("second", ::torch::nn::Linear(options.out, options.out));
    auto const epsilon = at::full({1}, options.epsilon);
    epsilon_ = options.learn_epsilon ? register_parameter("epsilon", epsilon) : register_buffer("epsilon", epsilon);
  }

  /// Applies the layer; see `aggregate_neighbors` for the lifetime of the graph and the duties of ranks.
  ///
  /// @shape  x [num_sources, in] → [num_destinations, out] · degrees [num_sources], of the whole graph, or undefined:
  ///         with them the sum over sampled edges estimates the sum over all edges
  /// @throws precondition_error  if x is not of that shape
  template <message_graph Graph>
  [[nodiscard]] at::Tensor forward(at::Tensor const& x, Graph& graph, at::Tensor const& degrees = {}) {
    check_input("gin_conv", x, options_.in);
    bool const before = maps_first(x, graph, options_.in, options_.out);
    auto const rows = before ? map_rows_over(graph, x, first_->weight) : x;
    auto const [gathered, own] = gather_neighborhoods(rows, graph, dist::aggregator::sum, degrees);
    auto const more = options_.learn_epsilon // trained as a map of single elements
                          ? map_rows_over(graph, own.reshape({-1, 1}), epsilon_.view({1, 1})).view_as(own)
                          : epsilon_ * own;
    auto const hidden = map_rows_over(graph, own + more + gathered, before ? at::Tensor() : first_->weight, bias_);
    return map_rows_over(graph, hidden.relu_(), second_->weight, second_->bias);
  }

private:
  gin_conv_options options_;
  ::torch::nn::Linear first_{nullptr};
  ::torch::nn::Linear second_{nullptr};
  at::Tensor bias_;
  at::Tensor epsilon_;
};

} // namespace detail

/// Shared handle of a `gin_conv_impl`, like the modules of LibTorch:
///
///     glt::gin_conv layer({.in = 256, .out = 64, .learn_epsilon = true});
///     auto const y = layer(x, block); // or a sharded graph
///
/// Options: `in` and `out`, columns of the input and of the output; the first `epsilon`, 0 by default; `learn_epsilon`,
/// false.
///
/// Concurrent calls: as for a module of LibTorch: `forward` may run concurrently while parameters are not written.
class gin_conv : public detail::graph_layer<detail::gin_conv_impl> {
public:
  using graph_layer::graph_layer;
};

namespace detail {

/// Widths of a `gat_conv`, and options of its attention.
struct gat_conv_options {
  std::int64_t in = 0;  ///< columns of the input
  std::int64_t out = 0; ///< columns of each head
  std::int64_t heads = 1;
  bool concatenate = true;    ///< heads side by side, heads · out columns; else their mean
  bool add_self_loops = true; ///< one more edge from every vertex to itself, beside the edges of the graph
  double slope = 0.2;         ///< of the leaky ReLU
  double dropout = 0;         ///< share of coefficients that a layer in training drops
};

/// Graph attention: y_v = Σ over in-edges (u, v) of α_uv W x_u + b for each head. The coefficients α are the softmax
/// over the in-edges of v of leaky_relu(a_source · W x_u + a_destination · W x_v).
///
/// @source Veličković et al., "Graph attention networks", ICLR 2018, eq. 1 to 6
class gat_conv_impl : public ::torch::nn::Module {
public:
  using options_type = gat_conv_options;

  /// @throws precondition_error  if a width or the heads are below 1, or dropout is not in [0, 1)
  explicit gat_conv_impl(gat_conv_options options) : options_(options) {
    check_widths("gat_conv", options.in, options.out);
    if (options.heads < 1 || !(options.dropout >= 0 && options.dropout < 1)) {
      throw precondition_error(message("gat_conv with ", options.heads, " heads and a dropout of ", options.dropout,
                                       "; pass 1 head or more and a share in [0, 1)"));
    }
    auto const all = options.heads * options.out;
    linear_ = register_module("linear", ::torch::nn::Linear(::torch::nn::LinearOptions(options.in, all).bias(false)));
    source_ = register_parameter("source", at::empty({options.heads, options.out}));
    destination_ = register_parameter("destination", at::empty({options.heads, options.out}));
    bias_ = register_parameter("bias", at::zeros({options.concatenate ? all : options.out}));
    for (auto const& weights : {linear_->weight, source_, destination_}) {
      ::torch::nn::init::xavier_uniform_(weights);
    }
  }

  /// Applies the layer; see `aggregate_neighbors` for the lifetime of the graph and the duties of ranks.
  ///
  /// Over sampled edges, the softmax is over those edges. It equals the softmax over all edges if all were taken.
  ///
  /// @shape  x [num_sources, in] → [num_destinations, heads · out], or out columns for the mean of heads
  /// @throws precondition_error  if x is not of that shape, or ids are missing that dropout depends on
  template <attention_graph Graph>
  [[nodiscard]] at::Tensor forward(at::Tensor const& x, Graph& graph, attention_draws const& draws = {}) {
    check_input("gat_conv", x, options_.in);
    auto const values = map_rows_over(graph, x, linear_->weight);
    auto const of_values = at::cat({by_head(source_), by_head(destination_)});
    // Of x where it is narrower: the input of a first layer needs no gradient.
    auto const scores =
        columns_of_passes(options_.in, x.requires_grad()) < columns_of_passes(options_.heads * options_.out, true)
            ? map_rows_over(graph, x, of_values.mm(linear_->weight))
            : map_rows_over(graph, values, of_values);
    auto const y = attend_neighbors(values, scores.narrow(1, 0, options_.heads),
                                    scores.narrow(1, options_.heads, options_.heads), graph,
                                    {.heads = options_.heads,
                                     .slope = options_.slope,
                                     .add_self_loops = options_.add_self_loops,
                                     .dropout = is_training() ? options_.dropout : 0,
                                     .draws = draws});
    auto const of_heads = y.view({y.size(0), options_.heads, options_.out});
    return map_rows_over(graph, options_.concatenate ? y : of_heads.mean(1), {}, bias_);
  }

private:
  gat_conv_options options_;
  ::torch::nn::Linear linear_{nullptr};
  at::Tensor source_;
  at::Tensor destination_;
  at::Tensor bias_;
};

} // namespace detail

/// Shared handle of a `gat_conv_impl`, like the modules of LibTorch:
///
///     glt::gat_conv layer({.in = 256, .out = 8, .heads = 8, .dropout = 0.6});
///     auto const y = layer(x, block, {.key = key.fold(step).fold(0), .vertex_ids = glt::to_tensor(batch.nodes())});
///
/// Options: `in` and `out`, columns of the input and of each head; `heads`, 1 by default; `concatenate` heads (else
/// their mean) and `add_self_loops`, both true; `slope` of the leaky ReLU, 0.2; `dropout`, the share of coefficients,
/// 0.
///
/// Concurrent calls: as for a module of LibTorch: `forward` may run concurrently while parameters are not written.
class gat_conv : public detail::graph_layer<detail::gat_conv_impl> {
public:
  using graph_layer::graph_layer;

  template <class Graph>
    requires detail::attention_graph<std::remove_reference_t<Graph>>
  [[nodiscard]] at::Tensor operator()(at::Tensor const& x, Graph&& graph, attention_draws const& draws = {}) {
    return (*this)->forward(x, graph, draws);
  }
};

/// Sets a share of the elements of x to zero and divides the others by 1 − share. The choice depends only on the key
/// and on the vertex and column of an element, not on ranks, batches or the order of rows.
///
/// Fold seed, epoch, step and layer into the key. In evaluation, do not call it.
///
/// @shape  x [n, F], float or double, in host memory · vertex_ids [n], 64-bit integers, the same on any partition →
///         [n, F]
/// @throws precondition_error  if x or vertex_ids are not such tensors, or share is not in [0, 1)
/// @cost   n · F / 4 calls of Philox
/// @source Srivastava et al., "Dropout", JMLR 15, 2014
[[nodiscard]] inline at::Tensor keyed_dropout(at::Tensor const& x, double share, random_key key,
                                              at::Tensor const& vertex_ids) {
  if (!detail::is_float_matrix(x, at::kCPU)) {
    throw precondition_error(
        detail::message("keyed_dropout of ", detail::to_string(x), "; pass a float or double host tensor [n, F]"));
  }
  if (!(share >= 0 && share < 1)) {
    throw precondition_error(detail::message("keyed_dropout of a share of ", share, "; it is in [0, 1)"));
  }
  if (!vertex_ids.defined() || vertex_ids.dim() != 1 || vertex_ids.size(0) != x.size(0) ||
      at::isFloatingType(vertex_ids.scalar_type()) || vertex_ids.device() != at::kCPU) {
    throw precondition_error(detail::message("keyed_dropout with vertex ids ", detail::to_string(vertex_ids), "; pass ",
                                             x.size(0), " integers, one a row"));
  }
  if (share == 0) {
    return x;
  }
  auto const ids = vertex_ids.to(at::kLong).contiguous();
  auto const factors = at::empty(x.sizes(), x.options().requires_grad(false));
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "keyed_dropout", [&] {
    auto* factor = factors.data_ptr<scalar_t>();
    auto const bound = static_cast<std::uint32_t>(share * 0x1p32);
    auto const kept = static_cast<scalar_t>(1 / (1 - share));
    for (std::int64_t row = 0; row < x.size(0); ++row) {
      random_stream stream(key, static_cast<std::uint64_t>(ids.data_ptr<std::int64_t>()[row]));
      for (std::int64_t column = 0; column < x.size(1); ++column) {
        *factor++ = stream.next() < bound ? scalar_t(0) : kept;
      }
    }
  });
  return x * factors;
}

} // namespace glt
