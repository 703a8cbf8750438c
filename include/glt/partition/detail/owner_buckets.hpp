// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/ordering.hpp>
#include <glt/partition/book.hpp>

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
    offsets[k] = first_where(0, keys.size(), [&](std::int64_t i) { return static_cast<std::int64_t>(keys[i]) >= k; });
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

template <memory_space Space, class Vertex>
struct owner_of_place {
  book_view<Space> book;
  array_view<Space, Vertex> vertices;
  GLT_HOST_DEVICE int operator()(std::int64_t i) const { return book.owner(vertices[i]); }
};

template <memory_space Space, class Vertex>
struct scatter_row_of_part {
  book_view<Space> book;
  array_view<Space, Vertex> vertices;
  local_id* rows;
  std::int64_t num_flagged;
  int unflagged; // a part
  GLT_HOST_DEVICE void operator()(std::int64_t at, std::int64_t i, int part) const {
    auto const first = part < book.num_parts() ? book.begin(part) : global_id{0};
    auto const row = static_cast<local_id>(vertices[i] - first);
    rows[at] = i < num_flagged && part != unflagged ? ~row : row;
  }
};

/// Sort of lists of vertices by the part that owns them; inside a bucket they keep the order of the list.
///
/// Reusable; the memory is kept.
///
/// @where  memory of `Policy`
template <device_policy Policy>
class owner_buckets {
public:
  static constexpr memory_space space = Policy::space;

  explicit owner_buckets(partition_book book, Policy policy = {})
      : book_(std::move(book)), policy_(std::move(policy)),
        book_offsets_(make_buffer<Policy>(book_.offsets(), policy_)), sort_(policy_), rows_(0, policy_) {}

  /// Sorts a list and returns the beginning of every owner's bucket; `rows` and `places` refer to this list until the
  /// next call. The rows of the first `num_flagged` vertices are complemented (and thus negative), except rows of the
  /// part `unflagged`.
  ///
  /// @shape  vertices [S] → offsets [P + 1]
  /// @where  waits for P + 2 numbers on the host
  /// @throws precondition_error  naming the first vertex that is not in [0, book.num_vertices())
  /// @cost   O(S log P)
  template <class Vertex>
    requires vertex_id<std::remove_const_t<Vertex>>
  std::span<std::int64_t const> sort(array_view<space, Vertex> vertices, std::int64_t num_flagged = 0,
                                     int unflagged = -1) {
    rows_.clear(); // resize would copy the old content
    rows_.resize(vertices.size());
    auto const parts = book_.num_parts(); // the last bucket is for vertices without an owner
    auto const offsets =
        sort_.sort(vertices.size(), parts + 1, owner_of_place<space, Vertex>{view_of_book(), vertices},
                   scatter_row_of_part<space, Vertex>{view_of_book(), vertices, rows_.data(), num_flagged, unflagged});
    if (auto const num_owned = offsets[static_cast<std::size_t>(parts)]; num_owned < vertices.size()) {
      auto const place = read_element(policy_, places(), num_owned);
      static_cast<void>(book_.owner(read_element(policy_, vertices, place))); // throws
    }
    return offsets.first(static_cast<std::size_t>(parts) + 1);
  }

  /// Returns the sorted vertices as local ids of their owners.
  ///
  /// @shape  [S]
  [[nodiscard]] array_view<space, local_id const> rows() const noexcept { return rows_.view(); }
  /// Returns their places in the list.
  ///
  /// @shape  [S]
  [[nodiscard]] array_view<space, std::int64_t const> places() const noexcept { return sort_.places(); }

  [[nodiscard]] partition_book const& book() const noexcept { return book_; }
  /// Returns the book's offsets in memory of the policy.
  [[nodiscard]] book_view<space> view_of_book() const noexcept { return book_view<space>(book_offsets_.view()); }

private:
  partition_book book_;
  Policy policy_;
  buffer<Policy, global_id> book_offsets_;
  bucket_sort<Policy> sort_;
  buffer<Policy, local_id> rows_;
};

} // namespace glt::detail
