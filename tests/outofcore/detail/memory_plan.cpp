// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/outofcore/detail/memory_plan.hpp>

#include "support/errors.hpp"

#include <cstdint>
#include <string>

TEST_CASE("vertices come first, and edges get what is left") {
  auto const plan = glt::io::detail::plan_memory(1'000'000, std::int64_t{1} << 30);
  CHECK(plan.for_edges <= ((std::int64_t{1} << 30) - plan.for_vertices) * 3 / 4);
  CHECK(plan.for_edges > ((std::int64_t{1} << 30) - plan.for_vertices) / 2);
  CHECK(plan.for_vertices == 32'000'000);
  auto const more = glt::io::detail::plan_memory(1'000'000, std::int64_t{1} << 30, 4);
  CHECK(more.for_vertices == 36'000'000);
  CHECK(more.for_edges < plan.for_edges);
  CHECK(plan.items_a_round(24) * 24 * 3 <= plan.for_edges / 4);
  CHECK(plan.items_a_round(std::int64_t{1} << 40) == 1);
}

TEST_CASE("a limit that is too small says which one would do") {
  auto const text =
      glt_test::thrown<glt::precondition_error>([] { static_cast<void>(glt::io::detail::plan_memory(1000, 1 << 20)); });
  auto const least = 32 * 1000 + glt::io::detail::memory_plan::least_left;
  CHECK(glt_test::names(text, "1048576 bytes", "1000 vertices", std::to_string(least)));
  CHECK(glt::io::detail::plan_memory(1000, least).for_edges == glt::io::detail::memory_plan::least_left / 4 * 3);
}
