// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/dist/full_batch/aggregate.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/dlpack/tensor.hpp>
#include <glt/sample/subgraph.hpp>
#include <glt/torch/detail/block_edges.hpp>
#include <glt/torch/tensor.hpp>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

namespace glt {

namespace detail {

/// Returns the elements of a contiguous tensor [n, F] in memory of a space; an undefined tensor has none.
template <memory_space Space, class T>
[[nodiscard]] matrix_view<Space, T> matrix_over(at::Tensor const& tensor) {
  if (!tensor.defined()) {
    return {};
  }
  return {tensor.data_ptr<std::remove_const_t<T>>(), tensor.size(0), tensor.size(1)};
}

/// Aggregation over all ranks; keeps only the chosen edges of a maximum or minimum.
template <communicator Comm, device_policy Policy>
struct sharded_aggregation : ::torch::autograd::Function<sharded_aggregation<Comm, Policy>> {
  using context = ::torch::autograd::AutogradContext;
  using tensors = ::torch::autograd::variable_list;
  using graph_type = dist::sharded_graph<Comm, Policy>;
  static constexpr memory_space space = Policy::space;

  static at::Tensor forward(context* ctx, at::Tensor const& x, graph_type* graph, dist::aggregator how,
                            bool reproducible) {
    ctx->saved_data["graph"] = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(graph));
    ctx->saved_data["how"] = static_cast<std::int64_t>(how);
    ctx->saved_data["reproducible"] = reproducible;
    auto const rows = x.contiguous();
    auto const out = at::empty({graph->num_destinations(), x.size(1)}, x.options());
    auto const chosen = is_extreme(how) ? at::empty(out.sizes(), x.options().dtype(at::kInt)) : at::Tensor();
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "aggregate_neighbors", [&] {
      dist::aggregate(*graph, matrix_over<space, scalar_t const>(rows), matrix_over<space, scalar_t>(out),
                      {.how = how, .reproducible = reproducible}, matrix_over<space, local_id>(chosen));
    });
    ctx->save_for_backward({chosen});
    return out;
  }

  static tensors backward(context* ctx, tensors const& gradients) {
    refuse_second_order("aggregate_neighbors");
    auto& graph = *reinterpret_cast<graph_type*>(static_cast<std::intptr_t>(ctx->saved_data["graph"].toInt()));
    auto const how = static_cast<dist::aggregator>(ctx->saved_data["how"].toInt());
    bool const reproducible = ctx->saved_data["reproducible"].toBool();
    auto const chosen = ctx->get_saved_variables()[0];
    auto const gradient = gradients[0].contiguous();
    auto const out = at::empty({graph.num_sources(), gradient.size(1)}, gradient.options());
    AT_DISPATCH_FLOATING_TYPES(gradient.scalar_type(), "aggregate_neighbors", [&] {
      aggregate_backward(graph, matrix_over<space, scalar_t const>(gradient), matrix_over<space, scalar_t>(out),
                         {.how = how, .reproducible = reproducible}, matrix_over<space, local_id const>(chosen));
    });
    return {out, {}, {}, {}};
  }
};

[[nodiscard]] inline std::string to_string(at::Tensor const& x) {
  return x.defined() ? message(x.toString(), " ", shape_text({x.sizes().data(), x.sizes().size()}))
                     : "undefined tensor";
}

[[nodiscard]] inline bool is_float_matrix(at::Tensor const& x, at::Device device) {
  return x.defined() && x.dim() == 2 && x.device() == device &&
         (x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble);
}

/// Returns the first rows, which belong to the destinations, if there are as many; a view only if there are more.
[[nodiscard]] inline at::Tensor rows_of_destinations(at::Tensor const& of_sources, std::int64_t count) {
  return count < of_sources.size(0) ? of_sources.narrow(0, 0, count) : of_sources;
}

/// Returns LibTorch's device for the memory of a policy.
template <device_policy Policy>
[[nodiscard]] at::Device torch_device(Policy const& policy) {
  if constexpr (dlpack_device_type<Policy> == kDLCUDA) {
    return {at::kCUDA, static_cast<c10::DeviceIndex>(dlpack_device(policy).device_id)};
  } else {
    return {at::kCPU};
  }
}

