// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/detail/process.hpp>

#include <cstddef>
#include <string>

#include <unistd.h>

TEST_CASE("the last line of a job is one line, and cut where it is too long") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  int const kept = ::dup(STDERR_FILENO);
  REQUIRE(::dup2(ends[1], STDERR_FILENO) >= 0);
  (glt::detail::last_line() << "rank " << 12 << " of " << -3).write();
  (glt::detail::last_line() << std::string(5000, 'x')).write();
  REQUIRE(::dup2(kept, STDERR_FILENO) >= 0);
  ::close(kept);
  ::close(ends[1]);
  std::string text;
  char piece[256];
  for (ssize_t count; (count = ::read(ends[0], piece, sizeof piece)) > 0;) {
    text.append(piece, static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  CHECK(text == "rank 12 of -3\n" + std::string(1023, 'x') + "\n");
}
