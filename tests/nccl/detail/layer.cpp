// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/fake_nccl.hpp"

#include <glt/nccl/detail/basic_comm.hpp>

#include <cstddef>
#include <memory>
#include <stdexcept>

using namespace glt;
using namespace glt_test;

static_assert(detail::nccl_layer<fake_nccl>);
static_assert(!detail::nccl_layer<int>);

TEST_CASE("the layer of the tests delivers what was sent, and fails when it is told to") {
  auto const network = std::make_shared<fake_network>();
  fake_nccl first(network);
  fake_nccl second(network, "done", 1);
  auto const id = first.make_id();
  auto const left = first.start(2, 0, id);
  CHECK(!first.ready(left)); // the other one is missing
  auto const right = second.start(2, 1, id);
  CHECK(first.ready(left));
  std::byte const sent{7};
  std::byte received{};
  second.begin_group();
  second.receive(right, &received, 1, 0);
  second.end_group();
  second.mark();
  CHECK(!second.done());
  first.begin_group();
  first.send(left, &sent, 1, 1);
  first.end_group();
  CHECK(received == std::byte{});
  CHECK(thrown<std::runtime_error>([&] { return second.done(); }) == "done failed");
  CHECK(second.done());
  CHECK(received == sent);
  first.abort(left);
  second.abort(right);
  CHECK(network->alive == 0);
}
