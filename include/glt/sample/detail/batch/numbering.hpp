// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Vertex of one tree of a disjoint batch.
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

/// Table that numbers vertices, or any small keys, 0, 1, 2, … in first-seen order.
///
/// Open addressing, with slots that hold stamps. Stamps grow from round to round, so that stamps of earlier rounds
/// count as old: forgetting all vertices costs nothing. If the keys are numbers below a small bound, each has a stamp
/// instead, found without a search. No round begins beyond the stamp `LastFirst`, so that all `local_id`s have stamps.
/// Host only, one thread; several threads may call `position_of` at once.
///
/// @cost   one probe sequence of expected length below 2 a look-up; at most 4 slots a vertex, of 8 bytes with 32-bit
///         ids and 16 with others; or one read and 4 bytes for every number below the bound; kept for the next round
/// @source linear probing, Knuth, TAOCP vol. 3, 6.4, Alg. L
template <class Key, std::uint32_t LastFirst = std::uint32_t{1} << 31>
class first_seen_numbering {
public:
  first_seen_numbering() { grow(min_slots); }

  /// Most keys that get a stamp each, 16 MiB of stamps; with more keys a search is faster.
  static constexpr std::int64_t most_direct = std::int64_t{1} << 22;

  /// Forgets all vertices and keeps the memory.
  ///
  /// @param bound  keys of the next round are below it, and none is negative; 0 if unknown
  void clear(std::int64_t bound = 0) {
    first_stamp_ += static_cast<std::uint32_t>(size_);
    size_ = 0;
    if (first_stamp_ > LastFirst) {
      std::fill(slots_.begin(), slots_.end(), slot{});
      std::fill(stamps_.begin(), stamps_.end(), stamp_slot{});
      first_stamp_ = 1;
    }
    direct_ = std::integral<Key> && bound > 0 && bound <= most_direct;
    if (direct_ && bound > stamps_.size()) {
      stamps_.resize(bound);
      std::fill(stamps_.begin(), stamps_.end(), stamp_slot{});
    }
  }

  [[nodiscard]] local_id size() const noexcept { return size_; }

  /// Returns the number of a vertex, and whether it was seen for the first time.
  ///
  /// @throws precondition_error  at the 2³¹st vertex of a round
  std::pair<local_id, bool> number(Key key) {
    auto const before = size_;
    local_id given = 0;
    number_all(
        1, [key](std::int64_t) { return key; }, [&](std::int64_t, local_id number, local_id) { given = number; });
    return {given, size_ != before};
  }

  /// Numbers a list of vertices in order: calls write(i, number, first) for every i in [0, count). `first` is the
  /// number that a new vertex gets, so `number == first` if the vertex is new.
  ///
  /// @throws precondition_error  at the 2³¹st vertex of a round
  /// @cost   less time than single calls of `number`, because cache misses overlap
  template <class KeyAt, class Write>
  void number_all(std::int64_t count, KeyAt key_at, Write write) {
    if constexpr (std::integral<Key>) {
      if (direct_) {
        number_some(direct(), 0, count, count, key_at, write);
        return;
      }
    }
    for (std::int64_t begin = 0; begin < count; begin += pieces) {
      std::int64_t const end = begin + pieces < count ? begin + pieces : count;
      reserve(end - begin);
      number_some(searched(), begin, end, count, key_at, write);
    }
  }

  /// Returns the number of a vertex, −1 if it was not seen.
  [[nodiscard]] std::int64_t position_of(Key key) const noexcept {
    if constexpr (std::integral<Key>) {
      if (direct_) {
        return key < stamps_.size() ? number_in(*direct().find(key, first_stamp_)) : -1;
      }
    }
    return number_in(*searched().find(key, first_stamp_));
  }

private:
  // The stamp is the number of the key plus the first stamp of its round; 0 if the slot was never used.
  struct slot {
    Key key{};
    std::uint32_t stamp = 0;
    void set(Key of, std::uint32_t to) noexcept { *this = {of, to}; }
  };
  struct stamp_slot {
    std::uint32_t stamp = 0;
    void set(Key, std::uint32_t to) noexcept { stamp = to; }
  };

