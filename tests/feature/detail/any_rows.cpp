// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/feature/detail/any_rows.hpp>

#include "support/errors.hpp"

#include <cstdint>
#include <vector>

TEST_CASE("rows without their type are read as what they are, and as nothing else") {
  std::vector<std::int8_t> const values{1, 2, 3, 4, 5, 6};
  std::vector<float> const scales{0.5F, 2, 1};
  using view = glt::feature_view<glt::memory_space::host, std::int8_t>;
  auto const rows = glt::detail::without_type(view{.features = {values.data(), 2, 3}, .labels = {}, .scales = scales});
  CHECK(rows.type == glt::element_type::int8);
  CHECK(rows.row_bytes() == 3);
  CHECK(rows.scales.size() == 3);
  auto const read = rows.as<std::int8_t>();
  CHECK(read.rows() == 2);
  CHECK(read(1, 2) == 6);
  CHECK(read.data() == values.data());
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(rows.as<float>()); }),
                        "rows of int8 read as float32"));
  glt::detail::any_rows<glt::memory_space::host> const none;
  CHECK(none.as<float>().rows() == 0);
  CHECK(none.row_bytes() == 0);
}
