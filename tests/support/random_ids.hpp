// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/random.hpp>

#include <cstdint>
#include <vector>

namespace glt_test {

/// Draws ids below a bound.
inline std::vector<std::int64_t> random_ids(std::int64_t count, std::int64_t bound, std::uint64_t key) {
  glt::random_stream draws(glt::random_key(9), key);
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < count; ++i) {
    ids.push_back(static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(bound))));
  }
  return ids;
}

} // namespace glt_test
