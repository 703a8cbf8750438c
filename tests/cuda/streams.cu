// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/cuda/policy.hpp>
#include <glt/cuda/register.hpp>
#include <glt/memory/buffer.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace glt;

namespace {

// Keeps the GPU busy for some hundredths of a second.
struct linger {
  std::int64_t cycles = 100'000'000;
  __device__ void operator()(std::int64_t) const {
    auto const until = clock64() + cycles;
    while (clock64() < until) {
    }
  }
};

template <memory_space From, memory_space To>
struct copy_element {
  array_view<From, std::int32_t const> from;
  array_view<To, std::int32_t> to;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { to[i] = from[i]; }
};

template <memory_space From, memory_space To>
copy_element<From, To> copier(array_view<From, std::int32_t const> from, array_view<To, std::int32_t> to) {
  return {from, to};
}

std::vector<std::int32_t> numbers(std::int64_t n, std::int32_t first = 0) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), first);
  return values;
}

// The first launch of a kernel loads it, which may wait for those that run: so they are launched before one lingers.
template <memory_space From, memory_space To>
void load_kernels(device::cuda const& policy) {
  policy.executor().for_each(1, linger{0});
  device::zero_copy const reached(policy);
  auto const from = make_buffer<device::zero_copy>(numbers(1), reached);
  buffer<device::zero_copy, std::int32_t> to(1, reached);
  policy.executor().for_each(
      1, copier(array_view<From, std::int32_t const>(from.data(), 1), array_view<To, std::int32_t>(to.data(), 1)));
  policy.synchronize();
}

__global__ void do_nothing() {}

} // namespace

TEST_CASE("calls only enqueue, and copies out wait for what was enqueued") {
  device::cuda const policy(0);
  auto const from = make_buffer<device::cuda>(numbers(1000), policy);
  buffer<device::cuda, std::int32_t> to(1000, policy);
  load_kernels<memory_space::device, memory_space::device>(policy);
  policy.executor().for_each(1, linger{});
  CHECK(cudaStreamQuery(policy.stream()) == cudaErrorNotReady);
  policy.executor().for_each(1000, copier(from.view(), to.view()));
  CHECK(cudaStreamQuery(policy.stream()) == cudaErrorNotReady);
  CHECK(to_vector(policy, to.view()) == numbers(1000));
}

