// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/validate.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/link/detail/edge_search.hpp>
#include <glt/sample/link/negatives.hpp>
#include <glt/sample/link/vertex_weights.hpp>

namespace glt::detail {

template <memory_space Space, memory_space IdSpace, class Vertex>
struct scatter_place {
  array_view<IdSpace, global_id const> ids;
  array_view<Space, Vertex> places;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    if (ids[i] >= 0 && ids[i] < ids.size()) {
      atomic_min(places.data() + ids[i], static_cast<Vertex>(i));
    }
  }
};

// Returns the place of an id that is out of range or occurs at an earlier place; else the number of ids.
template <memory_space Space, memory_space IdSpace, class Vertex>
struct place_of_wrong_id {
  array_view<IdSpace, global_id const> ids;
  array_view<Space, Vertex const> places;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    bool const wrong = ids[i] < 0 || ids[i] >= ids.size() || places[ids[i]] != static_cast<Vertex>(i);
    return wrong ? i : ids.size();
  }
};

template <memory_space Space, memory_space IdSpace>
struct copy_id {
  array_view<IdSpace, global_id const> ids;
  std::int64_t place;
  array_view<Space, global_id> id;
  GLT_HOST_DEVICE void operator()(std::int64_t) const { id[0] = ids[place]; }
};

// Reads one id from memory of any space that the policy reaches.
template <device_policy Policy, memory_space IdSpace>
[[nodiscard]] global_id id_at(Policy const& policy, array_view<IdSpace, global_id const> ids, std::int64_t place) {
  buffer<Policy, global_id> id(1, policy);
  policy.executor().for_each(1, copy_id<Policy::space, IdSpace>{ids, place, id.view()});
  return read_element(policy, std::as_const(id).view(), 0);
}

/// Writes the place of every id of [0, n) in a permutation and returns n; or returns the first place at which `ids` is
/// not a permutation.
///
/// @shape  ids [n] · places [n], resized and written
/// @where  synchronises
/// @cost   O(n)
template <device_policy Policy, memory_space IdSpace, vertex_id Vertex>
  requires reaches<decltype(std::declval<Policy const&>().executor()), IdSpace>
[[nodiscard]] std::int64_t invert_permutation(Policy const& policy, array_view<IdSpace, global_id const> ids,
                                              buffer<Policy, Vertex>& places) {
  constexpr auto space = Policy::space;
  auto const ex = policy.executor();
  places.resize(ids.size());
  ex.for_each(ids.size(), fill_elements<space, Vertex>{places.view(), std::numeric_limits<Vertex>::max()});
  ex.for_each(ids.size(), scatter_place<space, IdSpace, Vertex>{ids, places.view()});
  return ex.reduce(ids.size(), ids.size(), place_of_wrong_id<space, IdSpace, Vertex>{ids, std::as_const(places).view()},
                   smaller{});
}

