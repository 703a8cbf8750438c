// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/detail/book_view.hpp>

#include <span>
#include <utility>
#include <vector>

namespace glt::detail {

/// Numbers vertices of a type among the vertices of all types; a vertex outside its type becomes −1.
template <memory_space Space, class Vertex>
struct join_ids {
  book_view<Space> book;                           // of the type
  array_view<Space, global_id const> first_joined; // [P]
  array_view<Space, Vertex const> vertices;
  global_id* joined;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const part = book.owner(vertices[i]);
    joined[i] = part < book.num_parts() ? first_joined[part] + (vertices[i] - book.begin(part)) : -1;
  }
};

/// Numbering of the vertices of all types together: part by part and, inside a part, type by type.
///
/// So one book and one routed list serve all types; the place of a row in its part gives its type. If there is only one
/// type, its numbers are kept.
///
/// @where  memory of `Policy`
template <device_policy Policy>
class typed_rows {
public:
  static constexpr memory_space space = Policy::space;

  /// @shape  books [T], each of num_parts parts
  /// @pre    there are types and parts, and every book has num_parts parts; not checked
  /// @throws precondition_error  if a part has more vertices of all types than a `local_id` can number
  /// @cost   O(P · T), in time and memory
  typed_rows(std::vector<partition_book> books, int num_parts, Policy policy = {})
      : policy_(policy), books_(std::move(books)), joined_(0, policy) {
    std::vector<global_id> ends{0};
    std::vector<std::vector<global_id>> first_joined(books_.size());
    for (int part = 0; part < num_parts; ++part) {
      first_.push_back(0);
      for (std::size_t t = 0; t < books_.size(); ++t) {
        first_joined[t].push_back(ends.back() + first_.back());
        first_.push_back(first_.back() + books_[t].size(part));
      }
      ends.push_back(ends.back() + first_.back());
    }
    book_ = partition_book(std::move(ends));
    for (std::size_t t = 0; t < books_.size(); ++t) {
      offsets_.push_back(make_buffer<Policy>(books_[t].offsets(), policy));
      first_joined_.push_back(make_buffer<Policy>(first_joined[t], policy));
    }
  }

  [[nodiscard]] int num_types() const noexcept { return static_cast<int>(books_.size()); }
  /// Returns the book of all types together.
  [[nodiscard]] partition_book const& book() const noexcept { return book_; }

  /// Returns the first row of every type in a part, and the end of the last type.
  ///
  /// @shape  [T + 1]
  /// @pre    part is in range; not checked
  [[nodiscard]] std::span<std::int64_t const> first_rows(int part) const noexcept {
    return std::span(first_).subspan(static_cast<std::size_t>(part) * (books_.size() + 1), books_.size() + 1);
  }

  /// Joins lists of vertices, type after type; valid until the next call.
  ///
  /// @shape  lists [T] · first_place [T + 1], the place of each type in the result
  /// @where  enqueues only; a vertex outside its type becomes −1, and `check` names it
  template <class Vertex>
  [[nodiscard]] array_view<space, global_id const> join(std::span<array_view<space, Vertex const> const> lists,
                                                        std::span<std::int64_t const> first_place) {
    joined_.clear();
    joined_.resize(first_place.back());
    for (std::size_t t = 0; t < lists.size(); ++t) {
      policy_.executor().for_each(lists[t].size(),
                                  join_ids<space, Vertex>{book_view<space>(std::as_const(offsets_[t]).view()),
                                                          std::as_const(first_joined_[t]).view(), lists[t],
                                                          joined_.data() + first_place[t]});
    }
    return std::as_const(joined_).view();
  }

  /// @shape  lists [T]
  /// @throws precondition_error  naming the first vertex outside its type
  template <class Vertex>
  void check(std::span<array_view<space, Vertex const> const> lists) const {
    for (std::size_t t = 0; t < lists.size(); ++t) {
      for (auto const vertex : to_vector(policy_, lists[t])) {
        static_cast<void>(books_[t].owner(vertex));
      }
    }
  }

private:
  Policy policy_;
  std::vector<partition_book> books_;
  partition_book book_;
  std::vector<std::int64_t> first_;                     // [P, T + 1]
  std::vector<buffer<Policy, global_id>> offsets_;      // of the books
  std::vector<buffer<Policy, global_id>> first_joined_; // [T], [P]
  buffer<Policy, global_id> joined_;
};

} // namespace glt::detail
