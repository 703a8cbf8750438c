// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/sampling/detail/hop_requests.hpp>

#include "support/errors.hpp"

#include <glt/core/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <vector>

TEST_CASE("rows of all types are numbered without gaps, part by part and type by type") {
  std::vector<glt::partition_book> const books{glt::partition_book({0, 3, 3, 5}), glt::partition_book({0, 0, 0, 0}),
                                               glt::partition_book({0, 1, 9, 9})};
  glt::detail::typed_rows<glt::device::cpu> rows(books, 3);
  CHECK(rows.num_types() == 3);
  CHECK(rows.book() == glt::partition_book({0, 4, 12, 14}));
  std::set<glt::global_id> seen;
  for (int t = 0; t < 3; ++t) {
    auto const& book = books[static_cast<std::size_t>(t)];
    std::vector<glt::global_id> all(static_cast<std::size_t>(book.num_vertices()));
    std::iota(all.begin(), all.end(), 0);
    std::vector<glt::host_view<glt::global_id const>> lists(3);
    lists[static_cast<std::size_t>(t)] = all;
    std::vector<std::int64_t> first_place(4, book.num_vertices());
    std::fill_n(first_place.begin(), t + 1, 0);
    auto const joined = rows.join(std::span<glt::host_view<glt::global_id const> const>(lists), first_place);
    REQUIRE(joined.size() == book.num_vertices());
    for (auto const v : all) {
      auto const id = joined[v];
      auto const part = book.owner(v);
      CHECK(seen.insert(id).second);
      CHECK(rows.book().owner(id) == part);
      CHECK(rows.book().local(id) - rows.first_rows(part)[static_cast<std::size_t>(t)] == book.local(v));
      CHECK(rows.book().local(id) < rows.first_rows(part)[static_cast<std::size_t>(t) + 1]);
    }
  }
  CHECK(seen.size() == 14);
  std::vector<glt::global_id> const wrong{8, 9};
  std::vector<glt::host_view<glt::global_id const>> const lists{{}, {}, wrong};
  std::span<glt::host_view<glt::global_id const> const> const views(lists);
  auto const joined = rows.join(views, std::vector<std::int64_t>{0, 0, 0, 2});
  CHECK(joined[0] >= 0);
  CHECK(joined[1] == -1);
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { rows.check(views); }), "vertex 9", "[0, 9)"));
}

TEST_CASE("without types every part is empty") {
  glt::detail::typed_rows<glt::device::cpu> const rows({}, 2);
  CHECK(rows.num_types() == 0);
  CHECK(rows.book() == glt::partition_book({0, 0, 0}));
}

TEST_CASE("a part with too many vertices of all types is refused") {
  std::int64_t const many = std::int64_t{1} << 30;
  std::vector<glt::partition_book> const books(2, glt::partition_book({0, 5, many + 5}));
  CHECK(glt_test::names(
      glt_test::thrown<glt::precondition_error>([&] { glt::detail::typed_rows<glt::device::cpu>(books, 2); }), "part 1",
      "make more parts"));
}