template <communicator Comm, device_policy Policy>
[[nodiscard]] at::Tensor aggregate_over_ranks(at::Tensor const& x, dist::sharded_graph<Comm, Policy>& graph,
                                              dist::aggregator how, bool reproducible) {
  auto const device = torch_device(graph.policy());
  if (!is_float_matrix(x, device)) {
    throw precondition_error(message("aggregate_neighbors over ", to_string(x), "; pass a float or double tensor [",
                                     graph.num_sources(), ", F] on ", device.str(), ", one row per source"));
  }
  return sharded_aggregation<Comm, Policy>::apply(x, &graph, how, reproducible);
}

/// Checks a block.
///
/// @throws precondition_error  if there is not one offset more than destinations, or the block lacks edges of a
///         destination
template <memory_space Space>
void check_block(std::string_view call, block_view<Space> block) {
  if (block.offsets.size() != block.num_destinations + 1) {
    throw precondition_error(message(call, " over a block of ", block.num_destinations, " destinations and ",
                                     block.offsets.size(), " offsets; pass a block of a sampled subgraph"));
  }
  if (block.is_piece) {
    throw precondition_error(message(call, " over a piece of ", block.num_edges(),
                                     " edges of a vertex that has more of them in other batches; raise "
                                     "limits.max_edges to the largest degree, or add up aggregate_segments "
                                     "over the pieces"));
  }
}

/// Aggregates of the in-neighbours of all destinations, and the destinations' rows of the same matrix.
struct neighborhood_rows {
  at::Tensor neighbors;
  at::Tensor own;
};

/// Returns both for a block; their gradients are added up in one matrix.
///
/// @throws precondition_error  as `aggregate_neighbors`
template <memory_space Space>
[[nodiscard]] neighborhood_rows aggregate_neighborhoods(at::Tensor const& x, block_view<Space> block,
                                                        dist::aggregator how) {
  if (!is_float_matrix(x, at::kCPU) || x.size(0) != block.num_sources) {
    throw precondition_error(message("aggregate_neighbors over ", to_string(x),
                                     "; pass a float or double host tensor [", block.num_sources,
                                     ", F], one row per source of the block"));
  }
  check_block("aggregate_neighbors", block);
  auto const rows = block_aggregation::apply(x, to_tensor(block.offsets), to_tensor(block.row), how);
  return {rows[0], rows[1]};
}

} // namespace detail

/// Returns the sum, mean, maximum or minimum of x over the in-edges of every destination of a block. A destination
/// without edges gets zero.
///
/// Differentiable in x, once. Borrows the block's memory until the backward pass has run: sample the next batch after
/// it, or into another subgraph. The gradient of a maximum or minimum goes to the first source that has it.
///
/// @shape  x [num_sources, F], float or double, in host memory → [num_destinations, F]
/// @throws precondition_error  if x is not such a matrix, the block does not have one offset more than destinations, or
///                             it is a piece of a row that `full_neighborhoods` has cut
/// @cost   O(E · F), forward and backward; no tensor of E rows is made
template <memory_space Space>
[[nodiscard]] at::Tensor aggregate_neighbors(at::Tensor const& x, block_view<Space> block, dist::aggregator how) {
  return detail::aggregate_neighborhoods(x, block, how).neighbors;
}

/// Returns the same over all in-edges of this rank's destinations, on whatever rank their sources are. Takes a whole
/// graph or a layer of `dist::make_mfgs`.
///
/// Differentiable in x, once; keeps no row of another rank. The graph must outlive the backward pass. Both passes are
/// collective: x requires a gradient on all ranks or on none. The loss of every rank depends on the result, even if it
/// is 0 there. LibTorch runs the backward pass in the calling thread or, for tensors on a GPU, in one of its threads.
///
/// @shape  x [num_sources(), F], float or double, the same on all ranks, in memory of the graph's policy →
///         [num_destinations(), F]
/// @comm   collective, forward and backward, in the same order on all ranks; see `dist::aggregate`
/// @throws precondition_error  on this rank, if x is not a matrix of these types there
/// @throws collective_error    on every rank, in either pass, if x of a rank does not have one row per source, or ranks
///         differ in F or how
template <communicator Comm, device_policy Policy>
[[nodiscard]] at::Tensor aggregate_neighbors(at::Tensor const& x, dist::sharded_graph<Comm, Policy>& graph,
                                             dist::aggregator how) {
  return detail::aggregate_over_ranks(x, graph, how, /*reproducible=*/false);
}

