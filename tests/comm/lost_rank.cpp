// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/comm/communicator.hpp>
#include <glt/comm/counting.hpp>
#include <glt/comm/guard.hpp>
#include <glt/comm/serial.hpp>
#include <glt/comm/threads.hpp>
#include <glt/core/error.hpp>

#include "support/errors.hpp"
#include "support/minimal_communicator.hpp"

#include <memory>
#include <new>
#include <stdexcept>
#include <string>

using namespace glt;
using namespace glt_test;

namespace {

// A single rank that can be lost, and whose job counts how often it was ended.
struct endable_comm : serial_comm {
  std::shared_ptr<bool> lost = std::make_shared<bool>(false);
  std::shared_ptr<int> ended = std::make_shared<int>(0);
  void mark_lost() noexcept { *lost = true; }
  [[nodiscard]] bool is_lost() const noexcept { return *lost; }
  void abort_job(char const* cause) noexcept { *ended += names(cause, "no row") ? 1 : 100; }
  [[nodiscard]] endable_comm split(int, int) const noexcept { return *this; }
  [[nodiscard]] endable_comm duplicate() const noexcept { return *this; }
};

static_assert(glt::detail::losable<endable_comm> && glt::detail::losable<counting_comm<endable_comm>>);
static_assert(!glt::detail::losable<serial_comm> && !glt::detail::losable<threads_comm> &&
              !glt::detail::losable<minimal_communicator<endable_comm>>);

} // namespace

TEST_CASE("a failure where others wait for bytes loses the rank, and what all ranks throw does not") {
  endable_comm comm;
  CHECK(detail::committed(comm, [] { return 5; }) == 5);
  auto const agree_on = [&](int num_ranks) {
    return thrown<collective_error>(
        [&] { detail::committed(comm, [&] { throw detail::agreed_error(num_ranks, 0, "all"); }); });
  };
  CHECK(agree_on(comm.size()) == "rank 0: all");
  CHECK(!comm.is_lost());
  CHECK(agree_on(comm.size() - 1) == "rank 0: all"); // only a group of them
  CHECK(comm.is_lost());
  comm = {};
  CHECK_THROWS_AS(detail::committed(comm, []() -> int { throw std::bad_alloc(); }), std::bad_alloc);
  CHECK(comm.is_lost());
  serial_comm alone;
  CHECK_THROWS_AS(detail::committed(alone, [] { throw std::bad_alloc(); }), std::bad_alloc);
  CHECK(!detail::is_lost(alone));
}

TEST_CASE("threads notice a rank that fails where others wait for its bytes") {
  run_threads(3, [&](threads_comm comm) {
    for (int failing = 0; failing < 3; ++failing) {
      auto const text = thrown<collective_error>([&] {
        run_collectively(comm, [&] {
          detail::committed(comm, [&] {
            if (comm.rank() == failing) {
              throw std::runtime_error("no memory for what arrives");
            }
            comm.barrier(); // what the others wait for
          });
        });
      });
      CHECK(names(text, "barrier", "all_to_all"));
    }
  });
}

TEST_CASE("a lost rank ends the job unless the program wants to do that itself") {
  endable_comm const inner;
  counting_comm comm(inner);
  auto const ended = [&] { return *inner.ended; };
  auto const fail = [] { throw std::runtime_error("no row"); };
  CHECK_THROWS_AS(run_collectively(comm, fail), collective_error); // between collectives: agreed
  CHECK(ended() == 0);
  CHECK_THROWS_AS(
      run_collectively(comm, [&] { detail::committed(comm, fail); }, lost_rank::rethrow), std::runtime_error);
  CHECK(ended() == 0);
  CHECK_THROWS_AS(run_collectively(comm, [&] { detail::committed(comm, fail); }), std::runtime_error);
  CHECK(ended() == 1);
}

TEST_CASE("a rank that was lost by what its work has swallowed ends the job all the same") {
  endable_comm comm;
  CHECK(names(thrown<error>([&] { run_collectively(comm, [&] { comm.mark_lost(); }); }),
              "has caught, or ended in a destructor"));
  CHECK(*comm.ended == 100); // its cause is another one than of `fail` above
}
