// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archetypes.hpp"
#include "support/distant_policy.hpp"

#include <glt/memory/buffer.hpp>

#include <memory>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("a buffer to be written leaves the stream of an earlier use") {
  distant_policy<> const first(std::make_shared<distant_log>());
  distant_policy<> const second(std::make_shared<distant_log>());
  buffer<distant_policy<>, int> unused;
  auto used = make_buffer<distant_policy<>>(std::vector<int>{1, 2, 3}, first);
  auto const* const place = used.data();
  detail::adopt_policy(first, unused, used);
  CHECK(unused.policy() == first);
  CHECK(used.data() == place);
  CHECK(used.size() == 3);
  detail::adopt_policy(second, unused, used);
  CHECK(unused.policy() == second);
  CHECK(used.policy() == second);
  CHECK(used.capacity() == 0);
}

TEST_CASE("memory of the host, and of policies that are all the same, stays") {
  auto host = make_buffer<device::cpu>(std::vector<int>{1, 2, 3});
  detail::adopt_policy(device::cpu(2), host);
  CHECK(host.size() == 3);
  buffer<minimal_policy, int> same(3);
  auto const* const place = same.data();
  detail::adopt_policy(minimal_policy(), same);
  CHECK(same.data() == place);
}
