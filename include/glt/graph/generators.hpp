// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/coo.hpp>
#include <glt/graph/detail/orders.hpp>

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

namespace detail {

/// Size of a graph with planted communities, and the strength of the communities.
struct planted_options {
  std::int64_t num_vertices = 0;
  std::int64_t num_communities = 1;
  std::int64_t in_degree = 8;  ///< edges into every vertex from inside its community
  std::int64_t out_degree = 2; ///< edges into every vertex from outside its community
  std::uint64_t seed = 1;
};

} // namespace detail

/// Graph that `make_planted_communities` made, and the planted community of every vertex.
///
/// Options: `num_vertices`, 0; `num_communities`, 1; `in_degree`, 8, edges into every vertex from inside its community;
/// `out_degree`, 2, from outside; `seed`, 1.
template <vertex_id Vertex = local_id, device_policy Policy = device::cpu>
struct planted_communities {
  using options = detail::planted_options;

  coo_graph<Policy, Vertex> graph;
  buffer<Policy, local_id> community; ///< [V], in [0, num_communities)
};

namespace detail {

inline void check_planted(planted_options const& options) {
  auto const& [vertices, communities, inside, outside, seed] = options;
  if (vertices < 0) {
    throw precondition_error(message("graph of ", vertices, " vertices; the number is 0 or more"));
  }
  if (communities < 1 || (communities > vertices && communities > 1)) {
    throw precondition_error(
        message(communities, " communities for ", vertices, " vertices; there is at least 1, and a vertex for each"));
  }
  if (inside < 0 || outside < 0 || inside > (std::int64_t{1} << 31) || outside > (std::int64_t{1} << 31)) {
    throw precondition_error(message("in_degree ", inside, " and out_degree ", outside,
                                     "; both count edges per vertex and are in [0, 2^31]"));
  }
  if (vertices > 0 && inside + outside > std::numeric_limits<std::int64_t>::max() / vertices) {
    throw precondition_error(
        message(vertices, " vertices of ", inside + outside, " edges each; the number of edges does not fit 64 bits"));
  }
  if (outside > 0 && communities == 1 && vertices > 0) {
    throw precondition_error(
        message("out_degree is ", outside, ", but nothing is outside the only community; ask for more communities"));
  }
}

// Place p of `order` holds a vertex of community p mod C, so members of a community are C places apart.
template <memory_space Space, class Vertex>
struct settle_vertex {
  array_view<Space, Vertex const> order;
  std::int64_t num_communities;
  array_view<Space, local_id> community;
  GLT_HOST_DEVICE void operator()(std::int64_t place) const {
    community[order[place]] = static_cast<local_id>(place % num_communities);
  }
};

template <memory_space Space, class Vertex>
struct draw_planted_edges {
  random_key key;
  planted_options options;
  array_view<Space, Vertex const> order;
  array_view<Space, local_id const> community;
  array_view<Space, Vertex> sources;
  array_view<Space, Vertex> destinations;
  GLT_HOST_DEVICE void operator()(std::int64_t v) const {
    auto const count = options.num_communities;
    std::int64_t const own = community[v];
    auto const members = (options.num_vertices - own + count - 1) / count;
    auto const degree = options.in_degree + options.out_degree;
    random_stream draws(key, static_cast<std::uint64_t>(v));
    for (std::int64_t i = 0; i < degree; ++i) {
      std::int64_t place = 0;
      if (i < options.in_degree) {
        place = own + count * static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(members)));
      } else {
        auto const others = static_cast<std::uint64_t>(options.num_vertices - members);
        auto const drawn = static_cast<std::int64_t>(draws.below(others));
        auto const other = drawn % (count - 1);
        place = drawn / (count - 1) * count + other + (other >= own ? 1 : 0);
      }
      sources[v * degree + i] = order[place];
      destinations[v * degree + i] = static_cast<Vertex>(v);
    }
  }
};

} // namespace detail

/// Makes a random graph with planted communities: most in-edges of a vertex come from its community. The communities
/// are the known truth for partitioners and trainers.
///
/// Communities have equal sizes up to one vertex and do not depend on ids. Sources are drawn uniformly with
/// replacement, so multi-edges and self-loops occur. The edges into v depend only on the options and v. They come in
/// order of v, first the edges from inside the community.
///
/// @shape  → V vertices, E = V · (in_degree + out_degree) edges, community [V]
/// @throws precondition_error  if a number is negative or too large, a community would be empty, or edges are
///                             asked from outside the only community
/// @where  memory of `Policy`; enqueues on its executor, but for the order of vertices, which one thread shuffles
/// @cost   O(V + E)
template <vertex_id Vertex = local_id, device_policy Policy = device::cpu>
[[nodiscard]] planted_communities<Vertex, Policy> make_planted_communities(planted_communities<>::options options,
                                                                           Policy policy = {}) {
  constexpr auto space = Policy::space;
  detail::check_planted(options);
  static_cast<void>(detail::narrow<Vertex>(options.num_vertices, "number of vertices"));
  static_cast<void>(detail::narrow<local_id>(options.num_communities, "number of communities"));
  auto const key = random_key(options.seed);
  auto const ex = policy.executor();
  auto const order = detail::make_random_permutation<Vertex>(options.num_vertices, key.fold(1), policy);
  buffer<Policy, local_id> community(options.num_vertices, policy);
  ex.for_each(options.num_vertices,
              detail::settle_vertex<space, Vertex>{order.view(), options.num_communities, community.view()});
  auto const num_edges = options.num_vertices * (options.in_degree + options.out_degree);
  buffer<Policy, Vertex> sources(num_edges, policy);
  buffer<Policy, Vertex> destinations(num_edges, policy);
  ex.for_each(options.num_vertices, detail::draw_planted_edges<space, Vertex>{key.fold(0), options, order.view(),
                                                                              std::as_const(community).view(),
                                                                              sources.view(), destinations.view()});
  return {{options.num_vertices, std::move(sources), std::move(destinations)}, std::move(community)};
}

} // namespace glt
