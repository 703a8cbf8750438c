// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/dist/detail/exchange/agree.hpp>

#include <doctest/doctest.h>

#include <glt/comm/threads.hpp>

#include "support/errors.hpp"

#include <string>

using glt::detail::check_own_part;

namespace {

template <class Comm>
std::string refused(Comm const& comm, int part, int num_parts) {
  return glt_test::thrown<glt::precondition_error>(
      [&] { check_own_part(comm, part, num_parts, "edges of part", "tested by"); });
}

} // namespace

TEST_CASE("A rank takes its own part of as many as there are ranks, and no other") {
  glt::run_threads(3, [](auto comm) {
    if (comm.rank() == 1) {
      CHECK_NOTHROW(check_own_part(comm, 1, 3, "part", "walked by"));
      CHECK(refused(comm, 0, 3) ==
            "edges of part 0 of 3 tested by rank 1 of 3; use the communicator that the graph was made with");
      CHECK(refused(comm, 1, 2) ==
            "edges of part 1 of 2 tested by rank 1 of 3; use the communicator that the graph was made with");
    }
  });
}

TEST_CASE("A rank of a group is named by its number in the world") {
  glt::run_threads(5, [](auto world) {
    auto const group = world.split(world.rank() / 2, 0);
    if (world.rank() == 3) {
      CHECK(refused(group, 0, 2) == "edges of part 0 of 2 tested by rank 3 (1 of 2 in its group); use the communicator "
                                    "that the graph was made with");
    }
  });
}