  // Table with search. `keys_ahead` is a measured prefetch distance.
  template <class Slot>
  struct searched_table {
    static constexpr std::int64_t keys_ahead = 24;
    Slot* slots;
    std::size_t mask;
    int shift;
    [[nodiscard]] Slot* first_place(Key key) const noexcept { return slots + (spread(key) >> shift); }
    [[nodiscard]] Slot* find(Key key, std::uint32_t first_stamp) const noexcept {
      auto place = static_cast<std::size_t>(spread(key) >> shift);
      while (slots[place].stamp >= first_stamp && !(slots[place].key == key)) {
        place = (place + 1) & mask;
      }
      return slots + place;
    }
  };
  template <class Slot>
  struct direct_table {
    static constexpr std::int64_t keys_ahead = 128;
    Slot* slots;
    [[nodiscard]] Slot* first_place(Key key) const noexcept { return slots + key; }
    [[nodiscard]] Slot* find(Key key, std::uint32_t) const noexcept { return slots + key; }
  };

  static constexpr std::int64_t min_slots = 1024;
  static constexpr std::int64_t pieces = 1024; // vertices between two checks of the room left

  [[nodiscard]] auto searched() noexcept { return searched_table<slot>{slots_.data(), mask_, shift_}; }
  [[nodiscard]] auto searched() const noexcept { return searched_table<slot const>{slots_.data(), mask_, shift_}; }
  [[nodiscard]] auto direct() noexcept { return direct_table<stamp_slot>{stamps_.data()}; }
  [[nodiscard]] auto direct() const noexcept { return direct_table<stamp_slot const>{stamps_.data()}; }

  template <class Slot>
  [[nodiscard]] std::int64_t number_in(Slot const& found) const noexcept {
    return found.stamp < first_stamp_ ? -1 : std::int64_t{found.stamp - first_stamp_};
  }

  // Works with copies, which a compiler can keep in registers for any `write`. Does not branch on whether a vertex is
  // new, which no processor can predict.
  template <class Table, class KeyAt, class Write>
  void number_some(Table table, std::int64_t begin, std::int64_t end, std::int64_t count, KeyAt const& key_at,
                   Write const& write) {
    auto const first_stamp = first_stamp_;
    auto size = size_;
    for (std::int64_t i = begin; i < end; ++i) {
      prefetch(table.first_place(key_at(i + Table::keys_ahead < count ? i + Table::keys_ahead : i)));
      auto const key = key_at(i);
      auto const next = first_stamp + static_cast<std::uint32_t>(size);
      auto* const found = table.find(key, first_stamp);
      auto const before = found->stamp;
      auto const first_time = static_cast<std::uint32_t>(before < first_stamp);
      auto const stamp = before ^ ((before ^ next) & (0U - first_time)); // compilers make a branch of ?:
      found->set(key, stamp);
      write(i, static_cast<local_id>(stamp - first_stamp), size);
      size += static_cast<local_id>(first_time);
    }
    size_ = size;
  }

  // Makes room for that many more vertices, with at most half of the slots full.
  void reserve(std::int64_t more) {
    auto const needed = std::int64_t{size_} + more;
    if (2 * needed < slots_.size()) {
      return;
    }
    static_cast<void>(detail::narrow<local_id>(needed, "number of vertices of a batch"));
    grow(2 * slots_.size());
    reserve(more);
  }

  void grow(std::int64_t num_slots) {
    buffer<device::cpu, slot> old(num_slots); // in huge pages if it is large
    std::fill(old.begin(), old.end(), slot{});
    std::swap(old, slots_);
    mask_ = static_cast<std::size_t>(num_slots) - 1;
    shift_ = 64;
    for (std::int64_t size = num_slots; size > 1; size /= 2) {
      --shift_;
    }
    for (slot const& entry : old) {
      if (entry.stamp >= first_stamp_) {
        *searched().find(entry.key, first_stamp_) = entry;
      }
    }
  }

  buffer<device::cpu, slot> slots_;
  std::size_t mask_ = 0;
  int shift_ = 64;
  buffer<device::cpu, stamp_slot> stamps_;
  bool direct_ = false;
  std::uint32_t first_stamp_ = 1;
  local_id size_ = 0;
};

} // namespace glt::detail
