// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <vector>

namespace glt::detail {

/// Filter that tells most vertices outside a set from possible members: fits a first-level cache, and has no branch;
/// reusable.
///
/// @cost   8 to 16 bits a vertex of the set; at most one in 8 random vertices outside the set passes
/// @source Bloom, "Space/time trade-offs in hash coding with allowable errors", CACM 13(7), 1970, with one hash
///         function
template <vertex_id Vertex>
class vertex_filter {
public:
  /// Forgets the last set.
  ///
  /// @shape  set [N]
  /// @cost   O(N)
  template <memory_space Space>
    requires(host_accessible(Space))
  void fill(array_view<Space, Vertex const> set) {
    auto words = min_words;
    shift_ = min_words_shift;
    for (; words * 8 < static_cast<std::size_t>(set.size()); words *= 2) {
      --shift_;
    }
    words_.assign(words, 0);
    for (auto const vertex : set) {
      auto const bit = bit_of(vertex);
      words_[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
  }

  /// Returns 0 only if the vertex is not in the set, else 1.
  [[nodiscard]] std::int64_t perhaps(Vertex vertex) const noexcept {
    auto const bit = bit_of(vertex);
    return static_cast<std::int64_t>((words_[bit / 64] >> (bit % 64)) & 1U);
  }

private:
  static constexpr std::size_t min_words = 8;
  static constexpr int min_words_shift = 64 - 9; // 8 words have 2⁹ bits

  // Fibonacci hashing: the high bits of the product depend on every bit of the id.
  [[nodiscard]] std::size_t bit_of(Vertex vertex) const noexcept {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(vertex) * 0x9E3779B97F4A7C15ULL) >> shift_);
  }

  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(min_words, 0);
  int shift_ = min_words_shift;
};

} // namespace glt::detail
