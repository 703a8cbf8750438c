// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/detail/element_at.hpp>
#include <glt/sample/detail/batch/position_table.hpp>

namespace glt::detail {

/// Functor that returns the position of a vertex in nodes, or −1.
template <memory_space Space, class Vertex>
struct vertex_look_up {
  position_table table;
  array_view<Space, Vertex const> nodes;
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t operator()(Vertex vertex) const {
    return table.find(vertex, element_at<Space, Vertex>{nodes});
  }
};

} // namespace glt::detail
