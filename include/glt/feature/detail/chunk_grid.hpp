// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Divider of numbers below 2³¹ by a number of 1 or more that is known only at run time. It uses one multiplication and
/// a shift, because GPUs have no instruction for division.
///
/// @source Granlund & Montgomery, "Division by invariant integers using multiplication", PLDI 1994
class small_divisor {
public:
  /// @pre    1 <= divisor < 2³¹; not checked
  explicit small_divisor(std::int64_t divisor) noexcept
      : divisor_(static_cast<std::uint32_t>(divisor)), shift_(31 + static_cast<int>(std::bit_width(divisor_ - 1))),
        factor_(static_cast<std::uint32_t>(((std::uint64_t{1} << shift_) + divisor_ - 1) / divisor_)) {}

  [[nodiscard]] GLT_HOST_DEVICE std::uint32_t divisor() const noexcept { return divisor_; }
  /// Returns the quotient, without the remainder.
  ///
  /// @pre    number < 2³¹; not checked
  [[nodiscard]] GLT_HOST_DEVICE std::uint32_t quotient(std::uint32_t number) const noexcept {
    return static_cast<std::uint32_t>((std::uint64_t{number} * factor_) >> shift_);
  }

private:
  std::uint32_t divisor_;
  int shift_;
  std::uint32_t factor_;
};

/// One round of `for_each_chunk`: f(row, chunk) by a single index.
template <class F>
struct chunk_round {
  F f;
  small_divisor chunks;
  std::int64_t first_row;
  std::int64_t first_chunk;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const index = static_cast<std::uint32_t>(i);
    auto const row = chunks.quotient(index);
    f(first_row + row, first_chunk + (index - row * chunks.divisor()));
  }
};

/// Calls f(row, chunk) for all rows and all chunks of each. Neighbouring chunks have neighbouring indices, so that the
/// threads of a GPU read and write neighbouring bytes.
///
/// Indices have 31 bits, which are cheap to divide; more chunks take several rounds of at most `most` chunks each.
template <executor Executor, class F>
void for_each_chunk(Executor const& ex, std::int64_t rows, std::int64_t chunks, F f,
                    std::int64_t most = std::numeric_limits<std::int32_t>::max()) {
  for (std::int64_t chunk = 0, wide = 0; chunk < chunks; chunk += wide) {
    wide = std::min(chunks - chunk, most);
    for (std::int64_t row = 0, high = 0; row < rows; row += high) {
      high = std::min(rows - row, most / wide);
      ex.for_each(high * wide, chunk_round<F>{f, small_divisor(wide), row, chunk});
    }
  }
}

} // namespace glt::detail
