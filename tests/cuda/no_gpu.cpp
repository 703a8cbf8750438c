// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/cuda/policy.hpp>
#include <glt/cuda/register.hpp>
#include <glt/memory/buffer.hpp>

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace glt;

namespace {

// Checks that an action gives the driver's answer.
template <class Action>
void check_answer(Action action, std::string const& call) {
  int count = 0;
  auto const answer = cudaGetDeviceCount(&count);
  REQUIRE(answer != cudaSuccess);
  try {
    action();
    FAIL("it works without a GPU");
  } catch (cuda_error const& thrown) {
    CAPTURE(thrown.what());
    CHECK(thrown.code() == answer);
    CHECK(thrown.name() == cudaGetErrorName(answer));
    CHECK(thrown.call() == call);
    CHECK(std::string(thrown.what()).starts_with(call + " failed with " + cudaGetErrorName(answer)));
    CHECK(std::string(thrown.what()).find(cudaGetErrorString(answer)) != std::string::npos);
    CHECK(std::string(thrown.what()).find("; this needs a GPU and a driver") != std::string::npos);
    CHECK(std::string(thrown.where().file_name()).find("glt/cuda/") != std::string::npos);
  }
}

} // namespace

TEST_CASE("without a GPU policies and buffers give the driver's answer") {
  check_answer([] { device::cuda{}; }, "cudaGetDevice");
  check_answer([] { device::cuda{0}; }, "cudaGetDeviceCount");
  check_answer([] { device::zero_copy{}; }, "cudaGetDevice");
  check_answer([] { device::zero_copy{0}; }, "cudaGetDeviceCount");
  check_answer([] { buffer<device::cuda, float>{}; }, "cudaGetDevice");
  check_answer([] { buffer<device::cuda, float>(7); }, "cudaGetDevice");
  check_answer([] { buffer<device::zero_copy, float>(7); }, "cudaGetDevice");
}

TEST_CASE("without a GPU memory cannot be registered") {
  std::vector<std::int32_t> values(10);
  check_answer([&] { static_cast<void>(register_memory(values.data(), 10, std::make_shared<int>(0))); },
               "cudaGetDevice");
}

TEST_CASE("an error carries the call, the code and its name") {
  cuda_error const failure("cudaFoo", cudaErrorInvalidValue);
  CHECK(std::string(failure.what()) == "cudaFoo failed with cudaErrorInvalidValue (1): invalid argument");
  CHECK(failure.call() == "cudaFoo");
  CHECK(failure.code() == cudaErrorInvalidValue);
  CHECK_THROWS_WITH_AS(detail::check_cuda(cudaErrorNotSupported, "cudaBar"),
                       "cudaBar failed with cudaErrorNotSupported (801): operation not supported", cuda_error);
  CHECK_NOTHROW(detail::check_cuda(cudaSuccess, "cudaBar"));

  cuda_memory_error const memory("cudaBaz", 100, 20, 300);
  CHECK(memory.bytes() == 100);
  CHECK(memory.free() == 20);
  CHECK(memory.total() == 300);
  CHECK(memory.code() == cudaErrorMemoryAllocation);
  CHECK(std::string(memory.what()) ==
        "cudaBaz failed with cudaErrorMemoryAllocation (2): out of memory; asked for 100 bytes, and 20 of "
        "the GPU's 300 "
        "are free: make batches smaller, or keep data in host memory by device::zero_copy");
}
