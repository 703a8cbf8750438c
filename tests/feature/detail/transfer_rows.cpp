// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/executors.hpp"

#include <glt/core/element_type.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/transfer_rows.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

template <class T>
feature_view<memory_space::host, T> view_of(std::vector<T> const& rows, std::int64_t columns,
                                            host_view<float const> scales = {}) {
  return {.features = {rows.data(), static_cast<std::int64_t>(rows.size()) / columns, columns}, .scales = scales};
}

} // namespace

TEST_CASE("rows are copied, converted or scaled, as their type and the result's say") {
  std::vector<std::int8_t> const integers{1, -2, 3, -4, 127, -127};
  std::vector<float> const scales{0.5F, 4};
  std::vector<bfloat16> const halves{bfloat16(1.5F), bfloat16(-2), bfloat16(8), bfloat16(0)};
  std::vector<std::int64_t> const from{2, 0, 2};
  std::vector<std::int32_t> const to{0, 3, 1};
  detail::rows_listed<std::int64_t> const listed{from.data()};
  detail::rows_listed<std::int32_t> const places{to.data()};
  for_each_executor([&](std::string const& name, auto const& ex) {
    CAPTURE(name);
    std::vector<float> out(8, -1);
    detail::transfer_rows(ex, 3, view_of(integers, 2), listed, places, out.data());
    CHECK(out == std::vector<float>{127, -127, 127, -127, -1, -1, 1, -2});
    detail::transfer_rows<detail::streamed_writes>(ex, 3, view_of(integers, 2, scales), listed, places, out.data());
    CHECK(out == std::vector<float>{63.5F, -508, 63.5F, -508, -1, -1, 0.5F, -8});
    std::vector<std::int8_t> same(8, 9); // as stored, scales or not
    detail::transfer_rows(ex, 3, view_of(integers, 2, scales), listed, places, same.data());
    CHECK(same == std::vector<std::int8_t>{127, -127, 127, -127, 9, 9, 1, -2});
    std::vector<double> wide(4, -1);
    detail::transfer_rows(ex, 2, view_of(halves, 2), detail::rows_in_order{}, detail::rows_in_order{}, wide.data());
    CHECK(wide == std::vector<double>{1.5, -2, 8, 0});
    detail::transfer_rows(ex, 0, view_of(halves, 2), detail::rows_in_order{}, detail::rows_in_order{}, wide.data());
    CHECK(wide == std::vector<double>{1.5, -2, 8, 0});
  });
}
