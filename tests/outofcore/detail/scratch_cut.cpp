// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/graphs.hpp"
#include "support/scratch.hpp"

#include <glt/io/parts/detail/parts_assembly.hpp>
#include <glt/outofcore/detail/parts.hpp>

#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("rows and values that are cut to a file are those that are cut to memory, of any number and shape") {
  glt_test::scratch_folder const scratch;
  std::vector<std::int16_t> values(600);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::int16_t>(i * 7);
  }
  for (auto const& shape : {std::vector<std::int64_t>{600}, {200, 3}, {50, 3, 4}}) {
    auto const from = io::array::of<std::int16_t>(values, shape);
    for (std::int64_t const count : {0, 1, 5, 40000}) {
      std::vector<std::int64_t> rows;
      for (std::int64_t i = 0; i < count; ++i) {
        rows.push_back((i * 31 + 7) % shape[0]);
      }
      auto const expected = io::detail::cut_rows(from, rows);
      auto const made = io::detail::cut_rows_to_scratch(from, rows, scratch / "cut");
      CHECK(made.type() == expected.type());
      CHECK(made.shape() == expected.shape());
      CHECK(to_vector(made.values<std::int16_t>()) == to_vector(expected.values<std::int16_t>()));
      auto const all = from.values<std::int16_t>();
      CHECK(to_vector(io::detail::cut_values_to_scratch(all, rows, scratch / "cut")) ==
            to_vector(io::detail::cut_values(all, rows)));
      CHECK(io::detail::cut_values_to_scratch(host_view<float const>(), rows, scratch / "cut").empty());
      CHECK(scratch.num_entries() == 0);
    }
  }
  auto const thin = io::array::of<float>(host_view<float const>(), {4, 0});
  CHECK(io::detail::cut_rows_to_scratch(thin, std::vector<std::int64_t>{3, 3}, scratch / "cut").shape() ==
        std::vector<std::int64_t>{2, 0});
}
