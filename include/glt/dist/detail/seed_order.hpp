// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/core/types.hpp>
#include <glt/graph/detail/random_permutation.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace glt::detail {

/// The order in which a rank visits its seeds in an epoch: as given, or a permutation drawn from (seed,
/// epoch).
///
/// @shape  seeds [S] → [S]
/// @cost   O(S)
template <vertex_id Vertex>
[[nodiscard]] std::vector<Vertex> seed_order(std::vector<Vertex> const& seeds, bool shuffle, std::uint64_t seed,
                                             std::int64_t epoch) {
  if (!shuffle) {
    return seeds;
  }
  constexpr std::uint64_t apart_from_sampling = 0x73686666;
  auto const key = random_key(seed).fold(apart_from_sampling).fold(static_cast<std::uint64_t>(epoch));
  std::vector<Vertex> order;
  order.reserve(seeds.size());
  for (auto const place : make_random_permutation<std::int64_t>(static_cast<std::int64_t>(seeds.size()), key)) {
    order.push_back(seeds[static_cast<std::size_t>(place)]);
  }
  return order;
}

} // namespace glt::detail
