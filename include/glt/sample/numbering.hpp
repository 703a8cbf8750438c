// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/narrow.hpp>
#include <glt/core/prefetch.hpp>
#include <glt/core/types.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace glt {

/// A vertex of one tree of a disjoint batch.
template <vertex_id Vertex>
struct tree_vertex {
  local_id tree = 0;
  Vertex vertex = 0;

  friend constexpr bool operator==(tree_vertex, tree_vertex) = default;
};

namespace detail {

// Fibonacci hashing: the high bits of the product depend on every bit of the id.
template <std::integral Key>
constexpr std::uint64_t spread(Key key) noexcept {
  return static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15ULL;
}
template <vertex_id Vertex>
constexpr std::uint64_t spread(tree_vertex<Vertex> key) noexcept {
  return (static_cast<std::uint64_t>(key.vertex) ^ (static_cast<std::uint64_t>(key.tree) << 40) ^
          static_cast<std::uint64_t>(key.tree)) *
         0x9E3779B97F4A7C15ULL;
}

} // namespace detail

/// Numbers vertices, or any small keys, 0, 1, 2, … in the order in which they are first seen.
///
/// An open-addressing table whose slots carry the round they belong to, so that forgetting all vertices costs
/// nothing.
/// Host only, one thread; `position_of` may be called by several at once.
///
/// @cost   one probe sequence of expected length below 2 a look-up; at most 4 slots of 16 bytes a vertex (12
///         with 32-bit ids), kept for the next round
/// @source linear probing, Knuth, TAOCP vol. 3, 6.4, Alg. L
template <class Key>
class first_seen_numbering {
public:
  first_seen_numbering() { resize(min_slots); }

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
  std::pair<local_id, bool> number(Key key) {
    reserve(1);
    auto const before = size_;
    auto const number = enter(slots_.data(), key, round_, size_);
    return {number, size_ != before};
  }

  /// Numbers a list of vertices in order: calls put(i, number, first) for every i in [0, count), where `first` is
  /// the number that a vertex seen for the first time gets, so that `number == first` says it was.
  ///
  /// @throws precondition_error  at the 2³¹st vertex of a round
  /// @cost   less time than `number` for each, because misses of the cache overlap
  template <class KeyAt, class Put>
  void number_all(std::int64_t count, KeyAt key_at, Put put) {
    for (std::int64_t begin = 0; begin < count; begin += pieces) {
      std::int64_t const end = begin + pieces < count ? begin + pieces : count;
      reserve(end - begin);
      // Copies, which a compiler can keep in registers whatever `put` writes to.
      slot* const slots = slots_.data();
      auto const round = round_;
      auto size = size_;
      for (std::int64_t i = begin; i < end; ++i) {
        detail::prefetch(slots + place_of(key_at(i + keys_ahead < count ? i + keys_ahead : i)));
        auto const first = size;
        put(i, enter(slots, key_at(i), round, size), first);
      }
      size_ = size;
    }
  }

  /// The number of a vertex, −1 if it was not seen.
  [[nodiscard]] std::int64_t position_of(Key key) const noexcept {
    slot const& found = *find(slots_.data(), key, round_);
    return found.round == round_ ? found.number : -1;
  }

private:
  struct slot {
    Key key{};
    local_id number = 0;
    std::uint32_t round = 0;
  };

  static constexpr std::size_t min_slots = 1024;
  static constexpr std::int64_t pieces = 1024;    // vertices between two looks at the room that is left
  static constexpr std::int64_t keys_ahead = 24; // whose slots are asked for: enough work for a miss of the cache

  [[nodiscard]] std::size_t place_of(Key key) const noexcept {
    return static_cast<std::size_t>(detail::spread(key) >> shift_);
  }

  // Where a vertex is, or would go.
  template <class Slot>
  [[nodiscard]] Slot* find(Slot* slots, Key key, std::uint32_t round) const noexcept {
    auto place = place_of(key);
    while (slots[place].round == round && !(slots[place].key == key)) {
      place = (place + 1) & mask_;
    }
    return slots + place;
  }

  // Without a branch on whether the vertex is new, which no processor can predict.
  local_id enter(slot* slots, Key key, std::uint32_t round, local_id& size) const noexcept {
    slot* const found = find(slots, key, round);
    bool const first_time = found->round != round;
    local_id const number = first_time ? size : found->number;
    *found = {key, number, round};
    size += first_time ? 1 : 0;
    return number;
  }

  // Room for that many more vertices, at most half of the slots full.
  void reserve(std::int64_t more) {
    auto const needed = std::int64_t{size_} + more;
    if (2 * needed < static_cast<std::int64_t>(slots_.size())) {
      return;
    }
    static_cast<void>(narrow<local_id>(needed, "number of vertices of a batch"));
    resize(2 * slots_.size());
    reserve(more);
  }

  void resize(std::size_t num_slots) {
    std::vector<slot> slots(num_slots);
    slots_.swap(slots);
    mask_ = num_slots - 1;
    shift_ = 64;
    for (std::size_t size = num_slots; size > 1; size /= 2) {
      --shift_;
    }
    for (slot const& old : slots) {
      if (old.round == round_) {
        *find(slots_.data(), old.key, round_) = old;
      }
    }
  }

  std::vector<slot> slots_;
  std::size_t mask_ = 0;
  int shift_ = 64;
  std::uint32_t round_ = 1;
  local_id size_ = 0;
};

} // namespace glt
