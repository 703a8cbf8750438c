// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/dist/full_batch/detail/attention.hpp>
#include <glt/dist/full_batch/detail/attention/attention_gradients.hpp>
#include <glt/dist/full_batch/detail/attention/attention_kernels.hpp>
#include <glt/dist/full_batch/detail/attention/attention_pass.hpp>
#include <glt/dist/full_batch/detail/attention_options.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>
#include <glt/dist/full_batch/pushed_edges.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/sample/subgraph.hpp>
#include <glt/torch/aggregate_neighbors.hpp>
#include <glt/torch/detail/block_edges.hpp>
#include <glt/torch/neighbor_attention.hpp>
#include <glt/torch/tensor.hpp>

#include <torch/types.h>

namespace glt {

namespace detail {

/// Attention over the edges of a block; coefficients are computed again in a backward pass. Bits do not depend on the
/// number of threads.
class block_attention final : public attention_edges {
public:
  using options_type = attention_options<memory_space::host>;

  /// Options borrow `ids`.
  block_attention(at::Tensor offsets, at::Tensor row, at::Tensor ids, options_type options, self_loops loops)
      : offsets_(std::move(offsets)), row_(std::move(row)), ids_(std::move(ids)), options_(options),
        loops_(std::move(loops)) {}

  void attend(attention_tensors const& rows, at::Tensor const& output, at::Tensor const& softmax) override {
    output.zero_();
    softmax.narrow(1, 0, options_.heads).fill_(-std::numeric_limits<double>::infinity());
    softmax.narrow(1, options_.heads, options_.heads).zero_();
    block_edges const edges(offsets_, row_, rows.values.size(0));
    torch_cpu const policy;
    auto const pieces = sliced_rows::of<torch_cpu>(options_.heads);
    AT_DISPATCH_FLOATING_TYPES(output.scalar_type(), "attend_neighbors", [&] {
      softmax_rows<scalar_t> const parts(softmax.data_ptr<scalar_t>(), options_.heads);
      visit_attention<scalar_t>(options_, shape(rows), [&]<class Score, class Dropout>(Score score, Dropout dropout) {
        policy.executor().for_each(pieces.count(edges.num_destinations()),
                                   wide_kernel{attend_rows<memory_space::host, scalar_t, Score, Dropout>{
                                       edges.shard(), sources<scalar_t>(rows),
                                       strided_over<scalar_t const>(rows.queries), strided_over<scalar_t>(output),
                                       parts.maxima, parts.shares, pieces, shape(rows).of_head(), score, dropout}});
      });
      if (!loops_.how.add_self_loops) { // else after them
        policy.executor().for_each(edges.num_destinations() * options_.heads,
                                   finish_attention<scalar_t>{strided_over<scalar_t>(output), parts.shares,
                                                              options_.heads, shape(rows).of_head().values});
      }
      loops_.attend<scalar_t>(policy, rows, output, softmax);
    });
  }

  void attend_backward(attention_tensors const& rows, at::Tensor const& output, at::Tensor const& softmax,
                       result_gradient_tensors const& gradient, attention_tensors const& out) override {
    out.values.zero_();
    out.keys.zero_();
    out.queries.zero_();
    auto const heads = options_.heads;
    block_edges const edges(offsets_, row_, rows.values.size(0));
    auto const places = at::empty({edges.num_edges()}, at::kInt);
    auto const by_source = edges.transposed(places.data_ptr<local_id>());
    auto const deltas = at::empty({rows.queries.size(0), heads}, output.options());
    auto const edge_gradients = at::empty({edges.num_edges(), heads}, output.options());
    torch_cpu const policy;
    auto const ex = policy.executor();
    auto const pieces = sliced_rows::of<torch_cpu>(heads);
    auto const columns = shape(rows).of_head();
    AT_DISPATCH_FLOATING_TYPES(output.scalar_type(), "attend_neighbors", [&] {
      using T = scalar_t;
      softmax_rows<T const> const parts(softmax.data_ptr<T>(), heads);
      attention_destinations<T> const to{strided_over<T const>(gradient.output), strided_over<T const>(rows.queries),
                                         parts.maxima, strided_over<T const>(deltas), heads};
      attention_sums<T> const by{strided_over<T>(out.values), strided_over<T>(out.keys), strided_over<T>(out.queries)};
      auto* const of_edges = edge_gradients.data_ptr<T>();
      ex.for_each(edges.num_destinations() * heads,
                  write_deltas<T>{to.gradients, strided_over<T const>(gradient.log_sums), strided_over<T const>(output),
                                  strided_over<T>(deltas), heads, columns.values});
      visit_attention<T>(options_, shape(rows), [&]<class Score, class Dropout>(Score score, Dropout dropout) {
        ex.for_each(pieces.count(edges.num_sources()),
                    wide_kernel{add_source_gradients<memory_space::host, T, Score, Dropout>{
                        by_source.shard(), sources<T>(rows), to, by, pieces, columns, score, dropout, {}, of_edges}});
        ex.for_each(edges.num_destinations(), [&, shard = edges.shard(), keys = strided_over<T const>(rows.keys),
                                               place = places.data_ptr<local_id>()](std::int64_t d) {
          for (auto e = shard.offsets[d]; e < shard.offsets[d + 1]; ++e) {
            for (std::int64_t head = 0; head < heads; ++head) {
              score.add_gradient(of_edges[place[e] * heads + head], keys.row(shard.columns[e]) + head * columns.keys,
                                 by.queries.row(d) + head * columns.keys);
            }
          }
        });
      });
      loops_.add_gradients<T>(policy, rows, output, softmax, gradient, out);
    });
  }

private:
  [[nodiscard]] attention_shape shape(attention_tensors const& rows) const {
    return {options_.heads, rows.values.size(1), rows.keys.size(1), options_.score};
  }
  template <class T>
  [[nodiscard]] static attention_sources<T> sources(attention_tensors const& rows) {
    return {strided_over<T const>(rows.values), strided_over<T const>(rows.keys)};
  }

