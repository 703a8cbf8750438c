// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/full_batch/detail/column_sums.hpp>

#include "support/policies.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

template <glt::memory_space Space>
struct doubled {
  glt::array_view<Space, double const> of_columns;
  GLT_HOST_DEVICE double operator()(std::int64_t row, std::int64_t column) const {
    return static_cast<double>(row + 1) * of_columns[column];
  }
};

struct row_and_column {
  GLT_HOST_DEVICE glt::detail::sum_pair operator()(std::int64_t row, std::int64_t column) const {
    return {static_cast<double>(row), static_cast<double>(column)};
  }
};

} // namespace

TEST_CASE_TEMPLATE("columns are summed over all rows, in panels and alone", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  for (std::int64_t const rows : {0, 1, 255, 256, 257, 1000}) {
    for (std::int64_t const columns : {0, 1, 7, 8, 9, 24, 31}) {
      CAPTURE(rows);
      CAPTURE(columns);
      std::vector<double> factors;
      for (std::int64_t column = 0; column < columns; ++column) {
        factors.push_back(static_cast<double>(3 * column - 5));
      }
      auto const there = glt::make_buffer(factors, policy);
      auto const all = static_cast<double>(rows);
      auto const sums = glt::detail::column_sums<double>(policy, rows, columns, doubled<Policy::space>{there.view()});
      auto const pairs = glt::detail::column_sums<glt::detail::sum_pair>(policy, rows, columns, row_and_column{});
      REQUIRE(sums.size() == factors.size());
      REQUIRE(pairs.size() == factors.size());
      for (std::size_t column = 0; column < sums.size(); ++column) {
        CHECK(sums[column] == all * (all + 1) / 2 * factors[column]);
        CHECK(pairs[column].first == all * (all - 1) / 2);
        CHECK(pairs[column].second == all * static_cast<double>(column));
      }
    }
  }
}
