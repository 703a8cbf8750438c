// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/arithmetic.hpp>
#include <glt/sample/options.hpp>

namespace glt::detail {

/// Returns the key of all walks of a call; fold in the number of the walk among the walks of its start.
[[nodiscard]] constexpr random_key walk_key(sample_key key) noexcept {
  constexpr std::uint64_t apart_from_sampling = 0x77616c6b;
  return random_key(key.seed)
      .fold(apart_from_sampling)
      .fold(static_cast<std::uint64_t>(key.epoch))
      .fold(static_cast<std::uint64_t>(key.step));
}

/// Random numbers of one walk: a pure function of (key, number among the walks of its start, original id of the start,
/// step, attempt). They do not depend on the thread or rank that walks, or on other walks.
///
/// Four steps share one call of the generator.
class walk_draws {
public:
  using words = std::array<std::uint32_t, 4>;

  walk_draws() = default;

  /// Names walk `number` of a start, under the key of `walk_key`.
  GLT_HOST_DEVICE constexpr walk_draws(random_key key, std::int64_t number, std::int64_t original_start) noexcept {
    key_ = key.fold(static_cast<std::uint64_t>(number)).fold(static_cast<std::uint64_t>(original_start)).bits();
  }

  /// Restores a walk from its `bits()`.
  GLT_HOST_DEVICE constexpr explicit walk_draws(std::uint64_t bits) noexcept : key_(bits) {}

  /// Returns the name of the walk, with which another rank can continue it.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::uint64_t bits() const noexcept { return key_; }

  /// Returns the words of the four steps around `step`; element step % 4 belongs to `step`.
  [[nodiscard]] GLT_HOST_DEVICE constexpr words of_steps(std::int64_t step, std::uint32_t attempt = 0) const noexcept {
    return draw(step / 4, attempt, 0);
  }
  /// Returns the words that decide whether steps return to the start.
  [[nodiscard]] GLT_HOST_DEVICE constexpr words of_returns(std::int64_t step) const noexcept {
    return draw(step / 4, 0, 1);
  }
  /// Returns the words of one attempt at a step of a walk by rejection.
  [[nodiscard]] GLT_HOST_DEVICE constexpr words of_attempt(std::int64_t step, std::uint32_t attempt) const noexcept {
    return draw(step, attempt, 2);
  }
  /// Returns the exponential variate of an edge, by its position within the row, for an exact draw at a step.
  ///
  /// @units  as `minus_log2`
  [[nodiscard]] GLT_HOST_DEVICE constexpr double variate(std::int64_t step, std::uint32_t position) const noexcept {
    auto const drawn = draw(step, position, 4);
    return static_cast<double>(minus_log2(drawn[0] | (std::uint64_t{drawn[1]} << 32)));
  }

  /// Returns the position within a row at which a step leaves it, all equally likely; `word` is the step's word.
  ///
  /// @pre    degree > 0; not checked
  /// @source Lemire, "Fast random integer generation in an interval", TOMACS 29(1), 2019
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t position(std::int64_t step, std::uint32_t word,
                                                                std::int64_t degree) const noexcept {
    if (degree > 0xFFFFFFFFLL) [[unlikely]] {
      return wide_position(step, static_cast<std::uint64_t>(degree));
    }
    auto const bound = static_cast<std::uint32_t>(degree);
    std::uint64_t product = std::uint64_t{word} * bound;
    if (static_cast<std::uint32_t>(product) < bound) [[unlikely]] {
      std::uint32_t const rejected = (0U - bound) % bound;
      for (std::uint32_t attempt = 1; static_cast<std::uint32_t>(product) < rejected; ++attempt) {
        product = std::uint64_t{of_steps(step, attempt)[static_cast<std::size_t>(step % 4)]} * bound;
      }
    }
    return static_cast<std::int64_t>(product >> 32);
  }

private:
  [[nodiscard]] GLT_HOST_DEVICE constexpr words draw(std::int64_t place, std::uint32_t attempt,
                                                     std::uint32_t purpose) const noexcept {
    return detail::philox({static_cast<std::uint32_t>(key_), static_cast<std::uint32_t>(key_ >> 32)},
                          {static_cast<std::uint32_t>(place), attempt, purpose, 0});
  }

  // Rejection under the next power of two, with separate words.
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t wide_position(std::int64_t step,
                                                                     std::uint64_t degree) const noexcept {
    std::uint64_t mask = degree - 1;
    for (int shift = 1; shift < 64; shift *= 2) {
      mask |= mask >> shift;
    }
    for (std::uint32_t attempt = 0;; ++attempt) {
      auto const drawn = draw(step, attempt, 3);
      auto const value = (drawn[0] | (std::uint64_t{drawn[1]} << 32)) & mask;
      if (value < degree) {
        return static_cast<std::int64_t>(value);
      }
    }
  }

  std::uint64_t key_;
};

} // namespace glt::detail
