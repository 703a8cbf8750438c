// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archetypes.hpp"
#include "support/errors.hpp"

#include <glt/memory/policy.hpp>

#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>

using namespace glt;
using namespace glt_test;

static_assert(device_policy<device::cpu> && device_policy<minimal_policy>);
static_assert(!device_policy<int> && !device_policy<exec::sequential>);

TEST_CASE("copies of a policy share its threads, which outlive the first copy") {
  auto first = device::cpu(3);
  auto const second = first;
  first = device::cpu{};
  std::atomic<std::int64_t> sum{0};
  second.executor().for_each(10'001, [&](std::int64_t i) { sum += i; });
  CHECK(sum == 50'005'000);
}

TEST_CASE("the default policy works in the calling thread") {
  bool elsewhere = false;
  device::cpu{}.executor().for_each(100'000, [&, caller = std::this_thread::get_id()](std::int64_t) {
    elsewhere = elsewhere || std::this_thread::get_id() != caller;
  });
  CHECK_FALSE(elsewhere);
}

TEST_CASE("a policy without threads is refused") {
  CHECK(names(thrown<precondition_error>([] { device::cpu{0}; }), "0 threads"));
}
