// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/dlpack_tensors.hpp"

#include <glt/dlpack/tensor.hpp>

#include <doctest/doctest.h>

#include <utility>

TEST_CASE("a tensor is handed back once, whoever holds it last") {
  glt_test::foreign_tensor made({}, {3});
  {
    auto first = made.hand_over();
    auto const second = std::move(first);
    CHECK(first == nullptr);
    CHECK(made.released == 0);
  }
  CHECK(made.released == 1);
  CHECK(made.hand_over().release() == &made.managed);
  CHECK(made.released == 1);
}

TEST_CASE("a tensor without a deleter is left alone") {
  glt_test::foreign_tensor made({}, {3});
  made.managed.deleter = nullptr;
  made.hand_over().reset();
  CHECK(made.released == 0);
}
