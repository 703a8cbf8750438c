// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/detail/row_lists.hpp>

#include <array>
#include <cstdint>

using glt::local_id;

TEST_CASE("a piece of a list has its rows, its places and those of its flagged rows that are in it") {
  std::array<local_id, 5> const rows{~3, ~0, 4, 1, 2};
  std::array<std::int64_t, 5> const places{0, 1, 5, 6, 9};
  glt::detail::row_list const list{rows.data(), places.data(), 5, 2};
  for (std::int64_t begin = 0; begin <= 5; ++begin) {
    for (std::int64_t end = begin; end <= 5; ++end) {
      auto const piece = list.part(begin, end);
      CHECK(piece.size == end - begin);
      std::int64_t flagged = 0;
      for (std::int64_t i = 0; i < piece.size; ++i) {
        CHECK(piece.rows[i] == rows[static_cast<std::size_t>(begin + i)]);
        CHECK(piece.places[i] == places[static_cast<std::size_t>(begin + i)]);
        flagged += piece.rows[i] < 0 ? 1 : 0;
      }
      CHECK(piece.num_flagged == flagged);
    }
  }
  CHECK(glt::detail::row_list{rows.data(), nullptr, 5, 2}.part(1, 3).places == nullptr);
}

TEST_CASE("a flag does not change which row is meant") {
  for (local_id const row : {0, 1, 17, 2147483647}) {
    CHECK(glt::detail::unflagged(row) == row);
    CHECK(glt::detail::unflagged(~row) == row);
  }
  std::array<local_id, 3> const rows{~0, 7, ~9};
  glt::detail::rows_unflagged const of{rows.data()};
  CHECK(of(0) == 0);
  CHECK(of(1) == 7);
  CHECK(of(2) == 9);
}