/// Returns an undefined tensor: a block does not know how many in-edges its sources have in the graph.
template <memory_space Space>
[[nodiscard]] at::Tensor source_degrees(block_view<Space>) {
  return {};
}

/// Borrows the in-degrees of a whole graph; a layer of few vertices does not know the in-degrees of its sources.
///
/// @shape  → [num_sources()], of 32-bit integers, or undefined
template <communicator Comm, device_policy Policy>
[[nodiscard]] at::Tensor source_degrees(dist::sharded_graph<Comm, Policy> const& graph) {
  auto const degrees = graph.in_degrees();
  if (degrees.size() != graph.num_sources()) {
    return {};
  }
  return at::from_blob(const_cast<local_id*>(degrees.data()), {degrees.size()},
                       at::TensorOptions(detail::torch_device(graph.policy())).dtype(at::kInt));
}

namespace detail {

/// Checks the arguments of a function over segments.
///
/// @throws precondition_error  if `values` is not one row of floats for every edge of the segments
template <memory_space Space>
void check_segments(std::string_view call, at::Tensor const& values, array_view<Space, edge_offset const> offsets) {
  if (offsets.empty()) {
    throw precondition_error(message(call, " over no offsets; pass the offsets of a block, one more than segments"));
  }
  auto const count = offsets[offsets.size() - 1] - offsets[0];
  if (!is_float_matrix(values, at::kCPU) || values.size(0) != count) {
    throw precondition_error(message(call, " over ", to_string(values), "; pass a float or double host tensor [", count,
                                     ", F], one row per edge of the segments"));
  }
}

} // namespace detail

/// Returns the sum, mean, maximum or minimum of the rows of every segment, column by column. With the offsets of a
/// block, a segment is the in-edges of a destination. An empty segment gets zero. The gradient of a maximum or minimum
/// goes to the first row that has it.
///
/// Differentiable in values, once. Borrows the offsets until the backward pass has run.
///
///     auto const messages = x.index_select(0, glt::to_tensor(block.row)) * weights;
///     auto const sums = glt::aggregate_segments(messages, block.offsets, glt::dist::aggregator::sum);
///
/// @shape  values [E, F], float or double, in host memory · offsets [S + 1] → [S, F]
/// @units  segment s has the rows offsets[s] − offsets[0] to offsets[s + 1] − offsets[0]
/// @throws precondition_error  if values are not such a matrix, or there are no offsets
/// @cost   O(E · F), forward and backward
template <memory_space Space>
[[nodiscard]] at::Tensor aggregate_segments(at::Tensor const& values, array_view<Space, edge_offset const> offsets,
                                            dist::aggregator how) {
  detail::check_segments("aggregate_segments", values, offsets);
  return detail::block_aggregation::apply(values, to_tensor(offsets), at::arange(values.size(0), at::kInt), how)[0];
}

/// Returns the softmax of the rows of every segment, column by column; see `aggregate_segments`. It is e to the
/// power of a row, over the sum of these powers in its segment.
///
/// @shape  values [E, F] → [E, F]
template <memory_space Space>
[[nodiscard]] at::Tensor segment_softmax(at::Tensor const& values, array_view<Space, edge_offset const> offsets) {
  detail::check_segments("segment_softmax", values, offsets);
  auto const bounds = to_tensor(offsets);
  auto const lengths = bounds.narrow(0, 1, bounds.size(0) - 1) - bounds.narrow(0, 0, bounds.size(0) - 1);
  auto const segment_of = at::repeat_interleave(lengths);
  auto const largest = aggregate_segments(values.detach(), offsets, dist::aggregator::max).index_select(0, segment_of);
  auto const powers = (values - largest).exp(); // at most 1, so that none overflows
  return powers / aggregate_segments(powers, offsets, dist::aggregator::sum).index_select(0, segment_of);
}

} // namespace glt
