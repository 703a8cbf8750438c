// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/convert.hpp>
#include <glt/graph/validate.hpp>
#include <glt/memory/memory.hpp>

namespace glt {

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
