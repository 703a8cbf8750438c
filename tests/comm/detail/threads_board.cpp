// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/allocations.hpp"
#include "support/errors.hpp"

#include <glt/comm/detail/threads_board.hpp>
#include <glt/core/error.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>
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

TEST_CASE("a call for which memory runs out is seen by no other rank and can be made again") {
  std::int64_t failures = 0;
  for (bool has_failed = true; has_failed;) {
    auto const family = std::make_shared<detail::threads_family>(2);
    detail::threads_board board(family, {0, 1});
    std::array calls{named("barrier"), named("barrier")};
    try {
      failing_allocation const armed(failures + 1);
      board.arrive(0, calls[0]);
      has_failed = false;
    } catch (std::bad_alloc const&) {
      ++failures;
    }
    CHECK(board.arrive(1, calls[1]) == 0);
    if (has_failed) {
      CHECK(board.arrive(0, calls[0]) == 0);
    }
    CHECK_NOTHROW(board.wait(0, 0));
    CHECK_NOTHROW(board.wait(1, 0));
  }
  CHECK(failures > 1);
}

TEST_CASE("where memory for the text of an error runs out, all ranks get an error all the same") {
  std::int64_t failures = 0;
  for (bool has_failed = true; has_failed;) {
    INFO("allocation ", failures + 1);
    auto const family = std::make_shared<detail::threads_family>(2);
    detail::threads_board board(family, {0, 1});
    auto const fails = [](std::span<detail::threads_call* const>) {
      throw std::runtime_error("a text that is longer than what a string keeps in itself");
    };
    std::array calls{named("barrier", fails), named("barrier", fails)};
    board.arrive(0, calls[0]);
    {
      failing_allocation const armed(failures + 1);
      board.arrive(1, calls[1]);
      has_failed = armed.has_failed();
    }
    auto const of_first = thrown<collective_error>([&] { board.wait(0, 0); });
    CHECK(of_first.starts_with("rank 0: "));
    CHECK(thrown<collective_error>([&] { board.wait(1, 0); }) == of_first);
    failures += has_failed ? 1 : 0;
  }
  CHECK(failures > 1);

  detail::threads_family family(1);
  failing_allocation const armed(1);
  family.fail(0, "a text that is longer than what a string keeps in itself");
  CHECK(family.broken->cause == "out of memory");
}

TEST_CASE("whatever allocation fails while a rank takes a call, it can be given back") {
  std::int64_t failures = 0;
  for (bool has_failed = true; has_failed;) {
    detail::threads_board board(std::make_shared<detail::threads_family>(1), {0});
    std::unique_ptr<detail::threads_call> call;
    try {
      failing_allocation const armed(failures + 1);
      call = board.take(0);
      has_failed = false;
    } catch (std::bad_alloc const&) {
      ++failures;
      call = board.take(0);
    }
    failing_allocation const armed(1);
    board.give_back(0, std::move(call));
    CHECK(!armed.has_failed());
  }
  CHECK(failures > 1);
}
