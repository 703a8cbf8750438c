// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/detail/book_view.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace glt::detail {

template <memory_space Space, class Key, class Vertex>
struct key_by_owner {
  book_view<Space> book;
  array_view<Space, Vertex> vertices;
  array_view<Space, Key> keys;
  array_view<Space, std::int64_t> places;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    keys[i] = static_cast<Key>(book.owner(vertices[i]));
    places[i] = i;
  }
};

// How many of the sorted keys are below k.
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

template <memory_space Space, class Key, class Vertex>
struct row_in_part {
  book_view<Space> book;
  array_view<Space, Vertex> vertices;
  array_view<Space, Key> keys;
  array_view<Space, std::int64_t> places;
  array_view<Space, local_id> rows;
  std::int64_t num_marked;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const part = static_cast<int>(keys[i]);
    auto const first = part < book.num_parts() ? book.begin(part) : global_id{0};
    auto const row = static_cast<local_id>(vertices[places[i]] - first);
    rows[i] = places[i] < num_marked ? ~row : row;
  }
};

/// Sorts lists of vertices by the part that owns them; inside a bucket they keep the order of the list.
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
        book_offsets_(make_buffer<Policy>(book_.offsets(), policy_)), offsets_(book_.num_parts() + 2, policy_),
        rows_(0, policy_), places_(0, policy_), small_keys_(0, policy_), keys_(0, policy_) {}

  /// Where every owner's bucket begins; `rows` and `places` are those of this list until the next call. The rows of
  /// the first `num_marked` vertices are complemented (and thus negative).
  ///
  /// @shape  vertices [S] → offsets [P + 1]
  /// @where  waits for the P + 2 numbers that the host gets
  /// @throws precondition_error  naming the first vertex that is not in [0, book.num_vertices())
  /// @cost   O(S log P)
  template <class Vertex>
    requires vertex_id<std::remove_const_t<Vertex>>
  std::span<std::int64_t const> sort(array_view<space, Vertex> vertices, std::int64_t num_marked = 0) {
    rows_.clear(); // what they held is not worth a copy
    rows_.resize(vertices.size());
    places_.clear();
    places_.resize(vertices.size());
    if constexpr (host_policy<Policy>) {
      count(vertices, num_marked);
    } else if (book_.num_parts() < 256) { // one digit to sort by
      by_key(small_keys_, vertices, num_marked);
    } else {
      by_key(keys_, vertices, num_marked);
    }
    if (auto const num_owned = known_offsets_[num_buckets() - 1]; num_owned < vertices.size()) {
      auto const place = read_element(policy_, places(), num_owned);
      static_cast<void>(book_.owner(read_element(policy_, vertices, place))); // throws
    }
    return std::span<std::int64_t const>(known_offsets_).first(num_buckets());
  }

  /// The sorted vertices, by the numbers that their owners know them by.
  ///
  /// @shape  [S]
  [[nodiscard]] array_view<space, local_id const> rows() const noexcept { return rows_.view(); }
  /// Their places in the list.
  ///
  /// @shape  [S]
  [[nodiscard]] array_view<space, std::int64_t const> places() const noexcept { return places_.view(); }
  /// What `sort` returned last, in memory of the policy.
  ///
  /// @shape  [P + 1]
  [[nodiscard]] array_view<space, std::int64_t const> offsets() const noexcept {
    return offsets_.view().subview(0, book_.num_parts() + 1);
  }

  [[nodiscard]] partition_book const& book() const noexcept { return book_; }
  /// The book's offsets in memory of the policy.
  [[nodiscard]] book_view<space> view_of_book() const noexcept { return book_view<space>(book_offsets_.view()); }

private:
  // One a part, and one of vertices without an owner.
  [[nodiscard]] std::size_t num_buckets() const noexcept { return static_cast<std::size_t>(book_.num_parts()) + 1; }

  template <class Key, class Vertex>
  void by_key(buffer<Policy, Key>& kept, array_view<space, Vertex> vertices, std::int64_t num_marked) {
    auto const ex = policy_.executor();
    kept.clear();
    kept.resize(vertices.size());
    auto const keys = kept.view();
    ex.for_each(keys.size(), key_by_owner<space, Key, Vertex>{view_of_book(), vertices, keys, places_.view()});
    ex.sort_by_key(keys, places_.view());
    ex.for_each(offsets_.size(), count_below<space, Key>{keys, offsets_.view()});
    ex.for_each(keys.size(), row_in_part<space, Key, Vertex>{view_of_book(), vertices, keys, places_.view(),
                                                                     rows_.view(), num_marked});
    known_offsets_.resize(num_buckets() + 1);
    copy_out(policy_, offsets_.view(), host_view<std::int64_t>(known_offsets_));
  }

  template <class Vertex>
  void count(array_view<space, Vertex> vertices, std::int64_t num_marked) {
    keys_.resize(vertices.size());
    known_offsets_.assign(num_buckets() + 1, 0);
    auto const book = view_of_book();
    for (std::int64_t i = 0; i < vertices.size(); ++i) {
      keys_[i] = book.owner(vertices[i]);
      ++known_offsets_[static_cast<std::size_t>(keys_[i]) + 1];
    }
    for (std::size_t k = 1; k < known_offsets_.size(); ++k) {
      known_offsets_[k] += known_offsets_[k - 1];
    }
    copy_in(policy_, host_view<std::int64_t const>(known_offsets_), offsets_.view());
    next_ = known_offsets_;
    for (std::int64_t i = 0; i < vertices.size(); ++i) {
      auto const at = next_[static_cast<std::size_t>(keys_[i])]++;
      places_[at] = i;
      auto const first = keys_[i] < book_.num_parts() ? book_.begin(keys_[i]) : 0;
      auto const row = static_cast<local_id>(vertices[i] - first);
      rows_[at] = i < num_marked ? ~row : row;
    }
  }

  partition_book book_;
  Policy policy_;
  buffer<Policy, global_id> book_offsets_;
  buffer<Policy, std::int64_t> offsets_;
  buffer<Policy, local_id> rows_;
  buffer<Policy, std::int64_t> places_;
  buffer<Policy, std::uint8_t> small_keys_;
  buffer<Policy, int> keys_;
  std::vector<std::int64_t> known_offsets_;
  std::vector<std::int64_t> next_;
};

} // namespace glt::detail
