// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/random.hpp>
#include <glt/sample/options.hpp>

#include <cstdint>

namespace glt {

/// How many edges a row of `degree` edges gives: all of them without replacement while the fanout allows it,
/// else `fanout`.
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t num_picked(std::int64_t degree, hop_options options) noexcept {
  bool const whole_row = options.fanout < 0 || (!options.replace && degree <= options.fanout);
  return whole_row || degree == 0 ? degree : options.fanout;
}

/// Picks edges of a row by their position in it: the whole row in order, or a uniform draw.
///
/// Without replacement every set of `fanout` positions is equally likely; their order is not uniform.
///
/// @shape  out [num_picked(degree, options)], written
/// @units  positions in [0, degree)
/// @pre    degree fits `Position`; not checked
/// @cost   one random number a pick; without replacement O(fanout²) comparisons over the picks, in one cache
///         line for the usual fanouts; no memory beside out
/// @source Floyd's sampling, Bentley & Floyd, CACM 30(9), 1987
template <class Position>
GLT_HOST_DEVICE constexpr void pick_positions(random_stream stream, std::int64_t degree, hop_options options,
                                              Position* out) noexcept {
  std::int64_t const count = num_picked(degree, options);
  if (options.replace) {
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<Position>(stream.below(static_cast<std::uint64_t>(degree)));
    }
    return;
  }
  if (count == degree) {
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<Position>(i);
    }
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t const last = degree - count + i;
    auto pick = static_cast<Position>(stream.below(static_cast<std::uint64_t>(last) + 1));
    bool taken = false;
    for (std::int64_t j = 0; j < i; ++j) {
      taken |= out[j] == pick;
    }
    out[i] = taken ? static_cast<Position>(last) : pick;
  }
}

} // namespace glt
