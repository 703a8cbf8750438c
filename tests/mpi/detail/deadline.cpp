// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/detail/process.hpp>

#include <chrono>
#include <limits>

namespace {

using seconds = std::chrono::duration<double>;

} // namespace

TEST_CASE("the line of a rank that waited tells whole seconds, also of a limit that no number counts") {
  using glt::detail::waited_in;
  CHECK(waited_in("split", seconds(2.9), 1, 3).text() == "glt: rank 1 of 3 has waited 2 s in split");
  for (double const limit : {1e300, std::numeric_limits<double>::infinity()}) {
    CHECK(waited_in("split", seconds(limit), 0, 2).text() == "glt: rank 0 of 2 has waited 1000000000 s in split");
  }
}

TEST_CASE("a deadline that is met, and one that never comes, end nothing") {
  for (double const limit : {60.0, 1e300, std::numeric_limits<double>::infinity()}) {
    auto const start = std::chrono::steady_clock::now();
    {
      auto const text = glt::detail::waited_in("split", seconds(limit), 0, 1);
      glt::detail::mpi_deadline const deadline(seconds(limit), 0, 1, text);
    }
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30)); // its thread did not wait on
  }
}