/// Borrowed vertices from which one end of negatives is drawn.
///
/// @shape  renumbered [V], vertices by original id, or empty · times [V], or empty
template <memory_space Space, vertex_id Vertex>
struct candidate_vertices {
  std::int64_t num_vertices;
  vertex_weights_view<Space> weights;
  array_view<Space, Vertex const> renumbered;
  array_view<Space, std::int64_t const> times;

  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t num_numbers() const noexcept {
    return weights.ends.empty() ? num_vertices : weights.total();
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr Vertex vertex(std::int64_t number) const noexcept {
    std::int64_t const original = weights.ends.empty() ? number : weights.find(number);
    return renumbered.empty() ? static_cast<Vertex>(original) : renumbered[original];
  }
};

/// Borrowed candidates for negatives, for kernels: `resident_candidates`.
template <memory_space Space, vertex_id Vertex, memory_space GraphSpace = Space>
struct candidates_view {
  edge_search<GraphSpace, Vertex> edges;
  candidate_vertices<Space, Vertex> sources;
  candidate_vertices<Space, Vertex> destinations;

  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t num_numbers(pair_end end) const noexcept {
    return of(end).num_numbers();
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr Vertex vertex(pair_end end, std::int64_t number) const noexcept {
    return of(end).vertex(number);
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr bool is_edge(Vertex source, Vertex destination) const noexcept {
    return edges(destination, source);
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr bool limited() const noexcept {
    return !sources.times.empty() || !destinations.times.empty();
  }
  /// Returns the time from which on a vertex exists.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t time(pair_end end, Vertex vertex) const noexcept {
    return of(end).times.empty() ? std::numeric_limits<std::int64_t>::min() : of(end).times[vertex];
  }

private:
  [[nodiscard]] GLT_HOST_DEVICE constexpr candidate_vertices<Space, Vertex> const& of(pair_end end) const noexcept {
    return end == pair_end::source ? sources : destinations;
  }
};

/// Candidates for negatives from a whole graph in this process, or from one relation of it.
///
/// @where  the graph may be in another memory space that the policy's executor reaches
template <device_policy Policy, vertex_id Vertex, memory_space GraphSpace = Policy::space>
class local_candidates {
public:
  static constexpr memory_space space = Policy::space;
  using view_type = candidates_view<space, Vertex, GraphSpace>;

  /// Borrows all arrays. `weights` are by original id; without them all vertices are equally likely. Ends of one type
  /// have the same original ids. Vertices without times always exist.
  ///
  /// @shape  original [V], a permutation, or empty · weights of V vertices, or of none · times [V], or empty; for each
  ///         end
  /// @throws precondition_error  if the number of weights or times is wrong, or original is not a permutation, naming
  ///                             the first wrong vertex
  /// @cost   O(V + E), to check whether rows ascend; V ids of memory if there are original ids
  local_candidates(csr_view<GraphSpace, Vertex> graph, of_both_ends<vertex_weights_view<space>> weights,
                   of_both_ends<original_ids<GraphSpace>> original, Policy const& policy = {}, bool one_type = true,
                   of_both_ends<array_view<space, std::int64_t const>> times = {})
      : edges_{graph, rows_ascend(policy.executor(), graph)}, weights_(weights), times_(times), one_type_(one_type),
        source_numbers_(0, policy), destination_numbers_(0, policy) {
    check(weights.sources.ends.size(), graph.num_columns(), "weights");
    check(weights.destinations.ends.size(), graph.num_rows(), "weights");
    check(times.sources.size(), graph.num_columns(), "times");
    check(times.destinations.size(), graph.num_rows(), "times");
    renumber(policy, original.destinations, graph.num_rows(), destination_numbers_);
    if (!one_type) {
      renumber(policy, original.sources, graph.num_columns(), source_numbers_);
    }
  }

  /// True if every row of the graph lists its sources in ascending order.
  [[nodiscard]] bool ascending() const noexcept { return edges_.ascending; }

  /// Returns a view for kernels; valid as long as the candidates.
  [[nodiscard]] view_type view() const noexcept {
    return {edges_,
            {edges_.graph.num_columns(), weights_.sources, (one_type_ ? destination_numbers_ : source_numbers_).view(),
             times_.sources},
            {edges_.graph.num_rows(), weights_.destinations, destination_numbers_.view(), times_.destinations}};
  }

private:
  static void check(std::int64_t size, std::int64_t num_vertices, std::string_view what) {
    if (size > 0 && size != num_vertices) {
      throw precondition_error(
          message(size, " vertex ", what, " for ", num_vertices, " vertices; give one per vertex"));
    }
  }
  static void renumber(Policy const& policy, original_ids<GraphSpace> original, std::int64_t num_vertices,
                       buffer<Policy, Vertex>& renumbered) {
    if (original.empty()) {
      return;
    }
    if (original.size() != num_vertices) {
      throw precondition_error(message(original.size(), " original ids for ", num_vertices, " vertices"));
    }
    if (auto const wrong = invert_permutation(policy, original, renumbered); wrong < num_vertices) {
      throw precondition_error(message("original id of vertex ", wrong, " is ", id_at(policy, original, wrong),
                                       ", outside the graph or that of another vertex too; original ids are ",
                                       "a permutation of [0, ", num_vertices, ")"));
    }
  }

  edge_search<GraphSpace, Vertex> edges_;
  of_both_ends<vertex_weights_view<space>> weights_;
  of_both_ends<array_view<space, std::int64_t const>> times_;
  bool one_type_;
  buffer<Policy, Vertex> source_numbers_; // vertex by original id; empty if the ends are of one type
  buffer<Policy, Vertex> destination_numbers_;
};

} // namespace glt::detail
