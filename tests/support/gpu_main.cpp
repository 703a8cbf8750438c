// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the tests of a program for GPUs; without a GPU it says so and ends with 77, by which CTest reports them skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <cstdio>

int main(int count, char** arguments) {
  int devices = 0;
  if (auto const code = cudaGetDeviceCount(&devices); code != cudaSuccess || devices == 0) {
    std::printf("skipped: no GPU (%s: %s)\n", cudaGetErrorName(code), cudaGetErrorString(code));
    return 77;
  }
  doctest::Context tests(count, arguments);
  return tests.run();
}
