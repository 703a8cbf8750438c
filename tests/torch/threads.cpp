// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/threads.hpp>

#include "support/errors.hpp"

#include <ATen/Parallel.h>

#include <doctest/doctest.h>

#include <dlfcn.h>

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
