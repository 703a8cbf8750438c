// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/exec/sequential.hpp>
#include <glt/memory/memory.hpp>

#include <vector>

namespace glt::io::detail {

// Numbers the vertices that occur from 0 without gaps, in ascending order, and returns their old ids. O(E): sorts all
// ends of edges at once.
inline std::vector<global_id> renumber(std::vector<global_id>& sources, std::vector<global_id>& destinations) {
  auto const num_edges = std::ssize(sources);
  buffer<device::cpu, global_id> ends(2 * num_edges);
  buffer<device::cpu, std::int64_t> places(2 * num_edges);
  for (std::int64_t i = 0; i < num_edges; ++i) {
    auto const edge = static_cast<std::size_t>(i);
    ends[i] = sources[edge];
    ends[num_edges + i] = destinations[edge];
    places[i] = i;
    places[num_edges + i] = num_edges + i;
  }
  exec::sequential{}.sort_by_key(ends.view(), places.view());
  std::vector<global_id> original;
  for (std::int64_t i = 0; i < 2 * num_edges; ++i) {
    if (original.empty() || original.back() != ends[i]) {
      original.push_back(ends[i]);
    }
    auto const place = places[i];
    auto const number = std::ssize(original) - 1;
    if (place < num_edges) {
      sources[static_cast<std::size_t>(place)] = number;
    } else {
      destinations[static_cast<std::size_t>(place - num_edges)] = number;
    }
  }
  return original;
}

} // namespace glt::io::detail
