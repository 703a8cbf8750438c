// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/policies.hpp"

#include <glt/dlpack/tensor.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <new>

namespace {

/// Stands for a policy of GPU memory: it says which GPU, and its memory is its own.
template <glt::memory_space Space>
struct gpu_policy : glt::device::cpu {
  static constexpr glt::memory_space space = Space;
  struct memory : glt::host_resource {};
  struct runner : glt::exec::threaded {
    static constexpr bool reaches(glt::memory_space) { return true; }
  };
  [[nodiscard]] memory resource() const noexcept { return {}; }
  [[nodiscard]] runner executor() const noexcept { return {}; }
  [[nodiscard]] int device() const noexcept { return 3; }
};

bool same(DLDevice a, DLDevice b) {
  return a.device_type == b.device_type && a.device_id == b.device_id;
}

} // namespace

TEST_CASE_TEMPLATE("bytes on the heap are on DLPack's CPU, whatever they emulate", Policy, GLT_TEST_POLICIES) {
#if !defined(GLT_TEST_CUDA)
  CHECK(same(glt::detail::dlpack_device(Policy()), {kDLCPU, 0}));
#else
  auto const device = glt::detail::dlpack_device(Policy());
  CHECK(device.device_type == (Policy::space == glt::memory_space::device ? kDLCUDA : kDLCUDAHost));
  CHECK(device.device_id == 0);
#endif
}

TEST_CASE("a policy with memory of its own is where its space says") {
  CHECK(same(glt::detail::dlpack_device(gpu_policy<glt::memory_space::device>()), {kDLCUDA, 3}));
  CHECK(same(glt::detail::dlpack_device(gpu_policy<glt::memory_space::pinned>()), {kDLCUDAHost, 0}));
  CHECK(same(glt::detail::dlpack_device(gpu_policy<glt::memory_space::host>()), {kDLCPU, 0}));
}

TEST_CASE("elements are adopted from the same device alone, and pinned ones by the CPU") {
  using glt::detail::may_adopt;
  CHECK(may_adopt({kDLCPU, 0}, {kDLCPU, 0}));
  CHECK(may_adopt({kDLCPU, 0}, {kDLCUDAHost, 0}));
  CHECK_FALSE(may_adopt({kDLCPU, 0}, {kDLCUDA, 0}));
  CHECK(may_adopt({kDLCUDA, 1}, {kDLCUDA, 1}));
  CHECK_FALSE(may_adopt({kDLCUDA, 1}, {kDLCUDA, 0}));
  CHECK_FALSE(may_adopt({kDLCUDA, 0}, {kDLCPU, 0}));
  CHECK(may_adopt({kDLCUDAHost, 0}, {kDLCUDAHost, 0}));
  CHECK_FALSE(may_adopt({kDLCUDAHost, 0}, {kDLCPU, 0}));
}

TEST_CASE("devices of DLPack in words") {
  using glt::detail::to_string;
  CHECK(to_string(DLDevice{kDLCPU, 0}) == "ordinary memory");
  CHECK(to_string(DLDevice{kDLCUDA, 2}) == "GPU 2");
  CHECK(to_string(DLDevice{kDLCUDAHost, 0}) == "pinned memory");
  CHECK(to_string(DLDevice{kDLCUDAManaged, 0}) == "managed memory");
  CHECK(to_string(DLDevice{kDLMetal, 1}) == "device 1 of DLPack's type 8");
}
