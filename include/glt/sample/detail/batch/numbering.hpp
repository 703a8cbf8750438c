// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/detail/narrow.hpp>
#include <glt/core/detail/prefetch.hpp>
#include <glt/core/types.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace glt::detail {

/// A vertex of one tree of a disjoint batch.
template <vertex_id Vertex>
struct tree_vertex {
  local_id tree = 0;
  Vertex vertex = 0;

  friend constexpr bool operator==(tree_vertex, tree_vertex) = default;
};

// Fibonacci hashing: the high bits of the product depend on every bit of the id.
template <std::integral Key>
GLT_HOST_DEVICE constexpr std::uint64_t spread(Key key) noexcept {
  return static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15ULL;
}
template <vertex_id Vertex>
GLT_HOST_DEVICE constexpr std::uint64_t spread(tree_vertex<Vertex> key) noexcept {
  return (static_cast<std::uint64_t>(key.vertex) ^ (static_cast<std::uint64_t>(key.tree) << 40) ^
          static_cast<std::uint64_t>(key.tree)) *
         0x9E3779B97F4A7C15ULL;
}

/// Numbers vertices, or any small keys, 0, 1, 2, … in the order in which they are first seen.
///
/// An open-addressing table whose slots hold stamps that grow from round to round, so that those of former rounds
/// are known as old: forgetting all vertices costs nothing.
/// No round begins beyond the stamp `LastFirst`, so that all `local_id`s have stamps.
/// Host only, one thread; `position_of` may be called by several at once.
///
/// @cost   one probe sequence of expected length below 2 a look-up; at most 4 slots a vertex, of 8 bytes with 32-bit
///         ids and 16 with others, kept for the next round
/// @source linear probing, Knuth, TAOCP vol. 3, 6.4, Alg. L
template <class Key, std::uint32_t LastFirst = std::uint32_t{1} << 31>
class first_seen_numbering {
public:
  first_seen_numbering() { resize(min_slots); }

  /// Forgets all vertices and keeps the memory.
  void clear() noexcept {
    first_stamp_ += static_cast<std::uint32_t>(size_);
    size_ = 0;
    if (first_stamp_ > LastFirst) {
      std::fill(slots_.begin(), slots_.end(), slot{});
      first_stamp_ = 1;
    }
  }

  [[nodiscard]] local_id size() const noexcept { return size_; }

  /// The number of a vertex, and whether it was seen for the first time.
  ///
  /// @throws precondition_error  at the 2³¹st vertex of a round
  std::pair<local_id, bool> number(Key key) {
    reserve(1);
    auto const before = size_;
    auto const number = enter(slots_.data(), key, first_stamp_, size_);
    return {number, size_ != before};
  }

  /// Numbers a list of vertices in order: calls write(i, number, first) for every i in [0, count), where `first` is
  /// the number that a vertex seen for the first time gets, so that `number == first` says it was.
  ///
  /// @throws precondition_error  at the 2³¹st vertex of a round
  /// @cost   less time than `number` for each, because misses of the cache overlap
  template <class KeyAt, class Write>
  void number_all(std::int64_t count, KeyAt key_at, Write write) {
    for (std::int64_t begin = 0; begin < count; begin += pieces) {
      std::int64_t const end = begin + pieces < count ? begin + pieces : count;
      reserve(end - begin);
      // Copies, which a compiler can keep in registers whatever `write` writes to.
      slot* const slots = slots_.data();
      auto const first_stamp = first_stamp_;
      auto size = size_;
      for (std::int64_t i = begin; i < end; ++i) {
        prefetch(slots + place_of(key_at(i + keys_ahead < count ? i + keys_ahead : i)));
        auto const first = size;
        write(i, enter(slots, key_at(i), first_stamp, size), first);
      }
      size_ = size;
    }
  }

  /// The number of a vertex, −1 if it was not seen.
  [[nodiscard]] std::int64_t position_of(Key key) const noexcept {
    slot const& found = *find(slots_.data(), key, first_stamp_);
    return found.stamp < first_stamp_ ? -1 : std::int64_t{found.stamp - first_stamp_};
  }

private:
  // The number of the key plus the first stamp of its round; 0 if no key was ever here.
  struct slot {
    Key key{};
    std::uint32_t stamp = 0;
  };

  static constexpr std::int64_t min_slots = 1024;
  static constexpr std::int64_t pieces = 1024;    // vertices between two looks at the room that is left
  static constexpr std::int64_t keys_ahead = 24; // whose slots are asked for: enough work for a miss of the cache

  [[nodiscard]] std::size_t place_of(Key key) const noexcept {
    return static_cast<std::size_t>(spread(key) >> shift_);
  }

  // Where a vertex is, or would go.
  template <class Slot>
  [[nodiscard]] Slot* find(Slot* slots, Key key, std::uint32_t first_stamp) const noexcept {
    auto place = place_of(key);
    while (slots[place].stamp >= first_stamp && !(slots[place].key == key)) {
      place = (place + 1) & mask_;
    }
    return slots + place;
  }

  // Without a branch on whether the vertex is new, which no processor can predict.
  local_id enter(slot* slots, Key key, std::uint32_t first_stamp, local_id& size) const noexcept {
    slot* const found = find(slots, key, first_stamp);
    bool const first_time = found->stamp < first_stamp;
    auto const stamp = first_time ? first_stamp + static_cast<std::uint32_t>(size) : found->stamp;
    *found = {key, stamp};
    size += first_time ? 1 : 0;
    return static_cast<local_id>(stamp - first_stamp);
  }

  // Room for that many more vertices, at most half of the slots full.
  void reserve(std::int64_t more) {
    auto const needed = std::int64_t{size_} + more;
    if (2 * needed < slots_.size()) {
      return;
    }
    static_cast<void>(detail::narrow<local_id>(needed, "number of vertices of a batch"));
    resize(2 * slots_.size());
    reserve(more);
  }

  void resize(std::int64_t num_slots) {
    table old(num_slots);
    std::fill(old.begin(), old.end(), slot{});
    std::swap(old, slots_);
    mask_ = static_cast<std::size_t>(num_slots) - 1;
    shift_ = 64;
    for (std::int64_t size = num_slots; size > 1; size /= 2) {
      --shift_;
    }
    for (slot const& entry : old) {
      if (entry.stamp >= first_stamp_) {
        *find(slots_.data(), entry.key, first_stamp_) = entry;
      }
    }
  }

  using table = buffer<device::cpu, slot>; // in huge pages where it is large

  table slots_;
  std::size_t mask_ = 0;
  int shift_ = 64;
  std::uint32_t first_stamp_ = 1;
  local_id size_ = 0;
};

} // namespace glt::detail
