// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/atomic.hpp>
#include <glt/exec/executor.hpp>
#include <glt/graph/validate.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

template <memory_space Space, class Vertex>
struct forget_place {
  array_view<Space, Vertex> places;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { places[i] = std::numeric_limits<Vertex>::max(); }
};

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
  ex.for_each(ids.size(), forget_place<space, Vertex>{places.view()});
  ex.for_each(ids.size(), scatter_place<space, IdSpace, Vertex>{ids, places.view()});
  return ex.reduce(ids.size(), ids.size(), place_of_wrong_id<space, IdSpace, Vertex>{ids, std::as_const(places).view()},
                   smaller{});
}

} // namespace glt::detail
