// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>
#include <glt/core/types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace glt::dist {

/// The order in which a rank visits its seeds in an epoch: as given, or a permutation drawn from (seed, epoch).
///
/// @shape  seeds [S] → [S]
/// @cost   O(S)
/// @source Fisher-Yates shuffle, Knuth, TAOCP vol. 2, 3.4.2, Alg. P
template <vertex_id Vertex>
[[nodiscard]] std::vector<Vertex> seed_order(std::vector<Vertex> seeds, bool shuffle, std::uint64_t seed,
                                             std::int64_t epoch) {
  if (shuffle) {
    constexpr std::uint64_t apart_from_sampling = 0x73686666;
    auto const key = random_key(seed).fold(apart_from_sampling).fold(static_cast<std::uint64_t>(epoch));
    random_stream stream(key, 0);
    for (std::size_t i = seeds.size(); i > 1; --i) {
      std::swap(seeds[i - 1], seeds[static_cast<std::size_t>(stream.below(i))]);
    }
  }
  return seeds;
}

} // namespace glt::dist
