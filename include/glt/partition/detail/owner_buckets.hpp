// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/detail/book_view.hpp>
#include <glt/partition/detail/bucket_sort.hpp>

namespace glt::detail {

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
