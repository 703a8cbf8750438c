// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/comm/detail/threads_board.hpp>
#include <glt/core/error.hpp>

#include <array>
#include <memory>
#include <stdexcept>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

detail::threads_call named(char const* name, detail::threads_call::work complete = detail::complete_nothing) {
  detail::threads_call call;
  call.name = name;
  call.complete = complete;
  return call;
}

} // namespace

TEST_CASE("the n-th call of one rank meets the n-th call of the other, however far ahead it is") {
  auto const family = std::make_shared<detail::threads_family>(2);
  detail::threads_board board(family, {0, 1});
  auto early = named("barrier");
  auto late = named("barrier");
  CHECK(board.arrive(0, early) == 0);
  CHECK(board.arrive(0, late) == 1);
  std::array calls{named("barrier"), named("barrier")};
  board.wait(1, board.arrive(1, calls[0]));
  board.wait(0, 0); // call 1 of rank 0 still waits
  board.wait(1, board.arrive(1, calls[1]));
  board.wait(0, 1);
  CHECK(board.size() == 2);
}

TEST_CASE("a call that is complete stays so when a rank fails; one that is not is given up") {
  auto const family = std::make_shared<detail::threads_family>(2);
  detail::threads_board board(family, {0, 1});
  std::array done{named("barrier"), named("barrier")};
  CHECK(board.arrive(0, done[0]) == 0);
  CHECK(board.arrive(1, done[1]) == 0);
  auto open = named("barrier");
  CHECK(board.arrive(0, open) == 1);
  family->fail(1, "first");
  family->fail(0, "second");
  CHECK_NOTHROW(board.wait(0, 0));
  CHECK(thrown<collective_error>([&] { board.wait(0, 1); }) == "rank 1: first");
  CHECK(thrown<collective_error>([&] { board.arrive(1, open); }) == "rank 1: first");
}

TEST_CASE("an exception in the work of a call reaches all ranks") {
  auto const family = std::make_shared<detail::threads_family>(2);
  detail::threads_board board(family, {0, 1});
  auto const fail = [](std::span<detail::threads_call* const>) { throw std::runtime_error("no memory"); };
  std::array calls{named("x", fail), named("x", fail)};
  board.arrive(0, calls[0]);
  board.arrive(1, calls[1]);
  CHECK(names(thrown<collective_error>([&] { board.wait(0, 0); }), "could not finish x", "no memory"));
  CHECK(names(thrown<collective_error>([&] { board.wait(1, 0); }), "could not finish x", "no memory"));
}
