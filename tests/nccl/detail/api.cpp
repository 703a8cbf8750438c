// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#if defined(GLT_TEST_NCCL)

#include <glt/cuda/policy.hpp>
#include <glt/nccl/detail/api.hpp>
#include <glt/nccl/detail/basic_comm.hpp>

#include <type_traits>

using namespace glt;

TEST_CASE("NCCL is a layer on the stream of either policy of a GPU") {
  CHECK(detail::nccl_layer<detail::nccl_api>);
  CHECK(std::is_constructible_v<detail::nccl_api, device::cuda>);
  CHECK(std::is_constructible_v<detail::nccl_api, device::zero_copy>);
  CHECK(!std::is_constructible_v<detail::nccl_api, device::cpu>);
}

#endif
