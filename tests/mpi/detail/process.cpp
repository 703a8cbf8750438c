// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/detail/process.hpp>

#include <csignal>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

TEST_CASE(
    "a process of this machine that is stopped or was killed is known, also before its parent knows; others are not "
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
  other.start = glt::detail::status_of_process(child).value().start;
  CHECK(other.start >= own.start);
  CHECK(!glt::detail::has_died(other, own));
  CHECK(!glt::detail::is_stopped(other, own));
  ::siginfo_t ended{};
  ::kill(child, SIGSTOP);
  REQUIRE(::waitid(P_PID, static_cast<::id_t>(child), &ended, WSTOPPED) == 0);
  CHECK(glt::detail::is_stopped(other, own));
  CHECK(!glt::detail::has_died(other, own));
  ::kill(child, SIGKILL);
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

TEST_CASE("a process has not died because this one may open no more files") {
  auto const own = glt::detail::own_process();
  REQUIRE(own.start != 0);
  ::rlimit usual{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &usual) == 0);
  auto none = usual;
  none.rlim_cur = 0;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  bool const died = glt::detail::has_died(own, own);
  auto const status = glt::detail::status_of_process(own.number);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &usual) == 0);
  CHECK(!died);
  CHECK(!status.has_value());
}
