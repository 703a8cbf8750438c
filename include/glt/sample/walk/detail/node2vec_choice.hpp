// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/sample/walk/detail/walk_draws.hpp>
#include <glt/sample/walk/walk_options.hpp>

namespace glt::detail {

enum class verdict : std::uint8_t {
  accept,
  reject,
  accept_neighbor, ///< accept if the candidate is a neighbour of the vertex before
  accept_stranger  ///< accept if it is none
};

/// Use of the random words of an attempt of a node2vec walk: words 0 and 1 pick an edge, 2 and 3 decide on it.
///
/// Only candidates whose number lies between the two weights need a search in the previous vertex's row.
///
/// After `most_attempts` a step is drawn exactly, from separate words: every edge arrives at time variate / weight,
/// with an exponential variate, and the first edge to arrive is taken. An edge is taken in proportion to its weight
/// then.
///
/// @source Grover and Leskovec, "node2vec", KDD 2016; by rejection as in Yang et al., "KnightKing", SOSP 2019
class node2vec_choice {
public:
  explicit node2vec_choice(node2vec_options const& options) noexcept
      : p_(options.p), q_(options.q), least_(std::min(1.0, options.q)) {
    auto const most = std::max({1.0, 1 / options.p, 1 / options.q});
    to_previous_ = 1 / options.p / most;
    to_neighbor_ = 1 / most;
    to_stranger_ = 1 / options.q / most;
  }

  /// Returns a position within a row, every one equally likely; −1 if there must be another attempt, with a chance
  /// below degree / 2³² (or 1/2 for rows of 2³² edges or more).
  [[nodiscard]] GLT_HOST_DEVICE static constexpr std::int64_t position(walk_draws::words const& words,
                                                                       std::int64_t degree) noexcept {
    if (degree > 0xFFFFFFFFLL) {
      auto mask = static_cast<std::uint64_t>(degree - 1);
      for (int shift = 1; shift < 64; shift *= 2) {
        mask |= mask >> shift;
      }
      auto const value = static_cast<std::int64_t>((words[0] | (std::uint64_t{words[1]} << 32)) & mask);
      return value < degree ? value : -1;
    }
    auto const bound = static_cast<std::uint32_t>(degree);
    std::uint64_t const product = std::uint64_t{words[0]} * bound;
    auto const low = static_cast<std::uint32_t>(product);
    return low < bound && low < (0U - bound) % bound ? -1 : static_cast<std::int64_t>(product >> 32);
  }

  /// Returns the verdict on a candidate; `previous` is negative in the first step, which accepts any.
  [[nodiscard]] GLT_HOST_DEVICE constexpr verdict decide(walk_draws::words const& words, global_id previous,
                                                         global_id candidate) const noexcept {
    auto const bits = (words[2] | (std::uint64_t{words[3]} << 32)) >> 11;
    double const number = static_cast<double>(bits) * 0x1.0p-53;
    if (previous < 0) {
      return verdict::accept;
    }
    if (candidate == previous) {
      return number < to_previous_ ? verdict::accept : verdict::reject;
    }
    if (number < to_neighbor_) {
      return number < to_stranger_ ? verdict::accept : verdict::accept_neighbor;
    }
    return number < to_stranger_ ? verdict::accept_stranger : verdict::reject;
  }

  /// Returns the number of attempts at a step from a row, before it is drawn exactly: the degree, at least 64. Rows of
  /// 2³¹ edges or more get no exact draw.
  [[nodiscard]] GLT_HOST_DEVICE static constexpr std::uint32_t most_attempts(std::int64_t degree) noexcept {
    return degree < 64 ? 64U : degree > 0x7FFFFFFFLL ? 0xFFFFFFFFU : static_cast<std::uint32_t>(degree);
  }

  /// True if the arrival of an edge to `candidate` depends on the previous vertex's row.
  [[nodiscard]] GLT_HOST_DEVICE constexpr bool needs_row(global_id previous, global_id candidate) const noexcept {
    return previous >= 0 && candidate != previous && q_ != 1;
  }
  /// Returns the time at which an edge to `candidate` arrives; `neighbor` matters only if `needs_row`.
  [[nodiscard]] GLT_HOST_DEVICE constexpr double arrival(double variate, global_id previous, global_id candidate,
                                                         bool neighbor) const noexcept {
    if (candidate == previous) {
      return variate * p_;
    }
    return needs_row(previous, candidate) && !neighbor ? variate * q_ : variate;
  }
  /// Returns the earliest time at which an edge could arrive whose arrival `needs_row`.
  [[nodiscard]] GLT_HOST_DEVICE constexpr double earliest(double variate) const noexcept { return variate * least_; }

private:
  double p_;
  double q_;
  double least_;
  double to_previous_;
  double to_neighbor_;
  double to_stranger_;
};

/// True if the row of the previous vertex decides.
[[nodiscard]] GLT_HOST_DEVICE constexpr bool is_open(verdict decided) noexcept {
  return decided == verdict::accept_neighbor || decided == verdict::accept_stranger;
}

/// Returns the outcome; `neighbor` tells whether the candidate is a neighbour of the previous vertex, if that matters.
[[nodiscard]] GLT_HOST_DEVICE constexpr bool accepts(verdict decided, bool neighbor) noexcept {
  return decided == verdict::accept || (decided == verdict::accept_neighbor && neighbor) ||
         (decided == verdict::accept_stranger && !neighbor);
}

} // namespace glt::detail
