// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Marks a function callable from device code when the compiler is nvcc, and from the host always.
#if defined(__CUDACC__)
#define GLT_HOST_DEVICE __host__ __device__
#else
#define GLT_HOST_DEVICE
#endif
