// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/memory/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

using namespace glt;

static_assert(glt::detail::memory_resource<host_resource>);
static_assert(!glt::detail::memory_resource<int>);

TEST_CASE("host memory is aligned to cache lines and copies bytes") {
  host_resource const resource;
  constexpr auto huge = host_resource::huge_from;
  for (std::size_t const bytes : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{4097}, huge - 1, huge,
                                  huge + 1, 2 * huge + 4097}) {
    auto* const from = resource.allocate(bytes);
    auto* const to = resource.allocate(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(from) % 64 == 0);
    std::memset(from, 0x5a, bytes);
    resource.copy(to, from, bytes);
    CHECK(std::memcmp(to, from, bytes) == 0);
    static_cast<std::byte*>(to)[bytes - 1] = std::byte{1}; // memory up to the last byte
    resource.deallocate(from, bytes);
    resource.deallocate(to, bytes);
  }
}
