// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/detail/exponential.hpp>
#include <glt/core/random.hpp>
#include <glt/exec/detail/team.hpp>
#include <glt/sample/rule/weights.hpp>

#include <array>

namespace glt::detail {

// Exponential variates of a stream, one after the other.
class exponential_sequence {
public:
  GLT_HOST_DEVICE constexpr explicit exponential_sequence(random_stream const& stream) noexcept : stream_(stream) {}

  GLT_HOST_DEVICE constexpr double next() noexcept {
    if (next_ % 2 == 0) {
      pair_ = word_pair(stream_, next_ / 2);
    }
    return static_cast<double>(minus_log2(pair_[static_cast<std::size_t>(next_++ % 2)]));
  }

private:
  random_stream stream_;
  std::uint64_t next_ = 0;
  std::array<std::uint64_t, 2> pair_{};
};

/// Picks `count` edges of a row with replacement, in proportion to their weights; in row order.
///
/// Sorted uniform numbers, which are sums of exponential variates over their total, are found in the prefix
/// sums of the weights in one pass.
///
/// @shape  row [degree] · out [count], written
/// @pre    the row has an edge of positive weight, and degree fits `Position`; not checked
/// @cost   O(degree + count), two passes over the row, which a team (exec/detail/team.hpp) reads together, and 2 ·
///         count variates; no memory beside out
/// @source sorted uniform numbers by spacings: Devroye, "Non-uniform random variate generation", Springer
///         1986, V.3.1
template <memory_space Space, class Position, class Team = serial_team<>>
GLT_HOST_DEVICE constexpr void pick_by_prefix_sums(random_stream const& stream, edge_weights<Space> row,
                                                   std::int64_t count, Position* out, Team const& team = {}) noexcept {
  auto const weight_of = [row](std::int64_t i) { return static_cast<double>(row[i]); };
  double weight = 0; // sums of doubles, in row order: sums of floats may overflow
  std::int64_t last = 0;
  team.in_order(row.size(), weight_of, [&](std::int64_t i, double each) {
    weight += each;
    last = each > 0 ? i : last;
    return true;
  });
  double time = 0;
  exponential_sequence spacings(stream);
  for (std::int64_t i = 0; i <= count; ++i) {
    time += spacings.next();
  }
  spacings = exponential_sequence(stream);
  double arrival = 0;
  auto const next_wanted = [&] {
    arrival += spacings.next();
    return weight * (arrival / time);
  };
  double wanted = next_wanted();
  double prefix = 0;
  std::int64_t picked = 0;
  auto const take = [&](std::int64_t i) {
    team.once([&] { out[picked] = static_cast<Position>(i); });
    return ++picked < count;
  };
  team.in_order(count > 0 ? last : 0, weight_of, [&](std::int64_t i, double each) {
    for (prefix += each; prefix > wanted; wanted = next_wanted()) {
      if (!take(i)) {
        return false;
      }
    }
    return true;
  });
  while (picked < count) {
    take(last);
  }
}

} // namespace glt::detail
