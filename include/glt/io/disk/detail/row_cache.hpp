// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

namespace glt::io::detail {

/// Queue of at most `capacity` numbers, first in, first out.
class number_ring {
public:
  explicit number_ring(std::int64_t capacity) : numbers_(static_cast<std::size_t>(capacity)) {}

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] std::int64_t capacity() const noexcept { return std::ssize(numbers_); }
  /// @pre    not full; not checked
  void push(std::int32_t number) noexcept {
    numbers_[static_cast<std::size_t>((first_ + size_++) % capacity())] = number;
  }
  /// @pre    not empty; not checked
  std::int32_t pop() noexcept {
    auto const number = numbers_[static_cast<std::size_t>(first_)];
    first_ = (first_ + 1) % capacity();
    --size_;
    return number;
  }

private:
  std::vector<std::int32_t> numbers_;
  std::int64_t first_ = 0;
  std::int64_t size_ = 0;
};

/// Cache of rows in memory. A new row enters a small queue, a tenth of the cache. A row that was used again there moves
/// to the main queue, and so does a row that comes back soon after it was dropped.
///
/// Concurrent calls: none on one object.
///
/// @source Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023 (S3-FIFO)
class row_cache {
public:
  /// Bytes that a cached row takes beside its elements: its number, uses and places in queues.
  static constexpr std::int64_t bytes_beside = 4 * sizeof(std::int32_t) + 1;

  /// Makes a cache that takes at most `budget` bytes, and beside it 4 bytes for every row of the file; nothing if no row
  /// fits.
  ///
  /// @pre    0 <= num_rows < 2³¹; not checked
  row_cache(std::int64_t num_rows, std::int64_t row_bytes, std::int64_t budget)
      : row_bytes_(row_bytes), capacity_(std::min(num_rows, budget / (row_bytes + bytes_beside))),
        most_small_(std::max<std::int64_t>(1, capacity_ / 10)), small_(capacity_), main_(capacity_), ghosts_(capacity_),
        rows_(capacity_ * row_bytes), row_of_slot_(static_cast<std::size_t>(capacity_)),
        uses_(static_cast<std::size_t>(capacity_)),
        places_(static_cast<std::size_t>(capacity_ > 0 ? num_rows : 0), absent) {}

  /// Returns the most rows that it holds.
  [[nodiscard]] std::int64_t capacity() const noexcept { return capacity_; }

  /// Returns the bytes of a row and counts the use; null if the row is not cached.
  [[nodiscard]] std::byte const* find(std::int64_t row) noexcept {
    if (capacity_ == 0) {
      return nullptr;
    }
    auto const slot = places_[static_cast<std::size_t>(row)];
    if (slot < 0) {
      return nullptr;
    }
    auto& uses = uses_[static_cast<std::size_t>(slot)];
    uses = static_cast<std::uint8_t>(std::min(uses + 1, most_uses));
    return rows_.data() + slot * row_bytes_;
  }

  /// Copies a row into the cache, in place of another one if it is full.
  ///
  /// @pre    the row is not cached; not checked
  void insert(std::int64_t row, std::byte const* bytes) noexcept {
    if (capacity_ == 0) {
      return;
    }
    auto const slot = held_ < capacity_ ? static_cast<std::int32_t>(held_++) : evict();
    auto& place = places_[static_cast<std::size_t>(row)];
    (place == ghost ? main_ : small_).push(slot);
    place = slot;
    row_of_slot_[static_cast<std::size_t>(slot)] = static_cast<std::int32_t>(row);
    uses_[static_cast<std::size_t>(slot)] = 0;
    glt::detail::copy_bytes(rows_.data() + slot * row_bytes_, bytes, row_bytes_);
  }

private:
  static constexpr int most_uses = 3;
  static constexpr std::int32_t absent = -1;
  static constexpr std::int32_t ghost = -2; // was dropped from the small queue not long ago

  // Returns a slot whose row was dropped.
  std::int32_t evict() noexcept {
    while (small_.size() >= most_small_ || (main_.size() == 0 && small_.size() > 0)) {
      auto const slot = small_.pop();
      if (uses_[static_cast<std::size_t>(slot)] <= 1) {
        drop(slot, ghost);
        remember(row_of_slot_[static_cast<std::size_t>(slot)]);
        return slot;
      }
      uses_[static_cast<std::size_t>(slot)] = 0;
      main_.push(slot);
    }
    for (;;) { // ends: each turn takes a use away
      auto const slot = main_.pop();
      if (auto& uses = uses_[static_cast<std::size_t>(slot)]; uses > 0) {
        --uses;
        main_.push(slot);
        continue;
      }
      drop(slot, absent);
      return slot;
    }
  }
  void drop(std::int32_t slot, std::int32_t into) noexcept {
    places_[static_cast<std::size_t>(row_of_slot_[static_cast<std::size_t>(slot)])] = into;
  }
  void remember(std::int32_t row) noexcept {
    if (ghosts_.size() == ghosts_.capacity()) {
      if (auto& place = places_[static_cast<std::size_t>(ghosts_.pop())]; place == ghost) {
        place = absent;
      }
    }
    ghosts_.push(row);
  }

  std::int64_t row_bytes_;
  std::int64_t capacity_;
  std::int64_t most_small_;
  std::int64_t held_ = 0;
  number_ring small_;                     // slots
  number_ring main_;                      // slots
  number_ring ghosts_;                    // rows; one that came back stays until its turn
  buffer<device::cpu, std::byte> rows_;   // [capacity, bytes of a row]
  std::vector<std::int32_t> row_of_slot_; // [capacity]
  std::vector<std::uint8_t> uses_;        // [capacity], since the row entered its queue, at most 3
  std::vector<std::int32_t> places_;      // [num_rows]: slot, `absent` or `ghost`
};

} // namespace glt::io::detail