  at::Tensor offsets_;
  at::Tensor row_;
  at::Tensor ids_;
  options_type options_;
  self_loops loops_;
};

/// Attention over all ranks; keeps nothing of other ranks.
template <communicator Comm, device_policy Policy>
class sharded_attention final : public attention_edges {
  static constexpr memory_space space = Policy::space;

public:
  using graph_type = dist::sharded_graph<Comm, Policy>;
  using options_type = attention_options<space>;

  /// Options borrow `ids`; `pushed` may be null.
  sharded_attention(graph_type& graph, at::Tensor ids, options_type options, dist::pushed_edges<Policy> const* pushed,
                    self_loops loops)
      : graph_(&graph), ids_(std::move(ids)), options_(options), pushed_(pushed), loops_(std::move(loops)) {}

  void attend(attention_tensors const& rows, at::Tensor const& output, at::Tensor const& softmax) override {
    AT_DISPATCH_FLOATING_TYPES(output.scalar_type(), "attend_neighbors", [&] {
      detail::attend(*graph_, views<scalar_t const>(rows), matrix_over<space, scalar_t>(output),
                     matrix_over<space, scalar_t>(softmax), options_);
      loops_.reopen(output, softmax);
      loops_.attend<scalar_t>(graph_->policy(), rows, output, softmax);
    });
  }

  void attend_backward(attention_tensors const& rows, at::Tensor const& output, at::Tensor const& softmax,
                       result_gradient_tensors const& gradient, attention_tensors const& out) override {
    AT_DISPATCH_FLOATING_TYPES(output.scalar_type(), "attend_neighbors", [&] {
      detail::attend_backward(
          *graph_, views<scalar_t const>(rows),
          {matrix_over<space, scalar_t const>(output), matrix_over<space, scalar_t const>(softmax)},
          {matrix_over<space, scalar_t const>(gradient.output), matrix_over<space, scalar_t const>(gradient.log_sums)},
          views<scalar_t>(out), options_, pushed_);
      loops_.add_gradients<scalar_t>(graph_->policy(), rows, output, softmax, gradient, out);
    });
  }

private:
  template <class T>
  [[nodiscard]] static attention_rows<space, T> views(attention_tensors const& rows) {
    return {matrix_over<space, T>(rows.values), matrix_over<space, T>(rows.keys), matrix_over<space, T>(rows.queries)};
  }

