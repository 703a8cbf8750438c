// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

namespace glt {

/// Sources of the seed edges of a batch; converts from a list of one source per destination.
///
/// With offsets, the destinations of source i are those from offsets[i] to offsets[i + 1]: none, one or many.
///
/// @shape  ids [S] · offsets [S + 1], ascending from 0 to the number P of destinations, or empty if S = P
template <memory_space Space, vertex_id Vertex>
struct link_sources {
  array_view<Space, Vertex const> ids;
  array_view<Space, std::int64_t const> offsets;

  link_sources() = default;
  template <std::convertible_to<array_view<Space, Vertex const>> Ids = array_view<Space, Vertex const>>
  link_sources(Ids&& of_sources, array_view<Space, std::int64_t const> offsets_of_sources = {})
      : ids(std::forward<Ids>(of_sources)), offsets(offsets_of_sources) {}

  [[nodiscard]] std::int64_t size() const noexcept { return ids.size(); }
};

} // namespace glt
