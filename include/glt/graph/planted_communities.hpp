// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/coo.hpp>
#include <glt/graph/detail/random_permutation.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

/// Size of a graph with planted communities, and the strength of the communities.
struct planted_options {
  std::int64_t num_vertices = 0;
  std::int64_t num_communities = 1;
  std::int64_t in_degree = 8;  ///< edges into every vertex from inside its community
  std::int64_t out_degree = 2; ///< edges into every vertex from outside its community
  std::uint64_t seed = 1;
};

namespace detail {

/// Graph and the planted community of every vertex.
template <vertex_id Vertex = local_id, device_policy Policy = device::cpu>
struct planted_communities {
  coo_graph<Policy, Vertex> graph;
  buffer<Policy, local_id> community; ///< [V], in [0, num_communities)
};

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
[[nodiscard]] detail::planted_communities<Vertex, Policy> make_planted_communities(planted_options options,
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
