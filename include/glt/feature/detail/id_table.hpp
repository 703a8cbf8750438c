// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/detail/narrow.hpp>
#include <glt/core/detail/prefetch.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace glt::detail {

/// Finds the place of a 64-bit id in a list of distinct ids, which it owns.
///
/// An open-addressing table of 8 bytes a slot, a third to two thirds of them full, beside the list. A look-up reads
/// one slot as a rule, and the list only where the id is there.
///
/// @source linear probing, Knuth, TAOCP vol. 3, 6.4, Alg. L
template <device_policy Policy>
class id_table {
  static_assert(host_policy<Policy>, "id_table is looked up on the host: use a host policy, such as device::cpu");

public:
  /// No ids.
  id_table() = default;

  /// `what` names an id in the text of an error.
  ///
  /// @shape  ids [N]
  /// @throws precondition_error  if an id is negative or comes twice, or there are 2³¹ or more
  explicit id_table(buffer<Policy, std::int64_t> ids, std::string_view what = "id") : ids_(std::move(ids)) {
    static_cast<void>(narrow<std::int32_t>(ids_.size(), "number of ids in a table"));
    slots_.resize(num_slots(ids_.size()));
    std::fill(slots_.begin(), slots_.end(), slot{});
    mask_ = static_cast<std::size_t>(slots_.size()) - 1;
    for (auto size = slots_.size(); size > 1; size /= 2) {
      --shift_;
    }
    for (std::int64_t i = 0; i < ids_.size(); ++i) {
      prefetch(slots_.data() + first_place(ids_[std::min(i + ahead, ids_.size() - 1)]));
      auto& free = slots_[static_cast<std::int64_t>(place_of(ids_[i]))];
      if (ids_[i] < 0 || free.position >= 0) {
        throw precondition_error(ids_[i] < 0
                                     ? message(what, " ", i, " is ", ids_[i], "; ids are 0 or more")
                                     : message(what, " ", i, " is ", ids_[i], ", as that at place ",
                                                       free.position, "; give each id once"));
      }
      free = {digits_of(ids_[i]), static_cast<std::int32_t>(i)};
    }
  }

  [[nodiscard]] std::int64_t size() const noexcept { return ids_.size(); }
  [[nodiscard]] array_view<Policy::space, std::int64_t const> ids() const noexcept { return ids_.view(); }

  /// The place of an id in the list; −1 if it is not there.
  ///
  /// @cost   O(1)
  [[nodiscard]] std::int64_t find(std::int64_t id) const noexcept {
    return size() == 0 ? -1 : std::int64_t{slots_[static_cast<std::int64_t>(place_of(id))].position};
  }

  /// Calls visit(i, find(id(i))) for every i in [0, count), in order.
  ///
  /// @cost   less time than `find` for each, because misses of the cache overlap
  template <class IdAt, class Visit>
  void find_all(std::int64_t count, IdAt id, Visit visit) const {
    for (std::int64_t i = 0; i < count; ++i) {
      if (size() > 0) {
        prefetch(slots_.data() + first_place(id(std::min(i + ahead, count - 1))));
      }
      visit(i, find(id(i)));
    }
  }

  /// Memory of a table of that many ids.
  [[nodiscard]] static constexpr std::int64_t bytes_of(std::int64_t ids) noexcept {
    return ids * std::int64_t{sizeof(std::int64_t)} + num_slots(ids) * std::int64_t{sizeof(slot)};
  }

private:
  // The lower half of an id, and its place.
  struct slot {
    std::uint32_t digits = 0;
    std::int32_t position = -1;
  };

  static constexpr std::int64_t ahead = 16; // ids whose slots are asked for: enough work for a miss of the cache

  static constexpr std::int64_t num_slots(std::int64_t ids) noexcept {
    std::int64_t slots = ids == 0 ? 0 : 2;
    while (2 * slots < 3 * ids) {
      slots *= 2;
    }
    return slots;
  }

  static std::uint32_t digits_of(std::int64_t id) noexcept { return static_cast<std::uint32_t>(id); }

  // Fibonacci hashing: the high bits of the product depend on every bit of the id.
  [[nodiscard]] std::size_t first_place(std::int64_t id) const noexcept {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15ULL) >> shift_);
  }

  // Where an id is, or would go.
  [[nodiscard]] std::size_t place_of(std::int64_t id) const noexcept {
    auto const* const slots = slots_.data();
    auto place = first_place(id);
    while (slots[place].position >= 0 && (slots[place].digits != digits_of(id) || ids_[slots[place].position] != id)) {
      place = (place + 1) & mask_;
    }
    return place;
  }

  buffer<Policy, std::int64_t> ids_;
  buffer<device::cpu, slot> slots_;
  std::size_t mask_ = 0;
  int shift_ = 64;
};

} // namespace glt::detail
