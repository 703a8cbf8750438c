// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "policies.hpp"

namespace glt_test {

/// A policy of the faster memory and one of the larger.
template <class Hot, class Cold>
struct tier_pair {
  using hot = Hot;
  using cold = Cold;
};

using cpu_tiers = tier_pair<glt::device::cpu, glt::device::cpu>;
#if defined(GLT_TEST_THRUST)
using cpp_tiers = tier_pair<emulated_cpp, emulated_zero_copy>;
#endif
#if defined(GLT_TEST_THRUST) && defined(_OPENMP)
using omp_tiers = tier_pair<emulated_omp, glt::device::emulated<glt::detail::thrust_omp, glt::memory_space::pinned>>;
#endif
#if defined(GLT_TEST_CUDA)
using cuda_tiers = tier_pair<glt::device::cuda, glt::device::zero_copy>;
#endif

} // namespace glt_test

/// The pairs over which a TEST_CASE_TEMPLATE of what has two memories runs.
#if defined(GLT_TEST_CUDA)
#define GLT_TEST_TIERS glt_test::cuda_tiers
#elif defined(GLT_TEST_THRUST) && defined(_OPENMP)
#define GLT_TEST_TIERS glt_test::cpu_tiers, glt_test::cpp_tiers, glt_test::omp_tiers
#elif defined(GLT_TEST_THRUST)
#define GLT_TEST_TIERS glt_test::cpu_tiers, glt_test::cpp_tiers
#else
#define GLT_TEST_TIERS glt_test::cpu_tiers
#endif
