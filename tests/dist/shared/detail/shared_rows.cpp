// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/shared/detail/shared_rows.hpp>

#include "support/errors.hpp"

#include <cstddef>
#include <optional>
#include <vector>

using glt::detail::shared_rows;

namespace {

glt::node_views<int> views_of(std::vector<bool> const& shared) {
  glt::node_views<int> views;
  for (bool const is_shared : shared) {
    views.of_rank.push_back(is_shared ? std::optional(7) : std::nullopt);
  }
  views.reason = "far away";
  return views;
}

} // namespace

TEST_CASE("the parts of which there are views are shared, but for the own one") {
  std::vector<std::vector<bool>> const cases{
      {true, true, true, true}, {true, false, true, false}, {false, false, true, true}, {true, true, false, true}};
  for (auto const& shared : cases) {
    std::size_t const self = shared[0] ? 0 : 2;
    shared_rows const parts(views_of(shared), static_cast<int>(self), 4);
    CHECK(parts.any());
    CHECK(parts.reason() == "far away");
    REQUIRE(parts.flags().size() == 4);
    for (std::size_t part = 0; part < 4; ++part) {
      CHECK(parts.has(part) == (shared[part] && part != self));
      CHECK(parts.has(part) == (parts.flags()[part] != 0));
    }
  }
}

TEST_CASE("without another shared rank nothing is shared, and a reason is given") {
  CHECK_FALSE(shared_rows().any());
  CHECK(shared_rows().flags().empty());
  CHECK_FALSE(shared_rows().has(0));
  CHECK(glt_test::names(shared_rows().reason(), "share no memory", "read_in_place"));
  shared_rows const alone(views_of({false, true, false}), 1, 3);
  CHECK_FALSE(alone.any());
  CHECK(alone.reason() == "far away");
  CHECK_FALSE(shared_rows(views_of({true}), 0, 1).any());
}

TEST_CASE("views that are not one per rank, or lack the own one, are refused") {
  auto const refused = [](std::vector<bool> const& shared, int rank, int ranks) {
    return glt_test::thrown<glt::precondition_error>([&] { shared_rows(views_of(shared), rank, ranks); });
  };
  CHECK(glt_test::names(refused({true, true}, 0, 3), "views of 2 ranks for 3 ranks"));
  CHECK(glt_test::names(refused({true, false, true}, 1, 3), "own rows"));
}
