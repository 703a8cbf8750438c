// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What waits for what, on a runtime that stands for CUDA's: runs everywhere.
#include "support/errors.hpp"
#include "support/fake_cuda.hpp"

#include <glt/cuda/peers.hpp>
#include <glt/cuda/policy.hpp>
#include <glt/cuda/register.hpp>
#include <glt/feature/tier/tiered_store.hpp>
#include <glt/memory/buffer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

using numbers = std::vector<std::int32_t>;

// A kernel on a stream that reads memory of the host in place.
void read_later(device::cuda const& gpu, std::int32_t const* from, numbers& to) {
  fake_cuda::instance().enqueue(gpu.stream(), [from, &to] { to.assign(from, from + to.size()); });
}

} // namespace

TEST_CASE("page-locked memory is not overwritten or freed while any stream reads it") {
  device::cuda const other(0);
  for (auto const& policy : {device::zero_copy{}, device::zero_copy{0}, device::zero_copy{device::cuda{}}}) {
    numbers seen(3);
    {
      auto const from = make_buffer<device::zero_copy>(numbers{1, 2, 3}, policy);
      read_later(other, from.data(), seen);
    }
    buffer<device::zero_copy, std::int32_t> next(3, policy); // the same memory, where a pool keeps it
    std::ranges::fill(next, -1);
    other.synchronize();
    CHECK(seen == numbers{1, 2, 3});
  }
  numbers seen(3);
  {
    device::zero_copy const gone(0); // its pool goes as well
    auto const from = make_buffer<device::zero_copy>(numbers{4, 5, 6}, gone);
    read_later(other, from.data(), seen);
  }
  other.synchronize();
  CHECK(seen == numbers{4, 5, 6});
}

TEST_CASE("a pool waits for the GPU once for all that was freed before") {
  device::zero_copy const policy(0);
  {
    auto const first = make_buffer<device::zero_copy>(numbers(5000), policy);
    auto const second = make_buffer<device::zero_copy>(numbers(5000), policy);
  }
  buffer<device::zero_copy, std::int32_t> one(5000, policy);
  bool done = false;
  fake_cuda::instance().enqueue(policy.stream(), [&] { done = true; });
  buffer<device::zero_copy, std::int32_t> two(5000, policy);
  CHECK(!done);
  CHECK(one.data() != two.data());
  policy.synchronize();
}

TEST_CASE("registered memory, and that whose pages are locked, stays so until no stream reads it") {
  device::cuda const other(0);
  auto const values = std::make_shared<numbers>(numbers{7, 8, 9});
  auto const check = [&](auto open) {
    bool registered = false;
    {
      auto const made = open();
      fake_cuda::instance().enqueue(other.stream(),
                                    [&] { registered = fake_cuda::instance().find(values->data()) != nullptr; });
    }
    other.synchronize();
    CHECK(registered);
    CHECK(fake_cuda::instance().find(values->data()) == nullptr);
  };
  check([&] { return register_memory(values->data(), 3, values); });
  check([&] { return device::cuda().lock_pages(std::as_bytes(std::span(*values)), values); });
}

TEST_CASE("outputs take memory in the order of the stream that writes them") {
  device::cuda const plain;
  device::cuda const own(0);
  auto const copy = own;
  CHECK(own == copy);
  CHECK(!(own == plain));
  CHECK(!(own == device::cuda(0)));
  CHECK(plain == device::cuda());
  CHECK(!(own == own.exchange()));
  CHECK(device::zero_copy() == device::zero_copy());
  CHECK(!(device::zero_copy(own) == device::zero_copy(own))); // of two pools
  buffer<device::cuda, std::int32_t> out(3, plain);
  detail::adopt_policy(own, out);
  CHECK(out.policy() == own);
}

TEST_CASE("exchange buffers are memory that other processes can map") {
  device::cuda const policy(0);
  auto const pooled = make_buffer<device::cuda>(numbers{1, 2, 3}, policy);
  REQUIRE(fake_cuda::instance().find(pooled.data()) != nullptr);
  CHECK(fake_cuda::instance().find(pooled.data())->kind == fake_memory::pool);
  std::int32_t const* place = nullptr;
  {
    buffer<device::cuda, std::int32_t> mappable(3, policy.exchange());
    place = mappable.data();
    REQUIRE(fake_cuda::instance().find(place) != nullptr);
    CHECK(fake_cuda::instance().find(place)->kind == fake_memory::plain);
    policy.resource().copy(mappable.data(), pooled.data(), 12);
    CHECK(to_vector(mappable.policy(), mappable.view()) == numbers{1, 2, 3}); // the stream is the same
  }
  CHECK(fake_cuda::instance().find(place) == nullptr);
}

TEST_CASE("a stream waits for another one, and for nothing without") {
  device::cuda const first(0);
  device::cuda const second(0);
  int value = 0;
  int seen = -1;
  fake_cuda::instance().enqueue(first.stream(), [&] { value = 5; });
  fake_cuda::instance().enqueue(second.stream(), [&] { seen = value; });
  second.synchronize();
  CHECK(seen == 0);
  second.wait_for(first);
  fake_cuda::instance().enqueue(second.stream(), [&] { seen = value; });
  second.synchronize();
  CHECK(seen == 5);
}

TEST_CASE("a store over GPUs that cannot read each other is refused, until they can") {
  std::vector<device::cuda> const gpus{device::cuda(0), device::cuda(1)};
  std::vector<float> const rows{0, 1, 2, 3, 4, 5};
  numbers const ranking{2, 0, 1};
  feature_view<memory_space::host, float> const features{.features = {rows.data(), 3, 2}};
  using store = tiered_store<device::cuda, device::zero_copy, float>;
  auto const make = [&] { return store(features, ranking, {.ratio = 0.7}, gpus, device::zero_copy(gpus[0])); };
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(make()); }), "number 0", "number 1", "peer_access"));
  CHECK(peer_access(gpus).all());
  auto const made = make();
  CHECK(made.num_hot() == 2);
  CHECK(made.num_devices() == 2);
  CHECK(store(features, ranking, {.ratio = 0.7}, {gpus[1], gpus[1]}, device::zero_copy(gpus[1])).num_hot() == 2);
}
