// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/slice_bounds.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Places in a frontier of the rows of one rank: its row i is row places[i] − first_place of the frontier.
struct frontier_places {
  std::int64_t const* places = nullptr;
  std::int64_t size = 0;
  std::int64_t first_place = 0;

  [[nodiscard]] GLT_HOST_DEVICE std::int64_t operator[](std::int64_t i) const { return places[i] - first_place; }
};

/// Places of every type in a list of all types that was sorted by owner; reusable.
template <device_policy Policy>
class type_places {
public:
  explicit type_places(Policy policy = {}) : bounds_(policy) {}

  /// Finds the first place of each type in the bucket of every rank.
  ///
  /// @shape  places [S], ascending in every bucket · offsets [R + 1], of the buckets · first_place [T + 1], of every
  ///         type in the list; all borrowed until the next call
  /// @where  waits for the result if there are several types
  void find(std::int64_t const* places, std::span<std::int64_t const> offsets,
            std::span<std::int64_t const> first_place) {
    places_ = places;
    offsets_ = offsets;
    first_place_ = first_place;
    begins_ = {};
    if (first_place.size() > 2) {
      begins_ = bounds_.find(places, offsets, first_place);
    }
  }

  /// Returns the places of the rows of a type in the bucket of a rank.
  [[nodiscard]] frontier_places of(std::size_t rank, std::size_t type) const {
    if (begins_.empty()) {
      return {places_ + offsets_[rank], offsets_[rank + 1] - offsets_[rank], 0};
    }
    auto const i = rank * first_place_.size() + type;
    return {places_ + begins_[i], begins_[i + 1] - begins_[i], first_place_[type]};
  }

private:
  slice_bounds<Policy> bounds_;
  std::int64_t const* places_ = nullptr;
  std::span<std::int64_t const> offsets_;
  std::span<std::int64_t const> first_place_;
  std::span<std::int64_t const> begins_; // [R, T + 1], or empty if there is one type
};

} // namespace glt::detail
