// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/core/detail/shape_text.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/dlpack/detail/device.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/block.hpp>
#include <glt/torch/detail/block_aggregation.hpp>
#include <glt/torch/detail/sharded_aggregation.hpp>
#include <glt/torch/tensor.hpp>

#include <torch/types.h>

namespace glt {

namespace detail {

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
                                     "limits.max_edges to the largest degree, or add up segment_sum over "
                                     "the pieces"));
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

/// Returns true if layers should map rows to fewer columns before they aggregate. For a block, this holds if it does
/// not have more sources, which are then mapped, than destinations.
template <memory_space Space>
[[nodiscard]] bool favours_narrow_rows(block_view<Space> block) {
  return block.num_sources == block.num_destinations;
}

/// Returns true, as rows travel.
template <communicator Comm, device_policy Policy>
[[nodiscard]] bool favours_narrow_rows(dist::sharded_graph<Comm, Policy> const&) {
  return true;
}

} // namespace glt
