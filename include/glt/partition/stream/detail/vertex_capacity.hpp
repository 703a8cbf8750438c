// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/partition/detail/balance_loads.hpp>
#include <glt/partition/partitioner.hpp>

namespace glt::detail {

/// Returns the most vertices that a method assigns to a part: (1 + slack) · V / P, rounded up.
///
/// @throws precondition_error  if num_parts < 1, or slack is negative or not a number
[[nodiscard]] inline std::int64_t vertex_capacity(char const* method, std::int64_t num_vertices, double slack,
                                                  int num_parts) {
  check_num_parts(num_parts);
  check_slack(method, slack);
  return part_capacity(num_vertices, 1, slack, num_parts);
}

} // namespace glt::detail
