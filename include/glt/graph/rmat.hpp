// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/coo.hpp>
#include <glt/graph/detail/random_permutation.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

/// Size and skew of an R-MAT graph; the defaults come from Graph 500.
struct rmat_options {
  int scale = 0;                 ///< log2 of the number of vertices
  std::int64_t edge_factor = 16; ///< edges per vertex
  double a = 0.57;               ///< both ends in the lower half
  double b = 0.19;               ///< destination in the upper half
  double c = 0.19;               ///< source in the upper half; both with the remaining probability, 1 − a − b − c
  std::uint64_t seed = 1;
  bool shuffle_ids = true; ///< hide the recursion: without it, low ids have the high degrees
};

namespace detail {

template <class Vertex>
void check_rmat(rmat_options const& options) {
  constexpr int largest_scale = std::numeric_limits<Vertex>::digits - 1;
  if (options.scale < 0 || options.scale > largest_scale) {
    throw precondition_error(message("R-MAT scale is ", options.scale, ", outside [0, ", largest_scale, "] for ",
                                     sizeof(Vertex) * 8, "-bit vertex ids"));
  }
  auto const largest_factor = std::numeric_limits<std::int64_t>::max() >> options.scale;
  if (options.edge_factor < 1 || options.edge_factor > largest_factor) {
    throw precondition_error(message("R-MAT edge factor is ", options.edge_factor, ", outside [1, ", largest_factor,
                                     "]; it is the number of edges per vertex"));
  }
  bool const positive = options.a >= 0 && options.b >= 0 && options.c >= 0;
  if (!positive || !(options.a + options.b + options.c <= 1 + 1e-9)) {
    throw precondition_error(message("R-MAT probabilities a = ", options.a, ", b = ", options.b, ", c = ", options.c,
                                     "; each is 0 or more and their sum is at most 1"));
  }
}

// Descends `scale` times into a quadrant of the adjacency matrix; one 32-bit word a level.
template <memory_space Space, class Vertex>
struct draw_rmat_edge {
  random_key key;
  int scale;
  std::uint64_t below_b; // words in [below_b, below_c) choose b, and so on
  std::uint64_t below_c;
  std::uint64_t below_d;
  array_view<Space, Vertex const> names; // empty: vertices keep their numbers
  array_view<Space, Vertex> sources;
  array_view<Space, Vertex> destinations;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    random_stream draws(key, static_cast<std::uint64_t>(i));
    std::int64_t source = 0;
    std::int64_t destination = 0;
    for (int level = 0; level < scale; ++level) {
      std::uint64_t const word = draws.next();
      bool const lower_row = word >= below_c;
      source = 2 * source + (lower_row ? 1 : 0);
      destination = 2 * destination + ((word >= below_b) != lower_row || word >= below_d ? 1 : 0);
    }
    sources[i] = names.empty() ? static_cast<Vertex>(source) : names[source];
    destinations[i] = names.empty() ? static_cast<Vertex>(destination) : names[destination];
  }
};

} // namespace detail

/// Makes a random graph with the skewed degrees of social networks; it has self-loops, multi-edges and isolated
/// vertices.
///
/// Edge i depends only on the options and i, so the graph is the same on any number of threads and on a GPU.
///
/// @shape  → V = 2^scale vertices, E = edge_factor · V edges
/// @throws precondition_error  if the scale does not suit `Vertex`, the edge factor is below 1 or too large,
///                             or the probabilities are negative or exceed 1 together
/// @where  memory of `Policy`; enqueues on its executor, but for the names of vertices, which one thread shuffles
/// @cost   O(E · scale); 1 id a vertex beside the result
/// @source Chakrabarti, Zhan, Faloutsos, "R-MAT: a recursive model for graph mining", SDM 2004; without noise
template <vertex_id Vertex = local_id, device_policy Policy = device::cpu>
[[nodiscard]] coo_graph<Policy, Vertex> make_rmat(rmat_options options, Policy policy = {}) {
  detail::check_rmat<Vertex>(options);
  auto const num_vertices = std::int64_t{1} << options.scale;
  auto const num_edges = options.edge_factor << options.scale;
  auto const key = random_key(options.seed);
  auto const threshold = [](double probability) {
    return probability >= 1 ? std::uint64_t{1} << 32 : static_cast<std::uint64_t>(probability * 0x1.0p32);
  };
  buffer<Policy, Vertex> names(0, policy);
  if (options.shuffle_ids) {
    names = detail::make_random_permutation<Vertex>(num_vertices, key.fold(1), policy);
  }
  buffer<Policy, Vertex> sources(num_edges, policy);
  buffer<Policy, Vertex> destinations(num_edges, policy);
  policy.executor().for_each(num_edges,
                             detail::draw_rmat_edge<Policy::space, Vertex>{
                                 key.fold(0), options.scale, threshold(options.a), threshold(options.a + options.b),
                                 threshold(options.a + options.b + options.c), std::as_const(names).view(),
                                 sources.view(), destinations.view()});
  return {num_vertices, std::move(sources), std::move(destinations)};
}

} // namespace glt
