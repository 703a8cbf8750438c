// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/shared/detail/shared_rows.hpp>

#include "support/errors.hpp"

#include <cstddef>
#include <cstdint>
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

TEST_CASE("a list is divided into rows by shared part and the rest, each in list order") {
  glt::partition_book const book({0, 10, 10, 25, 31});
  std::vector<std::vector<bool>> const cases{
      {true, true, true, true}, {true, false, true, false}, {false, false, true, true}, {true, true, false, true}};
  for (auto const& shared : cases) {
    auto const self = shared[0] ? 0 : 2;
    shared_rows divided(views_of(shared), self, 4);
    CHECK(divided.any());
    CHECK(divided.reason() == "far away");
    REQUIRE(divided.num_parts() == 4);
    for (int length : {0, 1, 3, 64, 211}) {
      std::vector<glt::global_id> list;
      for (int i = 0; i < length; ++i) {
        list.push_back((i * 17 + length) % 31);
      }
      divided.divide(book, glt::host_view<glt::global_id const>(list));
      std::vector<std::vector<glt::local_id>> rows(4);
      std::vector<std::vector<std::int64_t>> places(4);
      std::vector<glt::global_id> rest;
      std::vector<std::int64_t> rest_places;
      for (int i = 0; i < length; ++i) {
        auto const vertex = list[static_cast<std::size_t>(i)];
        auto const owner = static_cast<std::size_t>(book.owner(vertex));
        if (shared[owner]) {
          rows[owner].push_back(book.local(vertex));
          places[owner].push_back(i);
        } else {
          rest.push_back(vertex);
          rest_places.push_back(i);
        }
      }
      for (std::size_t part = 0; part < 4; ++part) {
        CHECK(divided.is_shared(part) == shared[part]);
        CHECK(std::vector(divided.rows_of(part).begin(), divided.rows_of(part).end()) == rows[part]);
        CHECK(std::vector(divided.places_of(part).begin(), divided.places_of(part).end()) == places[part]);
      }
      CHECK(std::vector(divided.rest().begin(), divided.rest().end()) == rest);
      CHECK(std::vector(divided.rest_places().begin(), divided.rest_places().end()) == rest_places);
    }
  }
}

TEST_CASE("without another shared rank nothing is shared, and a reason is given") {
  CHECK_FALSE(shared_rows().any());
  CHECK(shared_rows().num_parts() == 0);
  CHECK(glt_test::names(shared_rows().reason(), "read_in_place"));
  shared_rows const alone(views_of({false, true, false}), 1, 3);
  CHECK_FALSE(alone.any());
  CHECK(alone.reason() == "far away");
  CHECK_FALSE(shared_rows(views_of({true}), 0, 1).any());
}

TEST_CASE("views that are not one per rank, or lack the own one, are refused, as are vertices that do not exist") {
  auto const refused = [](std::vector<bool> const& shared, int rank, int ranks) {
    return glt_test::thrown<glt::precondition_error>([&] { shared_rows(views_of(shared), rank, ranks); });
  };
  CHECK(glt_test::names(refused({true, true}, 0, 3), "views of 2 ranks", "rank 0 of 3"));
  CHECK(glt_test::names(refused({true, false, true}, 1, 3), "own rows"));
  shared_rows divided(views_of({true, true}), 0, 2);
  std::vector<std::int32_t> const list{0, 9};
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] {
                          divided.divide(glt::partition_book({0, 4, 9}), glt::host_view<std::int32_t const>(list));
                        }),
                        "vertex 9", "[0, 9)"));
}
