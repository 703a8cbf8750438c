// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/memory/resource.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

using namespace glt;

static_assert(memory_resource<host_resource>);
static_assert(!memory_resource<int>);

TEST_CASE("host memory is aligned to cache lines and copies bytes") {
  host_resource const resource;
  for (std::size_t const bytes : {1U, 63U, 64U, 4097U}) {
    auto* const from = resource.allocate(bytes);
    auto* const to = resource.allocate(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(from) % 64 == 0);
    std::memset(from, 0x5a, bytes);
    resource.copy(to, from, bytes);
    CHECK(std::memcmp(to, from, bytes) == 0);
    resource.deallocate(from, bytes);
    resource.deallocate(to, bytes);
  }
}
