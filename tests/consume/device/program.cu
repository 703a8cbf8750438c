// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sorts.hpp"

#include <glt/cuda/policy.hpp>

int main() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    return 0; // no GPU
  }
  return sorts<glt::device::cuda>() ? 0 : 1;
}
