// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/comm/detail/threads_call.hpp>
#include <glt/core/error.hpp>

#include <array>
#include <cstdint>

using namespace glt;
using namespace glt_test;

TEST_CASE("a call is put in words with what all ranks must pass alike") {
  detail::threads_call call;
  call.name = "barrier";
  CHECK(detail::to_string(call) == "barrier");
  call.name = "broadcast";
  call.bytes = 5;
  call.root = 2;
  CHECK(detail::to_string(call) == "broadcast of 5 bytes from rank 2");
  call.name = "all_reduce";
  call.detail = detail::reduction_name<std::int32_t>(reduction::min);
  CHECK(detail::to_string(call) == "all_reduce (min of int32) of 5 bytes");
}

TEST_CASE("the first rank that differs from rank 0 is named") {
  std::array<detail::threads_call, 3> calls;
  std::array<detail::threads_call*, 3> const ranks{&calls[0], &calls[1], &calls[2]};
  CHECK_NOTHROW(detail::check_same(ranks));
  calls[2].bytes = 4;
  CHECK(names(thrown<collective_error>([&] { detail::check_same(ranks); }), "rank 2"));
  calls[1].root = 1;
  CHECK(names(thrown<collective_error>([&] { detail::check_same(ranks); }), "rank 1"));
}
