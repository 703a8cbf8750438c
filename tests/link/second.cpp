// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/glt.hpp>

std::uint64_t draw_in_second(std::uint64_t seed);

std::uint64_t draw_in_second(std::uint64_t seed) {
  return glt::random_stream(glt::random_key(seed), 1).next64();
}
