// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/detail/mailbox.hpp>

using namespace glt;

TEST_CASE("a rank that waits asks often at first and sleeps only after a while") {
  detail::mpi_patience patience;
  CHECK(!patience.sleeps());
  int rounds = 0;
  for (; !patience.sleeps() && patience.waited().count() < 60; ++rounds) {
    patience.pause();
  }
  CHECK(rounds > 500);
  CHECK(patience.waited().count() >= 0.003);
  auto const before = patience.waited();
  for (int i = 0; i < 100; ++i) {
    patience.pause();
  }
  CHECK((patience.waited() - before).count() >= 0.004); // 2, 4, 8, 16, 32 and then 50 µs each
  CHECK(patience.sleeps());
}
