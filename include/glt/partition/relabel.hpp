// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

namespace glt {

/// New vertex ids that are contiguous in every part, and the original ids.
struct relabelling {
  partition_book book;
  buffer<device::cpu, global_id> original;   ///< [V], original id by new id
  buffer<device::cpu, global_id> renumbered; ///< [V], new id by original id
};

namespace detail {

/// Counts the vertices of every part.
///
/// @shape  part_of [V] → book of num_parts parts
/// @throws precondition_error  if num_parts < 1, or naming the first vertex whose part is not in [0, num_parts)
/// @cost   O(V + P)
[[nodiscard]] inline partition_book make_partition_book(host_view<local_id const> part_of, int num_parts) {
  if (num_parts < 1) {
    throw precondition_error(detail::message("partition into ", num_parts, " parts; ask for 1 or more"));
  }
  std::vector<global_id> offsets(static_cast<std::size_t>(num_parts) + 1, 0);
  for (std::int64_t v = 0; v < part_of.size(); ++v) {
    if (part_of[v] < 0 || part_of[v] >= num_parts) {
      throw precondition_error(
          detail::message("part of vertex ", v, " is ", part_of[v], ", outside [0, ", num_parts, ")"));
    }
    ++offsets[static_cast<std::size_t>(part_of[v]) + 1];
  }
  for (std::size_t p = 0; p + 1 < offsets.size(); ++p) {
    offsets[p + 1] += offsets[p];
  }
  return partition_book(std::move(offsets));
}

} // namespace detail

/// Numbers the vertices part by part; inside a part they keep their original order.
///
/// @shape  part_of [V] → original [V] · renumbered [V]
/// @throws precondition_error  if num_parts < 1, or naming the first vertex whose part is not in [0, num_parts)
/// @cost   O(V + P)
[[nodiscard]] inline relabelling make_relabelling(host_view<local_id const> part_of, int num_parts) {
  relabelling made{detail::make_partition_book(part_of, num_parts), buffer<device::cpu, global_id>(part_of.size()),
                   buffer<device::cpu, global_id>(part_of.size())};
  std::vector<global_id> next(made.book.offsets().begin(), made.book.offsets().end());
  for (std::int64_t v = 0; v < part_of.size(); ++v) {
    auto const id = next[static_cast<std::size_t>(part_of[v])]++;
    made.original[id] = v;
    made.renumbered[v] = id;
  }
  return made;
}

} // namespace glt
