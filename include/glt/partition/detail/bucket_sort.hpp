// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

namespace glt::detail {

template <memory_space Space, class Key, class BucketOf>
struct bucket_keys {
  BucketOf bucket_of;
  array_view<Space, Key> keys;
  array_view<Space, std::int64_t> places;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    keys[i] = static_cast<Key>(bucket_of(i));
    places[i] = i;
  }
};

// Counts the sorted keys below k.
template <memory_space Space, class Key>
struct count_below {
  array_view<Space, Key> keys;
  array_view<Space, std::int64_t> offsets;
  GLT_HOST_DEVICE void operator()(std::int64_t k) const {
    std::int64_t first = 0;
    std::int64_t last = keys.size();
    while (first < last) {
      auto const middle = first + (last - first) / 2;
      if (static_cast<std::int64_t>(keys[middle]) < k) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    offsets[k] = first;
  }
};

template <memory_space Space, class Key, class Scatter>
struct scatter_sorted {
  array_view<Space, Key> keys;
  array_view<Space, std::int64_t> places;
  Scatter scatter;
  GLT_HOST_DEVICE void operator()(std::int64_t at) const { scatter(at, places[at], static_cast<int>(keys[at])); }
};

struct scatter_nothing {
  GLT_HOST_DEVICE void operator()(std::int64_t, std::int64_t, int) const {}
};

/// Sort of items into buckets; inside a bucket they keep the order of the list, so that places ascend.
///
/// Host policies use a counting sort, others a sort by key. Reusable; the memory is kept.
///
/// @where  memory of `Policy`
template <device_policy Policy>
class bucket_sort {
public:
  static constexpr memory_space space = Policy::space;

  explicit bucket_sort(Policy policy = {})
      : policy_(std::move(policy)), offsets_(0, policy_), places_(0, policy_), small_keys_(0, policy_),
        keys_(0, policy_) {}

  /// Sorts `count` items: item i goes to bucket bucket_of(i), which is in [0, num_buckets). Calls
  /// scatter(at, i, bucket) for every item, where `at` is its place in the sorted list.
  ///
  /// On host policies, exceptions of `bucket_of` propagate.
  ///
  /// @shape  → offsets [num_buckets + 1], the beginning of every bucket; valid until the next call
  /// @where  waits for the offsets
  /// @cost   O(count + num_buckets) on the host
  template <class BucketOf, class Scatter = scatter_nothing>
  std::span<std::int64_t const> sort(std::int64_t count, int num_buckets, BucketOf bucket_of, Scatter scatter = {}) {
    places_.clear(); // resize would copy the old content
    places_.resize(count);
    known_offsets_.assign(static_cast<std::size_t>(num_buckets) + 1, 0);
    if constexpr (host_policy<Policy>) {
      sort_by_counts(count, bucket_of, scatter);
    } else if (num_buckets <= 256) { // one digit to sort by
      sort_by_key(small_keys_, count, bucket_of, scatter);
    } else {
      sort_by_key(keys_, count, bucket_of, scatter);
    }
    return known_offsets_;
  }

  /// Returns the places of the items in the list, in the order of the buckets.
  ///
  /// @shape  [count]
  [[nodiscard]] array_view<space, std::int64_t const> places() const noexcept { return places_.view(); }

private:
  template <class BucketOf, class Scatter>
  void sort_by_counts(std::int64_t count, BucketOf& bucket_of, Scatter& scatter) {
    keys_.clear();
    keys_.resize(count);
    for (std::int64_t i = 0; i < count; ++i) {
      keys_[i] = bucket_of(i);
      ++known_offsets_[static_cast<std::size_t>(keys_[i]) + 1];
    }
    for (std::size_t k = 1; k < known_offsets_.size(); ++k) {
      known_offsets_[k] += known_offsets_[k - 1];
    }
    next_ = known_offsets_;
    for (std::int64_t i = 0; i < count; ++i) {
      auto const at = next_[static_cast<std::size_t>(keys_[i])]++;
      places_[at] = i;
      scatter(at, i, keys_[i]);
    }
  }

  template <class Key, class BucketOf, class Scatter>
  void sort_by_key(buffer<Policy, Key>& kept, std::int64_t count, BucketOf const& bucket_of, Scatter const& scatter) {
    auto const ex = policy_.executor();
    kept.clear();
    kept.resize(count);
    offsets_.resize(static_cast<std::int64_t>(known_offsets_.size()));
    auto const keys = kept.view();
    ex.for_each(count, bucket_keys<space, Key, BucketOf>{bucket_of, keys, places_.view()});
    ex.sort_by_key(keys, places_.view());
    ex.for_each(offsets_.size(), count_below<space, Key>{keys, offsets_.view()});
    ex.for_each(count, scatter_sorted<space, Key, Scatter>{keys, places_.view(), scatter});
    copy_out(policy_, offsets_.view(), host_view<std::int64_t>(known_offsets_));
  }

  Policy policy_;
  buffer<Policy, std::int64_t> offsets_;
  buffer<Policy, std::int64_t> places_;
  buffer<Policy, std::uint8_t> small_keys_;
  buffer<Policy, int> keys_;
  std::vector<std::int64_t> known_offsets_;
  std::vector<std::int64_t> next_;
};

} // namespace glt::detail
