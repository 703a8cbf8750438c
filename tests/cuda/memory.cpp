// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled by the C++ compiler: what owns and copies memory of a GPU needs no nvcc.
#include <glt/cuda/policy.hpp>
#include <glt/memory/buffer.hpp>

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace glt;

namespace {

std::vector<std::int32_t> numbers(std::int64_t n, std::int32_t first = 0) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), first);
  return values;
}

// What the pool of a policy holds of the GPU's memory, and what of it is in use.
std::pair<std::uint64_t, std::uint64_t> pool_bytes(device::cuda const& policy) {
  std::uint64_t reserved = 0;
  std::uint64_t used = 0;
  auto* const pool = policy.queue().pool;
  REQUIRE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved) == cudaSuccess);
  REQUIRE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) == cudaSuccess);
  return {reserved, used};
}

} // namespace

TEST_CASE_TEMPLATE("copies go in and out, on default and own streams", Policy, device::cuda, device::zero_copy) {
  for (auto const& policy : {Policy{}, Policy{0}}) {
    for (std::int64_t const n : {0, 1, 17, 100'003}) {
      CAPTURE(n);
      auto const values = numbers(n);
      auto stored = make_buffer<Policy>(values, policy);
      CHECK(to_vector(policy, stored.view()) == values);
      if (n > 0) {
        CHECK(detail::read_element(policy, stored.view(), n - 1) == n - 1);
      }

      stored.resize(2 * n + 5);
      auto const grown = to_vector(policy, stored.view().subview(0, n));
      CHECK(grown == values);

      auto moved = std::move(stored);
      CHECK(stored.size() == 0);
      CHECK(to_vector(policy, moved.view().subview(0, n)) == values);
      stored = std::move(moved);
      CHECK(to_vector(policy, stored.view().subview(0, n)) == values);
    }
  }
}

TEST_CASE_TEMPLATE("the source of a copy may change at once, page-locked sources too", Policy, device::cuda,
                   device::zero_copy) {
  constexpr std::int64_t n = 1 << 22;
  Policy const policy(0);
  auto const expected = numbers(n);
  buffer<Policy, std::int32_t> stored(n, policy);

  auto pageable = expected;
  detail::copy_in(policy, host_view<std::int32_t const>(pageable), stored.view());
  pageable.assign(pageable.size(), -1);
  CHECK(to_vector(policy, stored.view()) == expected);

  auto locked = make_buffer<device::zero_copy>(numbers(n, 5));
  detail::copy_in(policy, host_view<std::int32_t const>(locked.data(), n), stored.view());
  std::fill(locked.begin(), locked.end(), -1);
  CHECK(to_vector(policy, stored.view()) == numbers(n, 5));
}

TEST_CASE("the steady state takes no memory from the driver") {
  device::cuda const policy(0);
  std::uint64_t reserved = 0;
  for (int round = 0; round < 20; ++round) {
    buffer<device::cuda, std::byte> small(1000 + round, policy);
    buffer<device::cuda, std::byte> large((20 << 20) + round, policy);
    buffer<device::cuda, std::byte> other(3 << 20, policy);
    policy.synchronize();
    auto const now = pool_bytes(policy);
    CHECK(now.second >= std::uint64_t{23} << 20);
    if (round == 0) {
      reserved = now.first;
    }
    CHECK(now.first == reserved);
  }
  policy.synchronize();
  CHECK(pool_bytes(policy) == std::pair{reserved, std::uint64_t{0}});
}

TEST_CASE("too large a request says what there is, and leaves everything as it was") {
  for (auto const& policy : {device::cuda{}, device::cuda{0}}) {
    auto const values = numbers(1001);
    auto stored = make_buffer<device::cuda>(values, policy);
    std::size_t free = 0;
    std::size_t total = 0;
    REQUIRE(cudaMemGetInfo(&free, &total) == cudaSuccess);
    auto const size = static_cast<std::int64_t>(2 * total / sizeof(std::int32_t));
    try {
      stored.reserve(size);
      FAIL("twice the GPU's memory was there");
    } catch (cuda_memory_error const& thrown) {
      CAPTURE(thrown.what());
      CHECK(thrown.bytes() == static_cast<std::size_t>(size) * sizeof(std::int32_t));
      CHECK(thrown.total() == total);
      CHECK(thrown.free() > 0);
      CHECK(thrown.free() <= total);
      CHECK(std::string(thrown.what()).find("make batches smaller") != std::string::npos);
    }
    CHECK(cudaPeekAtLastError() == cudaSuccess);
    CHECK(stored.size() == 1001);
    CHECK(to_vector(policy, stored.view()) == values);
    stored.reserve(1 << 20);
    CHECK(to_vector(policy, stored.view()) == values);
  }
}

TEST_CASE("a pool gives back what it keeps in pieces before it gives up") {
  device::cuda const policy(0);
  std::size_t free = 0;
  std::size_t total = 0;
  REQUIRE(cudaMemGetInfo(&free, &total) == cudaSuccess);
  auto const third = static_cast<std::int64_t>(free / 3);
  {
    buffer<device::cuda, std::byte> first(third, policy);
    buffer<device::cuda, std::byte> second(third, policy);
  }
  buffer<device::cuda, std::byte> most(2 * third + third / 2, policy);
  CHECK(most.size() == 2 * third + third / 2);
  CHECK_NOTHROW(policy.synchronize());
}

TEST_CASE("a GPU that is not there is named") {
  int count = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  auto const text =
      "GPU " + std::to_string(count) + "; this process sees " + std::to_string(count) + ", and they count from 0";
  CHECK_THROWS_WITH_AS(device::cuda{count}, text.c_str(), precondition_error);
  CHECK_THROWS_AS(device::zero_copy{-1}, precondition_error);
}

TEST_CASE("page-locked memory of a pool is used again, and is the host's and the GPU's") {
  device::zero_copy const policy(0);
  auto first = make_buffer<device::zero_copy>(numbers(5000), policy);
  CHECK(first[4999] == 4999);
  auto const* const place = first.data();
  first = {};
  policy.synchronize();
  auto again = make_buffer<device::zero_copy>(numbers(4900, 7), policy);
  CHECK(again.data() == place);
  CHECK(again[0] == 7);

  cudaPointerAttributes attributes{};
  REQUIRE(cudaPointerGetAttributes(&attributes, again.data()) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeHost);
  CHECK(attributes.devicePointer == again.data());
}

TEST_CASE("buffers outlive the policies that they were made with, and threads share policies") {
  buffer<device::cuda, std::int32_t> kept;
  {
    device::cuda const policy(0);
    kept = make_buffer<device::cuda>(numbers(1000), policy);
  }
  std::vector<std::int32_t> seen;
  std::thread([&] { seen = to_vector(kept.policy(), kept.view()); }).join();
  CHECK(seen == numbers(1000));
}

TEST_CASE("policies of one stream say so") {
  device::cuda const plain;
  CHECK(plain.stream() == cudaStreamLegacy);
  CHECK(plain.device() == 0);
  device::cuda const own(0);
  CHECK(own.stream() != device::cuda(0).stream());
  auto const copy = own;
  CHECK(copy.stream() == own.stream());
  CHECK(device::zero_copy(own).stream() == own.stream());
  CHECK(own.staging().stream() == own.stream());
  CHECK(device::zero_copy(own).gpu().stream() == own.stream());
  CHECK(device::zero_copy{}.stream() == cudaStreamLegacy);
}
