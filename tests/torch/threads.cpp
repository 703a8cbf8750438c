// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/threads.hpp>

#include "support/errors.hpp"

#include <ATen/Parallel.h>

#include <doctest/doctest.h>

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

TEST_CASE("the number of threads holds for LibTorch and for products of OpenBLAS") {
  auto const before = at::get_num_threads();
  auto* const symbol = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
  for (int const threads : {1, 2}) {
    glt::set_torch_threads(threads);
    CHECK(at::get_num_threads() == threads);
    if (symbol != nullptr) {
      CHECK(reinterpret_cast<int (*)()>(symbol)() == threads);
    }
  }
  glt::set_torch_threads(before);
  CHECK(glt_test::thrown<glt::precondition_error>([] { glt::set_torch_threads(0); }).find("1 or more") !=
        std::string::npos);
}

TEST_CASE(
    "loops over LibTorch's threads run in several of them: the target glt::torch brings what they are compiled with") {
  auto const before = at::get_num_threads();
  glt::set_torch_threads(2);
  std::atomic<int> started{0};
  at::parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t) { ++started; });
  CHECK(started == 2); // one call has the whole range if there is one thread
  glt::set_torch_threads(before);
}

TEST_CASE("advice is for several threads beside those of OpenBLAS, and for nothing else") {
  auto const before = at::get_num_threads();
  auto* const symbol = dlsym(RTLD_DEFAULT, "openblas_get_parallel");
  bool const is_separate = symbol != nullptr && reinterpret_cast<int (*)()>(symbol)() == 1;
  CHECK(glt::set_torch_threads(1).empty());
  CHECK((glt::set_torch_threads(2).find("OMP_WAIT_POLICY=passive") != std::string_view::npos) == is_separate);
  glt::set_torch_threads(before);
}
