// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>

#if defined(GLT_TEST_THRUST)
#include <glt/thrust/emulated.hpp>
#if defined(_OPENMP)
#include <glt/thrust/detail/omp.hpp>
#endif
#endif
#if defined(GLT_TEST_CUDA)
#include <glt/cuda/policy.hpp>
#endif

#include <doctest/doctest.h>

namespace glt_test {

#if defined(GLT_TEST_THRUST)
using emulated_cpp = glt::device::emulated<glt::detail::thrust_cpp>;
using emulated_zero_copy = glt::device::emulated<glt::detail::thrust_cpp, glt::memory_space::pinned>;
#if defined(_OPENMP)
using emulated_omp = glt::device::emulated<glt::detail::thrust_omp>;
#endif
#endif

} // namespace glt_test

/// The policies over which a TEST_CASE_TEMPLATE of kernels runs: those of the host, and what stands for a GPU; in
/// programs for GPUs those of CUDA. What only puts kernels together runs on GLT_TEST_ONE_POLICY.
#if defined(GLT_TEST_CUDA)
#define GLT_TEST_POLICIES glt::device::cuda, glt::device::zero_copy
#define GLT_TEST_ONE_POLICY glt::device::cuda
#elif defined(GLT_TEST_THRUST) && defined(_OPENMP)
#define GLT_TEST_POLICIES glt::device::cpu, glt_test::emulated_cpp, glt_test::emulated_omp, glt_test::emulated_zero_copy
#define GLT_TEST_ONE_POLICY glt_test::emulated_omp
#elif defined(GLT_TEST_THRUST)
#define GLT_TEST_POLICIES glt::device::cpu, glt_test::emulated_cpp, glt_test::emulated_zero_copy
#define GLT_TEST_ONE_POLICY glt_test::emulated_cpp
#else
#define GLT_TEST_POLICIES glt::device::cpu
#define GLT_TEST_ONE_POLICY glt::device::cpu
#endif

/// The same for what is glue between tested parts: one policy of the host, one that stands for a GPU.
#if defined(GLT_TEST_CUDA)
#define GLT_TEST_GLUE_POLICIES glt::device::cuda
#elif defined(GLT_TEST_THRUST)
#define GLT_TEST_GLUE_POLICIES glt::device::cpu, glt_test::emulated_cpp
#else
#define GLT_TEST_GLUE_POLICIES glt::device::cpu
#endif
