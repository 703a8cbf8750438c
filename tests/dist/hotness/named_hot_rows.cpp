// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/hotness/hot_rows.hpp>

#include "support/errors.hpp"
#include "support/named_tables.hpp"

#include <cstdint>
#include <vector>

using glt::device::cpu;

TEST_CASE("vertices have the rows that they were given, and rows without a vertex are refused") {
  std::vector<glt::global_id> const vertices{40, 3, 17};
  glt::dist::named_hot_rows const hot(glt::make_buffer<cpu>(vertices), glt_test::named_table(vertices));
  CHECK(hot.size() == 3);
  CHECK(hot.rows().view<std::int64_t>("year").features(hot.vertices().find(17), 0) ==
        static_cast<std::int64_t>(glt_test::named_value(17, 1, 0)));
  CHECK(hot.row_bytes(hot.rows()) == 5 * 2 + 8 + 3 + 40 * 4 + 8);
  CHECK(hot.bytes() == glt::detail::hot_bytes(3, 189));
  auto const error = [](std::vector<glt::global_id> const& ids) {
    return glt_test::thrown<glt::precondition_error>(
        [&] { glt::dist::named_hot_rows(glt::make_buffer<cpu>(ids), glt_test::named_table({1, 2})); });
  };
  CHECK(glt_test::names(error({1}), "2 hot rows for 1 vertices"));
  CHECK(glt_test::names(error({1, 1}), "hot vertex 1 is 1"));
}
