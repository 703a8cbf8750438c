// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/comm/communicator.hpp>
#include <glt/core/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("texts of refused arguments name the call, the array, the place and the value") {
  std::vector<std::int64_t> const sizes{3, 0, -4};
  CHECK(names(thrown<precondition_error>([&] { detail::check_sizes("f", "lengths", sizes, 1, 3); }),
              "f: lengths[2] is -4"));
  CHECK(
      names(thrown<precondition_error>([&] { detail::check_sizes("f", "lengths", sizes, 1, 4); }), "3 elements", "4"));
  CHECK(names(thrown<precondition_error>([&] { detail::check_root("f", -1, 3); }), "f: root -1", "0 to 2"));
  CHECK(names(thrown<precondition_error>([&] { detail::check_peer("f", 3, 3); }), "f: there is no rank 3", "0 to 2"));
  CHECK(names(thrown<precondition_error>([&] { detail::check_bytes("f", -1); }), "f: -1 bytes"));
  std::vector<std::int64_t> const fine{3, 0, 4};
  CHECK_NOTHROW(detail::check_sizes("f", "lengths", fine, 1, 3));
}

TEST_CASE("no bytes are copied from and to nowhere") {
  CHECK_NOTHROW(detail::move_bytes(nullptr, nullptr, 0));
  std::array const from{std::byte{4}, std::byte{5}};
  std::array<std::byte, 2> to{};
  detail::move_bytes(to.data(), from.data(), 2);
  CHECK(to == from);
}
