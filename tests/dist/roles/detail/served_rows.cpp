// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/serve_data.hpp>

#include "support/distant_policy.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace {

template <class Policy>
void check_reader(Policy const& policy) {
  std::vector<std::int16_t> values;
  for (std::int16_t i = 0; i < 5 * 3; ++i) {
    values.push_back(i);
  }
  auto const there = glt::make_buffer(values, policy);
  glt::feature_view<Policy::space, std::int16_t> const rows{.features = {there.data(), 5, 3}};
  auto const read = glt::detail::make_row_reader(glt::detail::without_type(rows), policy);
  for (auto const& wanted : {std::vector<glt::local_id>{4, 0, 4}, std::vector<glt::local_id>{}}) {
    std::vector<std::int16_t> expected;
    for (auto const row : wanted) {
      for (int c = 0; c < 3; ++c) {
        expected.push_back(static_cast<std::int16_t>(row * 3 + c));
      }
    }
    auto const bytes = read(wanted);
    std::vector<std::int16_t> got(bytes.size() / sizeof(std::int16_t));
    if (!got.empty()) {
      std::memcpy(got.data(), bytes.data(), bytes.size());
    }
    CHECK(got == expected);
  }
}

} // namespace

TEST_CASE("rows are read in the order of a list, out of memory that the host reaches or does not") {
  check_reader(glt::device::cpu());
  check_reader(glt_test::distant_policy());
}
