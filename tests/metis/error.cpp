// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/metis/partitioner.hpp>

#include "support/errors.hpp"

#include <type_traits>

static_assert(std::is_base_of_v<glt::error, glt::library_error>);

TEST_CASE("every code but success becomes an error that names the call, the code and a way out") {
  CHECK_NOTHROW(glt::detail::check_metis(METIS_OK, "METIS_Call"));
  auto const text = [](int code) {
    return glt_test::thrown<glt::library_error>([code] { glt::detail::check_metis(code, "METIS_Call"); });
  };
  CHECK(glt_test::names(text(METIS_ERROR_INPUT), "METIS_Call", "-2", "validate"));
  CHECK(glt_test::names(text(METIS_ERROR_MEMORY), "-3", "memory", "ldg_partitioner"));
  CHECK(glt_test::names(text(METIS_ERROR), "-4", "no reason"));
  CHECK(glt_test::names(text(0), "code 0"));
  try {
    glt::detail::check_metis(METIS_ERROR_MEMORY, "METIS_Call");
    FAIL("nothing was thrown");
  } catch (glt::library_error const& error) {
    CHECK(error.call() == "METIS_Call");
    CHECK(error.code() == METIS_ERROR_MEMORY);
  }
}