TEST_CASE("memory freed while the GPU reads it is not handed to others before") {
  device::cuda const policy(0);
  buffer<device::cuda, std::int32_t> to(100'000, policy);
  load_kernels<memory_space::device, memory_space::device>(policy);
  policy.executor().for_each(1, linger{});
  {
    auto const from = make_buffer<device::cuda>(numbers(100'000), policy);
    policy.executor().for_each(100'000, copier(from.view(), to.view()));
  }
  auto const other = make_buffer<device::cuda>(std::vector<std::int32_t>(100'000, -1), policy);
  CHECK(to_vector(policy, to.view()) == numbers(100'000));
  CHECK(to_vector(policy, other.view()) == std::vector<std::int32_t>(100'000, -1));
}

TEST_CASE("page-locked memory freed while the GPU reads it is not written by the host before") {
  for (auto const& policy : {device::zero_copy{}, device::zero_copy{0}}) {
    buffer<device::cuda, std::int32_t> to(100'000, policy.gpu());
    load_kernels<memory_space::pinned, memory_space::device>(policy.gpu());
    {
      auto from = make_buffer<device::zero_copy>(numbers(100'000), policy);
      policy.executor().for_each(1, linger{});
      policy.executor().for_each(100'000, copier(std::as_const(from).view(), to.view()));
    }
    buffer<device::zero_copy, std::int32_t> other(100'000, policy);
    std::fill(other.begin(), other.end(), -1);
    CHECK(to_vector(policy.gpu(), to.view()) == numbers(100'000));
  }
}

TEST_CASE("a stream waits for another one") {
  device::cuda const first(0);
  device::cuda const second(0);
  auto const from = make_buffer<device::cuda>(numbers(1000, 9), first);
  buffer<device::cuda, std::int32_t> between(1000, first);
  auto to = make_buffer<device::cuda>(numbers(1000), second);
  load_kernels<memory_space::device, memory_space::device>(first);
  first.executor().for_each(1, linger{});
  first.executor().for_each(1000, copier(from.view(), between.view()));
  second.wait_for(first);
  second.executor().for_each(1000, copier(std::as_const(between).view(), to.view()));
  CHECK(to_vector(second, to.view()) == numbers(1000, 9));
}

TEST_CASE("a launch that CUDA refuses is an error, and the next one works") {
  do_nothing<<<1, 4096>>>();
  try {
    detail::check_cuda_launch("do_nothing");
    FAIL("4096 threads were one block");
  } catch (cuda_error const& thrown) {
    CHECK((thrown.code() == cudaErrorInvalidConfiguration || thrown.code() == cudaErrorInvalidValue)); // since CUDA 13
    CHECK(thrown.call() == "launch of do_nothing");
  }
  do_nothing<<<1, 32>>>();
  CHECK_NOTHROW(detail::check_cuda_launch("do_nothing"));
  CHECK_NOTHROW(device::cuda{}.synchronize());
}

TEST_CASE("errors of Thrust become errors of glt") {
  detail::thrust_cuda const system;
  try {
    system.run([](auto const&) {
      throw ::thrust::system_error(cudaErrorInvalidConfiguration, ::thrust::cuda_category(), "for_each");
    });
    FAIL("the error was lost");
  } catch (cuda_error const& thrown) {
    CHECK(thrown.code() == cudaErrorInvalidConfiguration);
    CHECK(thrown.call().find("for_each") != std::string::npos);
  }
}

TEST_CASE("a sort without memory for what it needs says so, and a smaller one works") {
  device::cuda const policy(0);
  std::size_t free = 0;
  std::size_t total = 0;
  REQUIRE(cudaMemGetInfo(&free, &total) == cudaSuccess);
  auto const n =
      static_cast<std::int64_t>(free / 10 * 6 / 16); // keys and values fill six tenths, and a sort needs as much again
  buffer<device::cuda, std::int64_t> keys(n, policy);
  buffer<device::cuda, std::int64_t> values(n, policy);
  CHECK_THROWS_AS(policy.executor().sort_by_key(keys.view(), values.view()), cuda_memory_error);
  CHECK(cudaPeekAtLastError() == cudaSuccess);

  detail::copy_in(policy, host_view<std::int64_t const>(std::vector<std::int64_t>{3, 1, 2}), keys.view().subview(0, 3));
  detail::copy_in(policy, host_view<std::int64_t const>(std::vector<std::int64_t>{0, 1, 2}),
                  values.view().subview(0, 3));
  policy.executor().sort_by_key(keys.view().subview(0, 3), values.view().subview(0, 3));
  CHECK(to_vector(policy, values.view().subview(0, 3)) == std::vector<std::int64_t>{1, 2, 0});
}

TEST_CASE("memory of the host is registered, read in place and let go") {
  auto values = std::make_shared<std::vector<std::int32_t>>(numbers(70'000));
  std::weak_ptr<void const> const alive = values;
  auto* const data = values->data();
  for (int round = 0; round < 2; ++round) {
    auto const registered = register_memory(data, 70'000, values);
    CHECK(registered.data() == data);
    CHECK_THROWS_AS(static_cast<void>(register_memory(data, 70'000, values)), cuda_error);
    buffer<device::cuda, std::int32_t> to(70'000);
    to.policy().executor().for_each(70'000, copier(registered.view(), to.view()));
    CHECK(to_vector(to.policy(), to.view()) == *values);
  }
  values.reset();
  CHECK(alive.expired());
}

TEST_CASE("a mapped file is registered, or the error says why not") {
  auto const path = std::filesystem::temp_directory_path() / ("glt_register_" + std::to_string(::getpid()));
  auto const values = numbers(300'000);
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<char const*>(values.data()), 1'200'000);
  int const file = ::open(path.c_str(), O_RDONLY);
  REQUIRE(file >= 0);
  void* const mapped = ::mmap(nullptr, 1'200'000, PROT_READ, MAP_PRIVATE, file, 0);
  ::close(file);
  std::filesystem::remove(path);
  REQUIRE(mapped != MAP_FAILED);
  std::shared_ptr<void const> const keeper(mapped,
                                           [](void const* data) { ::munmap(const_cast<void*>(data), 1'200'000); });
  try {
    auto const registered = register_memory(static_cast<std::int32_t*>(mapped), 300'000, keeper);
    buffer<device::cuda, std::int32_t> to(300'000);
    to.policy().executor().for_each(300'000, copier(registered.view(), to.view()));
    CHECK(to_vector(to.policy(), to.view()) == values);
  } catch (cuda_error const& refused) {
    MESSAGE(refused.what());
    CHECK(refused.call() == "cudaHostRegister of 1200000 bytes");
  }
}

TEST_CASE("registration of nothing, and of what nobody keeps") {
  std::vector<std::int32_t> values(5);
  CHECK(register_memory(values.data(), 0, std::make_shared<int>(0)).empty());
  CHECK_THROWS_AS(static_cast<void>(register_memory(values.data(), 5, nullptr)), precondition_error);
  CHECK_THROWS_AS(static_cast<void>(register_memory(values.data(), -1, std::make_shared<int>(0))), precondition_error);
}
