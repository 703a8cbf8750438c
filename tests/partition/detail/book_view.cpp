// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/partition/book.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

static_assert(std::is_trivially_copyable_v<glt::detail::book_view<glt::memory_space::device>>);

TEST_CASE("a view of a book says what the book says, and who owns nothing") {
  for (auto const& offsets : {std::vector<glt::global_id>{0, 0}, {0, 1}, {0, 3, 3, 10}, {0, 0, 0, 5, 5, 6, 6}}) {
    glt::partition_book const book(offsets);
    glt::detail::book_view<glt::memory_space::host> const view(book.offsets());
    CHECK(view.num_parts() == book.num_parts());
    CHECK(view.num_vertices() == book.num_vertices());
    for (glt::global_id v = 0; v < book.num_vertices(); ++v) {
      CHECK(view.owner(v) == book.owner(v));
      CHECK(view.begin(view.owner(v)) == book.begin(book.owner(v)));
    }
    for (auto const v : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(), book.num_vertices(),
                         std::numeric_limits<std::int64_t>::max()}) {
      CHECK(view.owner(v) == book.num_parts());
    }
  }
}
