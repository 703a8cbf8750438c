// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/loading/detail/background_loading.hpp>

#include <glt/core/error.hpp>

#include "support/errors.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <set>
#include <thread>
#include <vector>

namespace {

using queue = glt::detail::prefetch_queue<std::int64_t>;
using wake = queue::wake;

constexpr std::chrono::milliseconds no_time{0};
constexpr std::chrono::milliseconds long_time{20'000};

// Takes the request that is there.
queue::request request_of(queue& of) {
  auto const [state, wanted] = of.wait_for_request(no_time);
  REQUIRE(state == wake::ready);
  return wanted;
}

// Makes some batches, of which the first is `first`.
void make(queue& of, std::int64_t first, std::int64_t batches) {
  REQUIRE(of.wait_for_room(batches, no_time) == wake::ready);
  for (auto& batch : of.room(batches)) {
    batch = first++;
  }
  of.hand_over(batches);
}

std::exception_ptr failure(char const* text) {
  return std::make_exception_ptr(glt::error(text));
}

} // namespace

TEST_CASE("a queue has room for the batches in advance and the one in the consumer's hands, in whole bulks") {
  struct {
    std::int64_t prefetch, bulk, room;
  } const some[] = {{1, 1, 2}, {4, 1, 5}, {1, 2, 4}, {2, 2, 4}, {3, 2, 4}, {4, 2, 6}, {0, 3, 6}};
  for (auto const& [prefetch, bulk, room] : some) {
    CAPTURE(prefetch);
    CAPTURE(bulk);
    queue batches(prefetch, bulk);
    CHECK(batches.wait_for_room(room, no_time) == wake::ready);
    CHECK(batches.wait_for_room(room + 1, no_time) == wake::idle);
    CHECK(batches.room(bulk).size() == static_cast<std::size_t>(bulk));
  }
}

TEST_CASE("batches come in their order, and their memory is used again when the next one is asked for") {
  queue batches(1, 1); // two slots
  CHECK(batches.wait_for_request(no_time).first == wake::idle);
  batches.start({.epoch = 3, .first_step = 5});
  auto const wanted = request_of(batches);
  CHECK(wanted.epoch == 3);
  CHECK(wanted.first_step == 5);
  CHECK(batches.wait_for_request(no_time).first == wake::idle); // it is taken
  make(batches, 5, 1);
  make(batches, 6, 1);
  CHECK(batches.wait_for_room(1, no_time) == wake::idle);
  std::set<std::int64_t const*> places;
  for (std::int64_t step = 5; step < 9; ++step) {
    auto const* const batch = batches.next(4);
    REQUIRE(batch != nullptr);
    CHECK(*batch == step);
    places.insert(batch);
    CHECK(batches.wait_for_room(1, no_time) == (step == 5 ? wake::idle : wake::ready)); // the consumer holds it
    if (step > 5 && step < 8) {
      make(batches, step + 1, 1);
    }
  }
  CHECK(batches.next(4) == nullptr);
  CHECK(places.size() == 2);
}

TEST_CASE("an epoch without steps is at its end when the producer has seen it") {
  queue batches(2, 1);
  batches.start({});
  static_cast<void>(request_of(batches));
  CHECK(batches.next(0) == nullptr);
}

TEST_CASE("a new epoch interrupts the producer, and what is left of the one before is dropped") {
  queue batches(3, 1);
  batches.start({.epoch = 0});
  static_cast<void>(request_of(batches));
  make(batches, 0, 3);
  CHECK(*batches.next(9) == 0);
  batches.start({.epoch = 1});
  CHECK(batches.wait_for_room(1, no_time) == wake::interrupted);
  CHECK(request_of(batches).epoch == 1);
  make(batches, 100, 4); // all of the room
  CHECK(*batches.next(9) == 100);
  CHECK(*batches.next(9) == 101);
}

TEST_CASE("a failure comes after the batches that were made before, the first one only, and ends its epoch alone") {
  queue batches(3, 1);
  auto const thrown = [&] { return glt_test::thrown<glt::error>([&] { static_cast<void>(batches.next(9)); }); };
  batches.start({.epoch = 0});
  static_cast<void>(request_of(batches));
  make(batches, 0, 2);
  batches.fail(failure("the first"));
  batches.fail(failure("the second"));
  CHECK(*batches.next(9) == 0);
  CHECK(*batches.next(9) == 1);
  CHECK(glt_test::names(thrown(), "the first"));
  CHECK(glt_test::names(thrown(), "the first"));
  batches.start({.epoch = 1});
  static_cast<void>(request_of(batches));
  make(batches, 7, 1);
  CHECK(*batches.next(9) == 7);
  batches.fail_for_good(failure("the end"));
  CHECK(glt_test::names(thrown(), "the end"));
  batches.start({.epoch = 2});
  CHECK(glt_test::names(thrown(), "the end")); // nobody takes the request
}

TEST_CASE("a consumer waits until its epoch is taken, or gets the failure for good of a producer that takes no more") {
  queue batches(1, 1);
  batches.start({.epoch = 0});
  std::thread producer([&] {
    static_cast<void>(batches.wait_for_request(long_time));
    batches.fail_for_good(failure("the end"));
  });
  batches.wait_until_taken();
  producer.join();
  batches.wait_until_taken(); // it was taken before the failure
  batches.start({.epoch = 1});
  CHECK(glt_test::names(glt_test::thrown<glt::error>([&] { batches.wait_until_taken(); }), "the end"));
}

TEST_CASE("a consumer that has gone interrupts the producer, whatever it waits for") {
  queue batches(1, 1);
  batches.start({});
  CHECK(!batches.is_closed());
  batches.close();
  CHECK(batches.is_closed());
  CHECK(batches.wait_for_request(long_time).first == wake::interrupted);
  CHECK(batches.wait_for_room(9, long_time) == wake::interrupted);
}

TEST_CASE("a thread that produces and one that consumes hand over all batches of all epochs") {
  constexpr std::int64_t steps = 200;
  for (std::int64_t const bulk : {1, 3}) {
    queue batches(4, bulk);
    std::thread producer([&] {
      for (;;) {
        auto const [state, wanted] = batches.wait_for_request(long_time);
        if (state != wake::ready) {
          return;
        }
        for (auto step = wanted.first_step; step < steps;) {
          auto const number = std::min(bulk, steps - step);
          if (batches.wait_for_room(number, long_time) != wake::ready) {
            break; // the consumer wants something else
          }
          for (auto& batch : batches.room(number)) {
            batch = wanted.epoch * 1000 + step++;
          }
          batches.hand_over(number);
        }
      }
    });
    std::int64_t wrong = 0;
    std::int64_t seen = 0;
    for (std::int64_t epoch = 0; epoch < 20; ++epoch) {
      auto const last = epoch % 3 == 1 ? 50 : steps; // some epochs are left
      batches.start({.epoch = epoch});
      for (std::int64_t step = 0; step < last; ++step) {
        auto const* const batch = batches.next(steps);
        wrong += batch == nullptr || *batch != epoch * 1000 + step ? 1 : 0;
        ++seen;
      }
      wrong += last == steps && batches.next(steps) != nullptr ? 1 : 0;
    }
    batches.close();
    producer.join();
    CHECK(wrong == 0);
    CHECK(seen == 13 * steps + 7 * 50);
  }
}
