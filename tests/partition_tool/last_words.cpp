// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "partition/last_words.hpp"
#include "support/scratch.hpp"

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <stdexcept>

namespace {

void fail() {
  throw std::runtime_error("a destructor threw");
}

} // namespace

TEST_CASE("a program that cannot go on says why in a last line, and ends with status 1") {
  glt_test::scratch_folder const scratch;
  std::fflush(stdout);
  auto const child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    static_cast<void>(std::freopen((scratch / "errors").c_str(), "w", stderr));
    std::set_terminate(glt_partition::say_last_words);
    []() noexcept { fail(); }();
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
  CHECK(glt_test::read_bytes(scratch / "errors") == "glt-partition: a destructor threw\n");
}
