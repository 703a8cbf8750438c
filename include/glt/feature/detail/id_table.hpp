// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

// Lower half of an id, and its position.
struct id_slot {
  std::uint32_t digits = 0;
  std::int32_t position = -1;
};

[[nodiscard]] constexpr std::int64_t num_id_slots(std::int64_t ids) noexcept {
  std::int64_t slots = ids == 0 ? 0 : 2;
  while (2 * slots < 3 * ids) {
    slots *= 2;
  }
  return slots;
}

/// Borrowed `id_table`, in any memory.
///
/// Trivially copyable; pass it by value.
///
/// @shape  ids [N] · slots: the slots of the table
template <memory_space Space>
class id_table_view {
public:
  constexpr id_table_view() noexcept = default;
  constexpr id_table_view(array_view<Space, std::int64_t const> ids, array_view<Space, id_slot const> slots) noexcept
      : ids_(ids), slots_(slots), shift_(std::countl_zero(static_cast<std::uint64_t>(slots.size() - 1))) {}

  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t size() const noexcept { return ids_.size(); }
  [[nodiscard]] constexpr array_view<Space, std::int64_t const> ids() const noexcept { return ids_; }
  [[nodiscard]] constexpr array_view<Space, id_slot const> slots() const noexcept { return slots_; }

  /// Returns the position of an id in the list; −1 if it is not there.
  ///
  /// @cost   O(1)
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t find(std::int64_t id) const noexcept {
    return size() == 0 ? -1 : std::int64_t{slots_[place_of(id)].position};
  }

  /// Prefetches the memory that `find` will read first.
  GLT_HOST_DEVICE void prefetch(std::int64_t id) const noexcept {
    if (size() > 0) {
      glt::detail::prefetch(slots_.data() + first_place(id));
    }
  }
  static constexpr std::int64_t ahead = 16; ///< ids to `prefetch` ahead: enough work for a miss of the cache

  /// Returns the slot of an id, or the slot for a new one.
  ///
  /// @pre    size() > 0
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t place_of(std::int64_t id) const noexcept {
    auto place = first_place(id);
    while (slots_[place].position >= 0 &&
           (slots_[place].digits != static_cast<std::uint32_t>(id) || ids_[slots_[place].position] != id)) {
      place = (place + 1) & (slots_.size() - 1);
    }
    return place;
  }

private:
  // Fibonacci hashing: the high bits of the product depend on every bit of the id.
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t first_place(std::int64_t id) const noexcept {
    return static_cast<std::int64_t>((static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15ULL) >> shift_);
  }

  array_view<Space, std::int64_t const> ids_;
  array_view<Space, id_slot const> slots_;
  int shift_ = 64;
};

/// Owner of a list of distinct 64-bit ids that finds the position of an id.
///
/// Beside the list it has an open-addressing table of 8 bytes a slot, filled by a third to two thirds. A look-up
/// usually reads one slot; it reads the list only if the id is there. Concurrent calls: const members may run
/// concurrently.
///
/// @where  made on the host; its view is usable on the policy's executor
/// @source linear probing, Knuth, TAOCP vol. 3, 6.4, Alg. L
template <device_policy Policy>
class id_table {
  static constexpr memory_space space = Policy::space;
  using slot_policy = std::conditional_t<host_policy<Policy>, device::cpu, Policy>;

public:
  id_table() = default;

  /// Makes a table of ids; `what` names an id in the text of an error.
  ///
  /// @shape  ids [N]
  /// @throws precondition_error  if an id is negative or comes twice, or there are 2³¹ or more
  explicit id_table(buffer<Policy, std::int64_t> ids, std::string_view what = "id") : ids_(std::move(ids)) {
    static_cast<void>(narrow<std::int32_t>(ids_.size(), "number of ids in a table"));
    if constexpr (host_policy<Policy>) {
      slots_ = fill({ids_.data(), ids_.size()}, what);
    } else {
      auto const known = to_vector(ids_.policy(), std::as_const(ids_).view());
      slots_ = make_buffer<Policy>(fill(host_view<std::int64_t const>(known), what).view(), ids_.policy());
    }
  }

  [[nodiscard]] std::int64_t size() const noexcept { return ids_.size(); }
  [[nodiscard]] array_view<space, std::int64_t const> ids() const noexcept { return ids_.view(); }
  [[nodiscard]] id_table_view<space> view() const noexcept {
    return {ids(), array_view<space, id_slot const>(slots_.data(), slots_.size())};
  }

  /// Same as `find` of the view.
  [[nodiscard]] std::int64_t find(std::int64_t id) const noexcept
    requires host_policy<Policy>
  {
    return view().find(id);
  }

  /// Calls visit(i, find(id(i))) for every i in [0, count), in order.
  ///
  /// @cost   less time than `find` for each, because misses of the cache overlap
  template <class IdAt, class Visit>
    requires host_policy<Policy>
  void find_all(std::int64_t count, IdAt id, Visit visit) const {
    auto const table = view();
    for (std::int64_t i = 0; i < count; ++i) {
      table.prefetch(id(std::min(i + table.ahead, count - 1)));
      visit(i, table.find(id(i)));
    }
  }

  /// Returns the memory of a table of that many ids.
  [[nodiscard]] static constexpr std::int64_t bytes_of(std::int64_t ids) noexcept {
    return ids * std::int64_t{sizeof(std::int64_t)} + num_id_slots(ids) * std::int64_t{sizeof(id_slot)};
  }

private:
  static buffer<device::cpu, id_slot> fill(host_view<std::int64_t const> ids, std::string_view what) {
    buffer<device::cpu, id_slot> slots(num_id_slots(ids.size()));
    std::fill(slots.begin(), slots.end(), id_slot{});
    id_table_view<memory_space::host> const table(ids, std::as_const(slots).view());
    for (std::int64_t i = 0; i < ids.size(); ++i) {
      table.prefetch(ids[std::min(i + table.ahead, ids.size() - 1)]);
      auto& free = slots[table.place_of(ids[i])];
      if (ids[i] < 0 || free.position >= 0) {
        throw precondition_error(ids[i] < 0 ? message(what, " ", i, " is ", ids[i], "; ids are 0 or more")
                                            : message(what, " ", i, " is ", ids[i], ", as that at place ",
                                                      free.position, "; give each id once"));
      }
      free = {static_cast<std::uint32_t>(ids[i]), static_cast<std::int32_t>(i)};
    }
    return slots;
  }

  buffer<Policy, std::int64_t> ids_;
  buffer<slot_policy, id_slot> slots_;
};

} // namespace glt::detail
