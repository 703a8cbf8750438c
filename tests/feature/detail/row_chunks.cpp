// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/element_type.hpp>
#include <glt/feature/detail/convert_rows.hpp>
#include <glt/feature/detail/transfer_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace glt;

TEST_CASE("chunks are as wide as rows and addresses allow, up to 16 bytes") {
  CHECK(detail::common_alignment(0, 512) == 16);
  CHECK(detail::common_alignment(0, 0) == 16);
  CHECK(detail::common_alignment(64, 24) == 8);
  CHECK(detail::common_alignment(64, 132) == 4);
  CHECK(detail::common_alignment(64 | 2, 128) == 2);
  CHECK(detail::common_alignment(64, 7) == 1);
  CHECK(detail::common_alignment(64 | 1, 128) == 1);
}

TEST_CASE("elements are converted in runs where these are aligned") {
  using rows = detail::rows_at<std::byte const, detail::rows_in_order>;
  using places = detail::rows_at<std::byte, detail::rows_in_order>;
  using halves = detail::convert_chunks<bfloat16, float, rows, places, detail::cast_element<bfloat16, float>>;
  CHECK(halves::access_of(128, 64, 64) == detail::element_access::runs);
  CHECK(halves::access_of(128, 8, 16) == detail::element_access::runs);
  CHECK(halves::access_of(0, 8, 16) == detail::element_access::runs);
  CHECK(halves::access_of(127, 64, 64) == detail::element_access::elements);
  CHECK(halves::access_of(128, 2, 64) == detail::element_access::elements);
  CHECK(halves::access_of(128, 64, 8) == detail::element_access::elements);
  CHECK(halves::access_of(128, 1, 64) == detail::element_access::bytes);
  CHECK(halves::access_of(128, 64, 2) == detail::element_access::bytes);
  CHECK(alignof(detail::element_run<std::int8_t, 4>) == 4);
  CHECK(alignof(detail::element_run<double, 4>) == 16);
  CHECK(sizeof(detail::element_run<double, 4>) == 32);
}

TEST_CASE("a group of rows ends with the last row") {
  CHECK(detail::groups_of_rows(0) == 0);
  CHECK(detail::groups_of_rows(1) == 1);
  CHECK(detail::groups_of_rows(detail::rows_in_flight) == 1);
  CHECK(detail::groups_of_rows(detail::rows_in_flight + 1) == 2);
  std::vector<std::uint32_t> const in{1, 2, 3, 4, 5, 6};
  std::vector<std::uint32_t> out(7, 9);
  detail::copy_chunks<detail::rows_at<std::byte const, detail::rows_in_order>,
                      detail::rows_at<std::byte, detail::rows_in_order>> const copy{
      {reinterpret_cast<std::byte const*>(in.data()), 4, {}}, {reinterpret_cast<std::byte*>(out.data()), 4, {}}, 6, 4};
  copy(1, 0);
  CHECK(out == std::vector<std::uint32_t>{9, 9, 9, 9, 5, 6, 9});
  copy(0, 0);
  CHECK(out == std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 9});
}
