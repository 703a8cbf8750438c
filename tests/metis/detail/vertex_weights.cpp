// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/metis/partitioner.hpp>

#include "support/errors.hpp"

#include <cstdint>
#include <vector>

TEST_CASE("without limits METIS counts vertices itself") {
  auto const made = glt::detail::make_metis_weights(5, 0.25, {});
  CHECK(made.values.empty());
  CHECK(made.tolerances == std::vector<real_t>{1.25F});
}

TEST_CASE("vertices come first, then every group of every limit that weighs anything") {
  std::vector<std::int32_t> const types{2, 0, 2};
  std::vector<std::int64_t> const cost{7, 0, 4};
  std::vector<std::int32_t> const none{0, 0, 0};
  auto const made = glt::detail::make_metis_weights(
      3, 0,
      {glt::balance_limit::types(glt::host_view<std::int32_t const>(types), 3, 0.5),
       glt::balance_limit::weights("none", glt::host_view<std::int32_t const>(none), 0.5),
       glt::balance_limit::weights("cost", glt::host_view<std::int64_t const>(cost), 1e300)});
  CHECK(made.tolerances == std::vector<real_t>{1.001F, 1.5F, 1.5F, 1000001.F});
  CHECK(made.values == std::vector<idx_t>{1, 0, 1, 7, /**/ 1, 1, 0, 0, /**/ 1, 0, 1, 4});
  CHECK(glt::detail::make_metis_weights(3, 0,
                                        {glt::balance_limit::weights("none", glt::host_view<std::int32_t const>(none))})
            .values.empty());
}

TEST_CASE("limits that are wrong, or weigh more than METIS can count, are refused") {
  std::vector<std::int64_t> const cost{2'000'000'000, 2'000'000'000};
  auto const complaint = [](glt::balance_limit const& limit) {
    return glt_test::thrown<glt::precondition_error>(
        [&] { static_cast<void>(glt::detail::make_metis_weights(2, 0, {limit})); });
  };
  if constexpr (sizeof(idx_t) == 4) {
    CHECK(glt_test::names(complaint(glt::balance_limit::weights("cost", glt::host_view<std::int64_t const>(cost))),
                          "sum of the weights", "4000000000", "32-bit"));
  }
  CHECK(glt_test::names(complaint(glt::balance_limit::vertices(-1)), "vertices", "-1"));
}
