// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/partition/book.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace glt::dist {

/// Numbers the vertices of all types together: part by part and, inside a part, type by type.
///
/// One book and one list of requests then serve all types, and where a row lies in its part tells its type.
class typed_rows {
public:
  /// No types, no parts.
  typed_rows() = default;

  /// @shape  books [T], each of num_parts parts
  /// @pre    num_parts > 0, and the books have as many parts; not checked
  /// @throws precondition_error  if a part has more vertices of all types than a `local_id` can number
  /// @cost   O(P · T), in time and memory
  typed_rows(std::vector<partition_book> books, int num_parts) : books_(std::move(books)) {
    std::vector<global_id> ends{0};
    for (int part = 0; part < num_parts; ++part) {
      std::int64_t row = 0;
      first_.push_back(row);
      for (auto const& book : books_) {
        row += book.size(part);
        first_.push_back(row);
      }
      ends.push_back(ends.back() + row);
    }
    joined_ = partition_book(std::move(ends));
  }

  [[nodiscard]] int num_types() const noexcept { return static_cast<int>(books_.size()); }
  /// The book of all types together.
  [[nodiscard]] partition_book const& book() const noexcept { return joined_; }

  /// The first row of a type in a part; that of type `num_types()` is the number of rows.
  ///
  /// @pre    part and type are in range; not checked
  [[nodiscard]] std::int64_t first_row(int part, int type) const noexcept {
    return first_[static_cast<std::size_t>(part) * (books_.size() + 1) + static_cast<std::size_t>(type)];
  }

  /// The number among all types of vertex `vertex` of its type.
  ///
  /// @pre    type is in range; not checked
  /// @throws precondition_error  if the type has no such vertex
  /// @cost   O(log P)
  [[nodiscard]] global_id joined_id(int type, global_id vertex) const {
    auto const& book = books_[static_cast<std::size_t>(type)];
    int const part = book.owner(vertex);
    return joined_.begin(part) + first_row(part, type) + (vertex - book.begin(part));
  }

private:
  std::vector<partition_book> books_;
  partition_book joined_;
  std::vector<std::int64_t> first_; // [P, T + 1]
};

} // namespace glt::dist
