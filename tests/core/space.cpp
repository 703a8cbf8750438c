// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/types.hpp>

TEST_CASE("who may touch which memory") {
  using glt::memory_space;
  CHECK(glt::detail::host_accessible(memory_space::host));
  CHECK(glt::detail::host_accessible(memory_space::pinned));
  CHECK_FALSE(glt::detail::host_accessible(memory_space::device));
  CHECK_FALSE(glt::detail::device_accessible(memory_space::host));
  CHECK(glt::detail::device_accessible(memory_space::pinned));
  CHECK(glt::detail::device_accessible(memory_space::device));
}
