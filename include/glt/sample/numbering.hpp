// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/narrow.hpp>
#include <glt/core/types.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace glt {

/// Numbers vertices 0, 1, 2, … in the order in which they are first seen.
///
/// An open-addressing table whose slots carry the round they belong to, so that forgetting all vertices costs
/// nothing.
/// Host only, one thread.
///
/// @cost   one probe sequence of expected length below 2 a look-up; at most 4 slots of 16 bytes a vertex (12
///         with 32-bit ids), kept for the next round
/// @source linear probing, Knuth, TAOCP vol. 3, 6.4, Alg. L
template <vertex_id Vertex>
class first_seen_numbering {
public:
  /// Forgets all vertices and keeps the memory.
  void clear() noexcept {
    size_ = 0;
    if (++round_ == 0) { // 2³² rounds later the old stamps would look valid again
      slots_.assign(slots_.size(), slot{});
      round_ = 1;
    }
  }

  [[nodiscard]] local_id size() const noexcept { return size_; }

  /// The number of a vertex, and whether it was seen for the first time.
  ///
  /// @throws precondition_error  at the 2³¹st vertex of a round
  std::pair<local_id, bool> number(Vertex vertex) {
    if (2 * (static_cast<std::size_t>(size_) + 1) >= slots_.size()) {
      grow();
    }
    slot& found = find(vertex);
    if (found.round == round_) {
      return {found.number, false};
    }
    found = {vertex, size_, round_};
    return {size_++, true};
  }

private:
  struct slot {
    Vertex vertex = 0;
    local_id number = 0;
    std::uint32_t round = 0;
  };

  [[nodiscard]] slot& find(Vertex vertex) noexcept {
    std::size_t const mask = slots_.size() - 1;
    // Fibonacci hashing: the high bits of the product depend on every bit of the id.
    auto place = static_cast<std::size_t>((static_cast<std::uint64_t>(vertex) * 0x9E3779B97F4A7C15ULL) >> shift_);
    while (slots_[place].round == round_ && slots_[place].vertex != vertex) {
      place = (place + 1) & mask;
    }
    return slots_[place];
  }

  void grow() {
    static_cast<void>(narrow<local_id>(std::int64_t{size_} + 1, "number of vertices of a batch"));
    std::vector<slot> old(slots_.empty() ? 1024 : 2 * slots_.size());
    old.swap(slots_);
    shift_ = 64;
    for (std::size_t size = slots_.size(); size > 1; size /= 2) {
      --shift_;
    }
    for (slot const& s : old) {
      if (s.round == round_) {
        find(s.vertex) = s;
      }
    }
  }

  std::vector<slot> slots_;
  int shift_ = 64;
  std::uint32_t round_ = 1;
  local_id size_ = 0;
};

} // namespace glt
