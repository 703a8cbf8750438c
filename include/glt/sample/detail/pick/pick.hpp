// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/random.hpp>
#include <glt/sample/detail/pick/pick_lanes.hpp>
#include <glt/sample/options.hpp>

#include <limits>
#include <type_traits>

namespace glt::detail {

// Most distinct positions that are picked at once.
inline constexpr std::int64_t most_at_once = 16;

/// Returns the number of edges that a row of `degree` edges gives. Without replacement a row of at most `fanout` edges
/// gives all of them; other rows give `fanout`.
[[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t num_picked(std::int64_t degree, hop_options options) noexcept {
  bool const whole_row = options.fanout < 0 || (!options.replace && degree <= options.fanout);
  return whole_row || degree == 0 ? degree : options.fanout;
}

template <class Position>
GLT_HOST_DEVICE constexpr void pick_any(random_stream stream, std::int64_t degree, std::int64_t count,
                                        Position* out) noexcept {
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<Position>(stream.below(static_cast<std::uint64_t>(degree)));
  }
}

// Floyd's sampling: draw i is below degree − count + i + 1. A number that was drawn before is replaced by the largest
// number of its draw.
template <class Position>
GLT_HOST_DEVICE constexpr void pick_distinct(random_stream stream, std::int64_t degree, std::int64_t count,
                                             Position* out) noexcept {
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

// Picks at most `Width` positions, faster: all random words at once, in loops with constant trip counts and places, so
// that devices keep `picks` in registers. Returns false, with nothing written, in the rare case that a draw may have to
// be rejected.
template <int Width, class Position>
GLT_HOST_DEVICE constexpr bool pick_distinct_portably(random_stream const& stream, std::int64_t degree, int count,
                                                      Position* out) noexcept {
  std::int32_t picks[Width] = {};
  auto const bound = [&](int i) { return static_cast<std::uint32_t>(degree - count + i + 1); };
  bool maybe_rejected = false;
  for (int first = 0; first < Width; first += 4) {
    if (first < count) {
      auto const words = stream.block(static_cast<std::uint64_t>(first / 4));
      for (int i = 0; i < 4; ++i) {
        std::uint64_t const product = std::uint64_t{words[static_cast<std::size_t>(i)]} * bound(first + i);
        maybe_rejected |= first + i < count && static_cast<std::uint32_t>(product) < bound(first + i);
        picks[first + i] = static_cast<std::int32_t>(product >> 32);
      }
    }
  }
  if (maybe_rejected) {
    return false;
  }
  for (int i = 0; i < Width; ++i) {
    bool taken = false;
    for (int j = 0; j < i; ++j) {
      taken |= picks[j] == picks[i];
    }
    picks[i] = taken ? static_cast<std::int32_t>(bound(i) - 1) : picks[i];
  }
  for (int i = 0; i < Width; ++i) {
    if (i < count) {
      out[i] = static_cast<Position>(picks[i]);
    }
  }
  return true;
}

// Uses the faster of the two ways to pick up to 16 positions.
template <class Position>
GLT_HOST_DEVICE constexpr bool pick_at_once(random_stream const& stream, std::int64_t degree, int count,
                                            Position* out) noexcept {
#if defined(GLT_HAS_LANES)
  if (!std::is_constant_evaluated()) {
    std::int32_t picks[16] = {};
    bool const done = pick_distinct_at_once(stream, degree, count, picks);
    for (int i = 0; done && i < count; ++i) {
      out[i] = static_cast<Position>(picks[i]);
    }
    return done;
  }
#endif
  return count <= 8 ? pick_distinct_portably<8>(stream, degree, count, out)
                    : pick_distinct_portably<16>(stream, degree, count, out);
}

/// Picks edges of a row by their position in it: the whole row in order, or a uniform draw.
///
/// Without replacement every set of `fanout` positions is equally likely; their order is not uniform.
///
/// @shape  out [num_picked(degree, options)], written
/// @units  positions in [0, degree)
/// @pre    degree fits `Position`, and the stream is unused; not checked
/// @cost   one random number a pick; without replacement O(fanout²) comparisons over the picks, 8 or 16 at once
///         for fanouts up to 16; no memory beside out
/// @source Floyd's sampling, Bentley & Floyd, CACM 30(9), 1987
template <class Position>
GLT_HOST_DEVICE constexpr void pick_positions(random_stream const& stream, std::int64_t degree, hop_options options,
                                              Position* out) noexcept {
  std::int64_t const count = num_picked(degree, options);
  if (options.replace) {
    pick_any(stream, degree, count, out);
    return;
  }
  if (count == degree) {
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = static_cast<Position>(i);
    }
    return;
  }
  if (count > most_at_once || degree > std::numeric_limits<std::int32_t>::max() ||
      !pick_at_once(stream, degree, static_cast<int>(count), out)) {
    pick_distinct(stream, degree, count, out);
  }
}

} // namespace glt::detail
