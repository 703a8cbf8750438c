// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/view.hpp>

#include <cstdint>
#include <string_view>

namespace glt {

/// Refuses ids that are no vertices, naming the first; `what` says what they are meant to be ("seed", …).
///
/// @shape  ids [S]
/// @throws precondition_error  if an id is not in [0, num_vertices)
/// @cost   O(S)
template <memory_space Space, class Id>
  requires(host_accessible(Space))
void validate_vertices(std::string_view what, array_view<Space, Id> ids, std::int64_t num_vertices) {
  for (std::int64_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= num_vertices) {
      throw precondition_error(detail::message(what, " ", i, " is ", ids[i], ", but vertices are in [0, ", num_vertices,
                                               "); pass ids of this graph"));
    }
  }
}

} // namespace glt
