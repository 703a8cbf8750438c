// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/node.hpp>

#include <cstdint>

#include <unistd.h>

TEST_CASE("the available memory is a part of the machine's") {
  auto const all = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  CHECK(glt::detail::available_memory() > 0);
  CHECK(glt::detail::available_memory() <= all);
}
