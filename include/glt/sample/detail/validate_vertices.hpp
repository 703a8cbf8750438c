// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/validate.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

[[noreturn]] inline void refuse_vertex(std::string_view what, std::int64_t i, std::int64_t id,
                                       std::int64_t num_vertices) {
  throw precondition_error(
      message(what, " ", i, " is ", id, ", but vertices are in [0, ", num_vertices, "); pass ids of this graph"));
}

/// Throws for ids that are not vertices, naming the first; `what` is their name in errors ("seed", …).
///
/// @shape  ids [S]
/// @throws precondition_error  if an id is not in [0, num_vertices)
/// @cost   O(S)
template <memory_space Space, class Id>
  requires(host_accessible(Space))
void validate_vertices(std::string_view what, array_view<Space, Id> ids, std::int64_t num_vertices) {
  for (std::int64_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= num_vertices) {
      detail::refuse_vertex(what, i, ids[i], num_vertices);
    }
  }
}

/// Returns the position of the first id outside [0, num_vertices), in memory of a device; else the number of ids.
///
/// @where  synchronises
template <device_policy Policy, class Id>
[[nodiscard]] std::int64_t first_outside(Policy const& policy, array_view<Policy::space, Id> ids,
                                         std::int64_t num_vertices) {
  detail::position_if_outside<Policy::space, std::remove_const_t<Id>> const outside{ids, num_vertices};
  return policy.executor().reduce(ids.size(), ids.size(), outside, detail::smaller{});
}

/// Does the work of `validate_vertices` for ids in memory of a policy.
///
/// @where  synchronises
template <device_policy Policy, class Id>
void validate_vertices(Policy const& policy, std::string_view what, array_view<Policy::space, Id> ids,
                       std::int64_t num_vertices) {
  if constexpr (host_policy<Policy>) {
    validate_vertices(what, ids, num_vertices);
  } else {
    if (auto const bad = first_outside(policy, ids, num_vertices); bad < ids.size()) {
      detail::refuse_vertex(what, bad, read_element(policy, ids, bad), num_vertices);
    }
  }
}

} // namespace glt::detail