  graph_type* graph_;
  at::Tensor ids_;
  options_type options_;
  dist::pushed_edges<Policy> const* pushed_;
  self_loops loops_;
};

/// Checks the options that all graphs have, and returns the self-loops.
///
/// @throws precondition_error  if options are invalid, or rows have other types or another device than `device`
[[nodiscard]] inline self_loops check_attention(at::Tensor const& values, at::Tensor const& keys,
                                                at::Tensor const& queries, std::int64_t num_destinations,
                                                at::Device device, neighbor_attention const& how) {
  for (auto const& rows : {values, keys, queries}) {
    if (!is_float_matrix(rows, device) || rows.scalar_type() != values.scalar_type()) {
      throw precondition_error(message("attend_neighbors over ", to_string(rows), " beside ", to_string(values),
                                       "; pass float or double matrices of one type on ", device.str()));
    }
  }
  bool const is_additive = how.score == attention_score::additive;
  if (how.heads < 1 || values.size(1) % how.heads != 0 || keys.size(1) != queries.size(1) ||
      (is_additive ? keys.size(1) != how.heads : keys.size(1) == 0 || keys.size(1) % how.heads != 0)) {
    throw precondition_error(
        message("attend_neighbors in ", how.heads, " heads over values ", to_string(values), ", keys ", to_string(keys),
                " and queries ", to_string(queries), "; pass as many columns of values for each head, and ",
                is_additive ? "one of keys and queries" : "one or more of keys, as many as of queries"));
  }
  if (!(how.dropout >= 0 && how.dropout < 1)) {
    throw precondition_error(message("attend_neighbors with a dropout of ", how.dropout, "; pass a share in [0, 1)"));
  }
  self_loops loops{.how = how, .ids = {}};
  if (how.add_self_loops && how.dropout > 0) {
    auto const& ids = how.draws.vertex_ids;
    if (!ids.defined() || ids.dim() != 1 || ids.size(0) < num_destinations) {
      throw precondition_error(message("dropout of self-loops with vertex ids ", to_string(ids),
                                       "; pass one for each of ", num_destinations,
                                       " destinations, as dropout depends on them"));
    }
    loops.ids = (-1 - ids.narrow(0, 0, num_destinations).to(device, at::kLong)).contiguous();
  }
  return loops;
}

/// Returns options for edges whose ids are in a tensor; an undefined tensor: without ids.
template <memory_space Space>
[[nodiscard]] attention_options<Space> edge_attention(neighbor_attention const& how, at::Tensor const& ids) {
  attention_options<Space> options{
      .heads = how.heads, .score = how.score, .slope = how.slope, .dropout = how.dropout, .dropout_key = how.draws.key};
  if (ids.defined()) {
    options.edge_ids = {ids.data_ptr<edge_id>(), ids.numel()};
  }
  return options;
}

[[nodiscard]] inline neighbor_attention::result attend_over(at::Tensor const& values, at::Tensor const& keys,
                                                            at::Tensor const& queries, std::int64_t heads,
                                                            c10::intrusive_ptr<attention_edges> const& edges) {
  auto const made = attention_function::apply(values, keys, queries, heads, edges);
  return {made[0], made[1]};
}

/// Returns ids in a form that a pass can use.
[[nodiscard]] inline at::Tensor usable_ids(at::Tensor const& ids, at::Device device) {
  return ids.defined() ? ids.to(device, at::kLong).contiguous() : ids;
}

} // namespace detail

/// Returns the attention over the in-edges of every destination of a block: averages of their values, weighted by the
/// softmax of scores. A score is leaky_relu(key of the source + query of the destination), or a product of both.
///
/// Differentiable in values, keys and queries, once. Borrows the block's memory until the backward pass has run.
///
/// @shape  values [num_sources, heads · d] · keys [num_sources, heads] · queries [num_destinations, heads], or more rows,
///         which are ignored; float or double, in host memory. For products, keys and queries have heads · k columns.
/// @throws precondition_error  if rows are not such matrices, ids are missing that dropout depends on, or the block is
///         a piece of a row that `full_neighborhoods` has cut
/// @cost   O(E · heads · d), forward and backward; no tensor of E rows is kept
/// @source Veličković et al., "Graph attention networks", ICLR 2018
template <memory_space Space>
[[nodiscard]] neighbor_attention::result attend_edges(at::Tensor const& values, at::Tensor const& keys,
                                                      at::Tensor const& queries, block_view<Space> block,
                                                      neighbor_attention const& how = {}) {
  auto loops = detail::check_attention(values, keys, queries, block.num_destinations, at::kCPU, how);
  for (auto const& rows : {values, keys}) {
    if (rows.size(0) != block.num_sources) {
      throw precondition_error(detail::message("attend_neighbors over ", detail::to_string(rows),
                                               "; pass a row for each of ", block.num_sources,
                                               " sources of the block"));
    }
  }
  if (queries.size(0) < block.num_destinations) {
    throw precondition_error(detail::message("attend_neighbors with queries ", detail::to_string(queries),
                                             "; pass a row for each of ", block.num_destinations,
                                             " destinations of the block"));
  }
  detail::check_block("attend_neighbors", block);
  auto const ids =
      how.draws.edge_ids.defined() ? detail::usable_ids(how.draws.edge_ids, at::kCPU) : to_tensor(block.edge_ids);
  if (how.dropout > 0 && ids.numel() != block.num_edges()) {
    throw precondition_error(detail::message("dropout over a block with ", ids.numel(), " ids of ", block.num_edges(),
                                             " edges; sample with edge_ids, as dropout depends on them"));
  }
  return detail::attend_over(values, keys, detail::rows_of_destinations(queries, block.num_destinations), how.heads,
                             c10::make_intrusive<detail::block_attention>(
                                 to_tensor(block.offsets), to_tensor(block.row), ids,
                                 detail::edge_attention<memory_space::host>(how, ids), std::move(loops)));
}

namespace detail {

template <communicator Comm, device_policy Policy>
[[nodiscard]] neighbor_attention::result
attend_over_ranks(at::Tensor const& values, at::Tensor const& keys, at::Tensor const& queries,
                  dist::sharded_graph<Comm, Policy>& graph, neighbor_attention const& how,
                  std::type_identity_t<dist::pushed_edges<Policy> const*> pushed, bool reproducible = false) {
  auto const device = torch_device(graph.policy());
  auto loops = check_attention(values, keys, queries, graph.num_destinations(), device, how);
  auto const ids = usable_ids(how.draws.edge_ids, device);
  auto options = edge_attention<Policy::space>(how, ids);
  options.reproducible = reproducible;
  return attend_over(
      values, keys, rows_of_destinations(queries, graph.num_destinations()), how.heads,
      c10::make_intrusive<sharded_attention<Comm, Policy>>(graph, ids, options, pushed, std::move(loops)));
}

} // namespace detail

/// Returns the same over all in-edges of this rank's destinations, on whatever rank their sources are. Takes a whole
/// graph or a layer of `dist::make_mfgs`.
///
/// Keeps no row of another rank: the backward pass fetches values and keys again. See `aggregate_neighbors` for the
/// lifetime of the graph and the duties of ranks.
///
/// @shape  as for a block, in memory of the graph's policy
/// @comm   collective, forward and backward; see `dist::attend`
/// @throws precondition_error  on this rank, if rows are not matrices of these types, or vertex ids are missing
/// @throws collective_error    on every rank, in either pass, if a matrix of a rank does not have one row per source,
///         edge ids are missing, or ranks differ in their options
template <communicator Comm, device_policy Policy>
[[nodiscard]] neighbor_attention::result
attend_edges(at::Tensor const& values, at::Tensor const& keys, at::Tensor const& queries,
             dist::sharded_graph<Comm, Policy>& graph, neighbor_attention const& how = {}) {
  return detail::attend_over_ranks(values, keys, queries, graph, how, nullptr);
}

/// Sharded graph and copies of its edges at the owners of sources; it must not outlive them.
template <communicator Comm, device_policy Policy>
struct pushing_graph {
  dist::sharded_graph<Comm, Policy>& graph;
  dist::pushed_edges<Policy> const& edges;
};

/// Returns the same; its backward pass chooses, for each pair of ranks, the way that sends fewer bytes. Either it
/// fetches values and keys again, or it sends the data of destinations to the owners of the sources.
///
///     glt::dist::pushed_edges const pushed(graph, ids); // ids for dropout alone
///     auto const y = layer(x, glt::pushing_graph{graph, pushed}, draws);
///
/// @shape, @comm, @throws  as for a sharded graph; also if dropout is asked for and edges were pushed without ids
template <communicator Comm, device_policy Policy>
[[nodiscard]] neighbor_attention::result
attend_edges(at::Tensor const& values, at::Tensor const& keys, at::Tensor const& queries,
             pushing_graph<Comm, Policy> const& graph, neighbor_attention const& how = {}) {
  return detail::attend_over_ranks(values, keys, queries, graph.graph, how, &graph.edges);
}

namespace detail {

/// Message graph with the attention of `attend_edges` along its edges.
template <class Graph>
concept attended_graph = requires(Graph& graph, at::Tensor const& x, neighbor_attention const& how) {
  { attend_edges(x, x, x, graph, how) } -> std::same_as<neighbor_attention::result>;
};

} // namespace detail

/// Returns the averages of `attend_edges` alone.
template <class Graph>
  requires detail::attended_graph<Graph>
[[nodiscard]] at::Tensor attend_neighbors(at::Tensor const& values, at::Tensor const& keys, at::Tensor const& queries,
                                          Graph&& graph, neighbor_attention const& how = {}) {
  return attend_edges(values, keys, queries, graph, how).averages;
}

namespace detail {

/// Returns weights [heads, out] as a map [heads, heads · out] from the columns of each head to one number.
[[nodiscard]] inline at::Tensor by_head(at::Tensor const& weights) {
  return (at::eye(weights.size(0), weights.options().requires_grad(false)).unsqueeze(2) * weights).flatten(1);
}

/// Message graph with attention along its edges; another type provides the function in its namespace.
template <class Graph>
concept attention_graph = requires(Graph& graph, at::Tensor const& x, neighbor_attention const& how) {
  { attend_neighbors(x, x, x, graph, how) } -> std::same_as<at::Tensor>;
};

} // namespace detail

} // namespace glt
