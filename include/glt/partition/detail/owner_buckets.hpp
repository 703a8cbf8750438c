// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/detail/book_view.hpp>
#include <glt/partition/detail/bucket_sort.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace glt::detail {

/// The vertices of a list whose rows are complemented, and thus negative: those at places [first, last), except of one
/// part.
struct flagged_range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  int except = -1;
};

template <memory_space Space, class Vertex>
struct owner_of_place {
  book_view<Space> book;
  array_view<Space, Vertex> vertices;
  GLT_HOST_DEVICE int operator()(std::int64_t i) const { return book.owner(vertices[i]); }
};

template <memory_space Space, class Vertex>
struct put_row_in_part {
  book_view<Space> book;
  array_view<Space, Vertex> vertices;
  local_id* rows;
  flagged_range flagged;
  GLT_HOST_DEVICE void operator()(std::int64_t at, std::int64_t i, int part) const {
    auto const first = part < book.num_parts() ? book.begin(part) : global_id{0};
    auto const row = static_cast<local_id>(vertices[i] - first);
    rows[at] = i >= flagged.first && i < flagged.last && part != flagged.except ? ~row : row;
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

  explicit owner_buckets(Policy policy = {})
      : policy_(policy), sort_(policy), book_offsets_(0, policy), rows_(0, policy) {}

  /// Where every owner's bucket begins; `rows` and `places` are those of this list until the next call.
  ///
  /// @shape  vertices [S] → offsets [P + 1]
  /// @where  waits for the P + 2 numbers that the host gets
  /// @throws precondition_error  naming the first vertex that is not in [0, book.num_vertices())
  /// @cost   O(S log P)
  template <class Vertex>
    requires vertex_id<std::remove_const_t<Vertex>> std::span<std::int64_t const>
    sort(partition_book const& book, array_view<space, Vertex> vertices, flagged_range flagged = {}) {
      rows_.clear(); // what they held is not worth a copy
      rows_.resize(vertices.size());
      auto const view = view_of(book);
      auto const parts = book.num_parts(); // and a bucket of vertices that nobody owns
      auto const offsets =
          sort_.sort(vertices.size(), parts + 1, owner_of_place<space, Vertex>{view, vertices},
                     put_row_in_part<space, Vertex>{view, vertices, rows_.data(), flagged});
      if (auto const num_owned = offsets[static_cast<std::size_t>(parts)]; num_owned < vertices.size()) {
        auto const place = read_element(policy_, places(), num_owned);
        static_cast<void>(book.owner(read_element(policy_, vertices, place))); // throws
      }
      return offsets.first(static_cast<std::size_t>(parts) + 1);
    }

  /// The sorted vertices, by the numbers that their owners know them by.
  ///
  /// @shape  [S]
  [[nodiscard]] array_view<space, local_id const> rows() const noexcept { return rows_.view(); }
  /// Their places in the list.
  ///
  /// @shape  [S]
  [[nodiscard]] array_view<space, std::int64_t const> places() const noexcept { return sort_.places(); }

private:
  // The book where the executor reads it.
  book_view<space> view_of(partition_book const& book) {
    if constexpr (host_policy<Policy>) {
      return book_view<space>({book.offsets().data(), static_cast<std::int64_t>(book.offsets().size())});
    } else {
      if (book_offsets_.empty() || !(book_ == book)) {
        book_ = book;
        book_offsets_ = make_buffer<Policy>(book.offsets(), policy_);
      }
      return book_view<space>(std::as_const(book_offsets_).view());
    }
  }

  Policy policy_;
  bucket_sort<Policy> sort_;
  partition_book book_; // that `book_offsets_` is a copy of
  buffer<Policy, global_id> book_offsets_;
  buffer<Policy, local_id> rows_;
};

} // namespace glt::detail
