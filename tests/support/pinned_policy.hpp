// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "archetypes.hpp"
#include "policies.hpp"

namespace glt_test {

/// A policy of pinned memory, which the executors of all policies under test reach: where a graph may live while work
/// on it goes on elsewhere.
#if defined(GLT_TEST_CUDA)
using pinned_policy = glt::device::zero_copy;
#elif defined(GLT_TEST_THRUST)
using pinned_policy = emulated_zero_copy;
#else
using pinned_policy = minimal_policy;
#endif

} // namespace glt_test
