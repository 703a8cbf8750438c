// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

namespace glt::detail {

/// Allocator of places in one block of memory, which are freed in any order.
///
/// Concurrent calls: none on one object.
class arena {
public:
  static constexpr std::int64_t line_bytes = 64; // alignment of places, to which sizes are rounded up

  explicit arena(std::int64_t bytes = 0) : bytes_(bytes / line_bytes * line_bytes) {
    if (bytes_ > 0) {
      free_.emplace(0, bytes_);
    }
  }

  [[nodiscard]] std::int64_t size() const noexcept { return bytes_; }

  /// Takes the first free place that is large enough; none if there is none now.
  ///
  /// @cost   O(free places)
  [[nodiscard]] std::optional<std::int64_t> take(std::int64_t bytes) {
    bytes = rounded(bytes);
    for (auto range = free_.begin(); range != free_.end(); ++range) {
      auto const [begin, size] = *range;
      if (size >= bytes) {
        free_.erase(range);
        if (size > bytes) {
          free_.emplace(begin + bytes, size - bytes);
        }
        return begin;
      }
    }
    return std::nullopt;
  }

  /// Frees a place of the same number of bytes.
  void give_back(std::int64_t begin, std::int64_t bytes) {
    auto made = free_.emplace(begin, rounded(bytes)).first;
    if (auto const next = std::next(made); next != free_.end() && made->first + made->second == next->first) {
      made->second += next->second;
      free_.erase(next);
    }
    if (made != free_.begin()) {
      if (auto const before = std::prev(made); before->first + before->second == made->first) {
        before->second += made->second;
        free_.erase(made);
      }
    }
  }

private:
  [[nodiscard]] static std::int64_t rounded(std::int64_t bytes) noexcept {
    return (bytes + line_bytes - 1) / line_bytes * line_bytes;
  }

  std::int64_t bytes_;
  std::map<std::int64_t, std::int64_t> free_; // begin → bytes; neighbours are merged
};

} // namespace glt::detail
