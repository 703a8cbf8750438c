// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/detail/process.hpp>

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

TEST_CASE("a process of this machine that was killed has died, also before its parent knows; others are not "
          "known to have") {
  auto const own = glt::detail::own_process();
  CHECK(own.number == ::getpid());
  REQUIRE(own.machine != 0);
  REQUIRE(own.start != 0);
  CHECK(!glt::detail::has_died(own, own));
  auto const child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  auto other = own;
  other.number = child;
  other.start = glt::detail::start_of_process(child);
  CHECK(other.start >= own.start);
  CHECK(!glt::detail::has_died(other, own));
  ::kill(child, SIGKILL);
  ::siginfo_t ended{};
  REQUIRE(::waitid(P_PID, static_cast<::id_t>(child), &ended, WEXITED | WNOWAIT) == 0);
  CHECK(glt::detail::has_died(other, own));
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK(glt::detail::has_died(other, own));
  auto elsewhere = other;
  ++elsewhere.machine;
  CHECK(!glt::detail::has_died(elsewhere, own));
  auto again = own; // the number of another one that was
  --again.start;
  CHECK(glt::detail::has_died(again, own));
  CHECK(!glt::detail::has_died({}, own));
}
