// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/hotness/hot_rows.hpp>

#include <glt/memory/buffer.hpp>

#include "support/errors.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

using glt::device::cpu;
using kept_rows = glt::dist::hot_rows<cpu, float>;

static_assert(!std::is_copy_constructible_v<kept_rows> && std::is_nothrow_move_constructible_v<kept_rows>);

namespace {

kept_rows make_rows(std::vector<glt::global_id> const& vertices) {
  auto const count = static_cast<std::int64_t>(vertices.size());
  std::vector<float> values;
  for (auto const v : vertices) {
    values.push_back(static_cast<float>(v));
    values.push_back(-1);
  }
  return {glt::make_buffer<cpu>(vertices), glt::feature_store<cpu, float>(count, 2, glt::make_buffer<cpu>(values))};
}

} // namespace

TEST_CASE("vertices have the rows that they were given") {
  for (std::int64_t const count : {0, 1, 100}) {
    std::vector<glt::global_id> vertices;
    for (std::int64_t i = 0; i < count; ++i) {
      vertices.push_back(i * 7 % 101);
    }
    auto made = make_rows(vertices);
    auto const hot = std::move(made);
    CHECK(hot.size() == count);
    for (auto const vertex : vertices) {
      CHECK(hot.rows().features(hot.vertices().find(vertex), 0) == static_cast<float>(vertex));
    }
    CHECK(hot.vertices().find(101) == -1);
  }
}

TEST_CASE("the capacity of a budget is the most rows that fit it") {
  for (std::int64_t const columns : {0, 1, 128}) {
    for (bool const labels : {false, true}) {
      for (std::int64_t const budget : {-1, 0, 15, 16, 100, 4096, 1'000'000}) {
        auto const count = kept_rows::capacity(budget, columns, labels);
        auto const bytes = [&](std::int64_t n) {
          std::vector<glt::global_id> vertices;
          for (std::int64_t v = 0; v < n; ++v) {
            vertices.push_back(v);
          }
          return kept_rows(glt::make_buffer<cpu>(vertices),
                           glt::feature_store<cpu, float>(n, columns, glt::buffer<cpu, float>(n * columns),
                                                          glt::buffer<cpu, glt::detail::label_type>(labels ? n : 0)))
              .bytes();
        };
        CHECK(bytes(count) <= std::max<std::int64_t>(budget, 0));
        CHECK((bytes(count + 1) > budget || count == 0));
        if (count > 100) {
          CHECK(2 * bytes(count) > budget);
        }
      }
    }
  }
  CHECK(kept_rows::capacity(std::int64_t{1} << 62, 1, false) == 2147483647);
  CHECK(kept_rows{}.bytes() == 0);
  CHECK(kept_rows{}.vertices().find(3) == -1);
}

TEST_CASE("rows without their vertices, and vertices that come twice or do not exist, are refused") {
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([] { make_rows({4, 7, 4}); }), "hot vertex 2 is 4"));
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([] { make_rows({4, -7}); }), "hot vertex 1 is -7"));
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([] {
                          kept_rows(glt::make_buffer<cpu>(std::vector<glt::global_id>{1, 2}),
                                    glt::feature_store<cpu, float>(1, 1, glt::buffer<cpu, float>(1)));
                        }),
                        "1 hot rows for 2 vertices"));
}
