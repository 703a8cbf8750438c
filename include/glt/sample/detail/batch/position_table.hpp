// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/atomic.hpp>
#include <glt/core/detail/bounded_size.hpp>
#include <glt/sample/detail/batch/numbering.hpp>

namespace glt::detail {

/// Occurrences of keys that `batch_numbering` numbers: a trivially copyable functor, callable on the policy's executor.
///
/// - `o.key(e)`: the key of occurrence e of the round
/// - `o.known(n)`: the key of number n, given in an earlier round
/// - `o.set(e, number)`: takes the number of occurrence e, once for every e in any order
/// - `o.add(e, number)`: its key is new, and `known(number)` must be that key in later rounds; hosts also call it with
///   the next free number for keys that are not new
template <class O>
concept occurrences = std::is_trivially_copyable_v<O> && requires(O const& o, std::int64_t e, local_id number) {
  { o.key(e) == o.known(e) } -> std::same_as<bool>;
  { spread(o.key(e)) } -> std::same_as<std::uint64_t>;
  o.set(e, number);
  o.add(e, number);
};

/// Open-addressing table whose slots hold positions of keys: [0, before) are numbers of known keys, before + e is
/// occurrence e of the round.
struct position_table {
  static constexpr local_id empty = std::numeric_limits<local_id>::max();

  local_id* slots = nullptr;
  std::uint64_t mask = 0;
  int shift = 64;

  /// Returns the slot of a key, which holds the smallest of its positions after all were entered.
  template <class Key, class KeyAt>
  GLT_HOST_DEVICE std::uint32_t enter(Key key, local_id position, KeyAt const& key_at) const {
    for (std::uint64_t place = spread(key) >> shift;; place = (place + 1) & mask) {
      local_id* const slot = slots + place;
      local_id found = atomic_load(slot);
      if (found == empty) {
        found = atomic_compare_exchange(slot, empty, position);
        if (found == empty) {
          return static_cast<std::uint32_t>(place);
        }
      }
      if (key_at(found) == key) { // a slot may change its position, but not its key
        if (position < found) {
          atomic_min(slot, position);
        }
        return static_cast<std::uint32_t>(place);
      }
    }
  }

  /// Returns the position of a key, −1 if it was not entered.
  template <class Key, class KeyAt>
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t find(Key key, KeyAt const& key_at) const {
    for (std::uint64_t place = spread(key) >> shift;; place = (place + 1) & mask) {
      local_id const found = slots[place];
      if (found == empty) {
        return -1;
      }
      if (key_at(found) == key) {
        return found;
      }
    }
  }
};

template <memory_space Space>
struct empty_slots {
  array_view<Space, local_id> slots;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { slots[i] = position_table::empty; }
};

template <class Occurrences>
struct key_at_position {
  Occurrences of;
  std::int64_t before;
  GLT_HOST_DEVICE auto operator()(std::int64_t position) const {
    return position < before ? of.known(position) : of.key(position - before);
  }
};

// Enters distinct keys with their places.
template <memory_space Space, class Key>
struct enter_distinct {
  array_view<Space, Key const> keys;
  position_table table;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const key_at = [this](std::int64_t n) { return keys[n]; };
    table.enter(keys[i], static_cast<local_id>(i), key_at);
  }
};

// Enters the known keys into a new table.
template <memory_space Space, class Occurrences>
struct enter_known {
  Occurrences of;
  array_view<Space, std::int64_t const> before;
  position_table table;
  GLT_HOST_DEVICE void operator()(std::int64_t n) const {
    if (n < before[0]) {
      table.enter(of.known(n), static_cast<local_id>(n), key_at_position<Occurrences>{of, before[0]});
    }
  }
};

// Sets links[e] to the slot of the key of e.
template <memory_space Space, class Occurrences>
struct enter_occurrences {
  Occurrences of;
  bounded_size<Space> count;
  array_view<Space, std::int64_t const> before;
  position_table table;
  array_view<Space, std::uint32_t> links;
  GLT_HOST_DEVICE void operator()(std::int64_t e) const {
    if (e < count()) {
      auto const known = before[0];
      links[e] = table.enter(of.key(e), static_cast<local_id>(known + e), key_at_position<Occurrences>{of, known});
    }
  }
};

// Returns 1 for first occurrences of keys, to be summed up. Stores the first position, because slots get numbers later.
// May be called more than once.
template <memory_space Space>
struct mark_first {
  bounded_size<Space> count;
  array_view<Space, std::int64_t const> before;
  local_id const* slots;
  array_view<Space, std::uint32_t const> links;
  array_view<Space, local_id> firsts;
  GLT_HOST_DEVICE local_id operator()(std::int64_t e) const {
    if (e >= count()) {
      return 0;
    }
    auto const position = slots[links[e]];
    firsts[e] = position;
    return position == before[0] + e ? 1 : 0;
  }
};

// Assigns the numbers; ranks[e] counts the first occurrences before e.
template <memory_space Space, class Occurrences>
struct set_numbers {
  Occurrences of;
  bounded_size<Space> count;
  array_view<Space, std::int64_t const> before;
  array_view<Space, std::int64_t> after;
  local_id* slots;
  array_view<Space, std::uint32_t const> links;
  array_view<Space, local_id const> firsts;
  array_view<Space, local_id const> ranks;
  GLT_HOST_DEVICE void operator()(std::int64_t e) const {
    auto const known = before[0];
    if (e == 0) {
      after[0] = known + ranks[count.bound];
    }
    if (e >= count()) {
      return;
    }
    std::int64_t const position = firsts[e];
    bool const first = position == known + e;
    auto const number = static_cast<local_id>(position < known ? position : known + ranks[position - known]);
    if (first) {
      slots[links[e]] = number;
    }
    of.set(e, number);
    if (first) {
      of.add(e, number);
    }
  }
};

} // namespace glt::detail
