// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/convert.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/validate.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/hotness/detail/hotness_walk.hpp>
#include <glt/sample/options.hpp>

namespace glt {

/// Options of the sampler and batches for which hotness is estimated.
struct hotness_options {
  neighbor_options neighbors;     ///< fanouts, replacement and frontier of the sampler
  std::int64_t batch_size = 1024; ///< seeds of a batch, drawn without replacement
};

namespace detail {

/// @throws precondition_error  as for `neighbor_options`, or if the batch size is below 1
inline void validate(hotness_options const& options) {
  validate(options.neighbors);
  if (options.batch_size < 1) {
    throw precondition_error(
        message("hotness for batches of ", options.batch_size, " seeds; give 1 or more seeds a batch"));
  }
}

struct vertex_itself {
  GLT_HOST_DEVICE constexpr std::int64_t operator()(std::int64_t vertex) const noexcept { return vertex; }
};

} // namespace detail

/// Estimates, for every vertex, how likely a batch is to touch it; for feature caches and frequency-based partitioners.
///
/// Walks the in-edges hop by hop. A batch of B of S seeds holds a seed with probability B/S. A vertex v in the frontier
/// draws each of its edges with the probability r(v) of its fanout, min(1, fanout/degree) without replacement. Vertex u
/// is drawn with 1 − Π (1 − p(v) · r(v)) over its edges u → v. Draws of different edges count as independent, also from
/// one hop to the next. This is an approximation: vertices that share neighbours are met together. The estimate is
/// exact for one hop from a single seed without multi-edges.
///
/// Products are sums of logarithms in fixed point, so that no bit of the result depends on the order of the additions:
/// neither on the executor, nor on the partition, nor on whether a GPU computes it. The graph may be in another memory
/// space that the policy's executor reaches.
///
/// @shape  seeds [S], all places equally likely → [V]
/// @units  probability in [0, 1] that a batch of min(B, S) seeds has the vertex among its nodes
/// @where  memory of `Policy`; enqueues on its executor after the seeds are checked
/// @throws precondition_error  if the options are wrong, the graph is not square, or a seed is not in [0, V)
/// @cost   O(S + (V + E) · L); an atomic addition an edge and hop; 2 arrays of V 8-byte numbers beside the
///         result, 3 on a GPU
/// @source Tan et al., "Quiver: supporting GPUs for low-latency, high-throughput GNN serving", 2023: access
///         probabilities along the fanouts, for placing features
template <device_policy Policy, memory_space GraphSpace, vertex_id Vertex>
[[nodiscard]] buffer<Policy, double>
estimate_hotness(csr_view<GraphSpace, Vertex> graph,
                 std::type_identity_t<array_view<Policy::space, Vertex const>> seeds, hotness_options const& options,
                 Policy policy = {})
  requires reaches<decltype(policy.executor()), GraphSpace>
{
  detail::validate(options);
  if (graph.num_rows() != graph.num_columns()) {
    throw precondition_error(detail::message("hotness of a graph of ", graph.num_rows(), " rows and ",
                                             graph.num_columns(), " columns; it needs all rows: use ",
                                             "dist::estimate_hotness for a part of a graph"));
  }
  detail::validate_vertices(policy, "seed", seeds, graph.num_rows());
  detail::hotness_walk<Policy> walk(graph.num_rows(), 0, policy);
  walk.add_seeds(seeds);
  walk.start(seeds.size(), options.batch_size);
  for (std::size_t hop = 0; hop < options.neighbors.fanouts.size(); ++hop) {
    hop_options const draw{.fanout = options.neighbors.fanouts[hop], .replace = options.neighbors.replace};
    walk.spread(graph, draw, detail::vertex_itself{});
    walk.settle(options.neighbors.expand);
  }
  return std::move(walk).result();
}

namespace detail {

// Returns v if its hotness is invalid, else the number of vertices.
template <memory_space Space>
struct position_if_no_hotness {
  array_view<Space, double const> hotness;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t v) const { return hotness[v] >= 0 ? hotness.size() : v; }
};

template <memory_space Space>
struct is_touched {
  array_view<Space, double const> hotness;
  GLT_HOST_DEVICE bool operator()(std::int64_t v) const { return hotness[v] > 0; }
};

// Non-negative numbers are ordered as their bits; the complement makes the hottest one the smallest key.
template <memory_space Space, class Vertex>
struct key_by_heat {
  array_view<Space, double const> hotness;
  array_view<Space, Vertex const> vertices;
  array_view<Space, std::int64_t> keys;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    keys[i] = ~std::bit_cast<std::int64_t>(hotness[vertices[i]]);
  }
};

} // namespace detail

/// Returns the `count` hottest vertices, the hottest first: rows for a feature cache. Vertices that are never touched
/// are left out, so there may be fewer; of equally hot vertices the lower id comes first.
///
/// To fill a budget of bytes, pass budget / bytes of a row.
///
/// @shape  hotness [V] → at most [count]
/// @where  memory of `Policy`; synchronises
/// @throws precondition_error  if count is negative, a hotness is negative or not a number, naming the first, or V does
///                             not fit `Vertex`
/// @cost   O(V) for a radix sort of the touched vertices; 16 to 24 bytes a vertex beside the result
template <vertex_id Vertex = local_id, device_policy Policy = device::cpu>
[[nodiscard]] buffer<Policy, Vertex> hottest_vertices(array_view<Policy::space, double const> hotness,
                                                      std::int64_t count, Policy policy = {}) {
  constexpr auto space = Policy::space;
  if (count < 0) {
    throw precondition_error(detail::message(count, " hottest vertices; ask for 0 or more"));
  }
  auto const num_vertices = hotness.size();
  static_cast<void>(detail::narrow<Vertex>(num_vertices, "number of vertices"));
  auto const ex = policy.executor();
  auto const bad =
      ex.reduce(num_vertices, num_vertices, detail::position_if_no_hotness<space>{hotness}, detail::smaller{});
  if (bad < num_vertices) {
    throw precondition_error(detail::message("hotness of vertex ", bad, " is ",
                                             detail::read_element(policy, hotness, bad), "; it is 0 or more"));
  }
  buffer<Policy, Vertex> vertices(num_vertices, policy);
  auto const touched = ex.select_if(num_vertices, detail::is_touched<space>{hotness}, vertices.view());
  vertices.resize(touched);
  {
    buffer<Policy, std::int64_t> keys(touched, policy);
    ex.for_each(touched, detail::key_by_heat<space, Vertex>{hotness, std::as_const(vertices).view(), keys.view()});
    ex.sort_by_key(keys.view(), vertices.view());
  }
  buffer<Policy, Vertex> hottest(std::min(count, touched), policy);
  ex.for_each(hottest.size(), detail::copy_elements<space, Vertex>{std::as_const(vertices).view(), hottest.view()});
  return hottest;
}

} // namespace glt
