// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/detail/typed_rows.hpp>

#include "support/errors.hpp"

#include <glt/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

TEST_CASE("rows of all types are numbered without gaps, part by part and type by type") {
  std::vector<glt::partition_book> const books{glt::partition_book({0, 3, 3, 5}), glt::partition_book({0, 0, 0, 0}),
                                               glt::partition_book({0, 1, 9, 9})};
  glt::dist::typed_rows const rows(books, 3);
  CHECK(rows.num_types() == 3);
  CHECK(rows.book() == glt::partition_book({0, 4, 12, 14}));
  std::set<glt::global_id> seen;
  for (int t = 0; t < 3; ++t) {
    auto const& book = books[static_cast<std::size_t>(t)];
    for (glt::global_id v = 0; v < book.num_vertices(); ++v) {
      auto const id = rows.joined_id(t, v);
      auto const part = book.owner(v);
      CHECK(seen.insert(id).second);
      CHECK(rows.book().owner(id) == part);
      CHECK(rows.book().local(id) - rows.first_row(part, t) == book.local(v));
      CHECK(rows.book().local(id) < rows.first_row(part, t + 1));
    }
  }
  CHECK(seen.size() == 14);
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(rows.joined_id(2, 9)); }),
                        "vertex 9", "[0, 9)"));
}

TEST_CASE("without types every part is empty") {
  glt::dist::typed_rows const rows({}, 2);
  CHECK(rows.num_types() == 0);
  CHECK(rows.book() == glt::partition_book({0, 0, 0}));
}

TEST_CASE("a part with too many vertices of all types is refused") {
  std::int64_t const many = std::int64_t{1} << 30;
  std::vector<glt::partition_book> const books(2, glt::partition_book({0, 5, many + 5}));
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { glt::dist::typed_rows(books, 2); }), "part 1",
                        "make more parts"));
}
