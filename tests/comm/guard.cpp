// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/minimal_communicator.hpp"
#include "support/ranks.hpp"

#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/guard.hpp>
#include <glt/comm/serial.hpp>
#include <glt/core/error.hpp>

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

template <class Comm>
void call(Comm& comm, std::int64_t step, std::string const& failure = {}) {
  std::vector<std::int64_t> const counts(static_cast<std::size_t>(comm.size()), 0);
  std::vector<detail::call_header> received(counts.size());
  detail::exchange_headers(comm, {detail::operation::sample, step}, counts, 0, failure, received);
}

template <class Comm>
std::string guarded(Comm comm, auto work) {
  return thrown<collective_error>([&] { run_collectively(comm, work); });
}

} // namespace

TEST_CASE("a guard returns what the work returns") {
  on_ranks([](auto comm) {
    CHECK(run_collectively(comm, [&] { return comm.rank() + 40; }) == comm.rank() + 40);
    int calls = 0;
    run_collectively(comm, [&] { ++calls; });
    CHECK(calls == 1);
    CHECK(run_collectively(minimal_communicator(comm), [] { return std::string("x"); }) == "x");
  });
}

TEST_CASE("a rank that throws between calls, at the start or at the end takes all ranks along") {
  on_ranks([](auto comm) {
    for (int failing = 0; failing < comm.size(); ++failing) {
      for (std::int64_t when = 0; when <= 3; ++when) {
        auto const text = guarded(comm, [&] {
          for (std::int64_t step = 0; step < 3; ++step) {
            if (comm.rank() == failing && step == when) {
              throw std::runtime_error("the disk is full");
            }
            call(comm, step);
          }
          if (comm.rank() == failing) {
            throw std::runtime_error("the disk is full");
          }
        });
        CHECK(text == "rank " + std::to_string(failing) + ": the disk is full");
      }
    }
    call(comm, 9); // all ranks are still in step
  });
}

TEST_CASE("what only a group of the ranks has agreed on, a guard of all tells the others") {
  on_ranks([](auto comm) {
    if (comm.size() < 2) {
      return;
    }
    auto const lonely = comm.size() - 1; // all others fail together, in a call of theirs
    for (bool const guarded_twice : {false, true}) {
      auto const text = guarded(comm, [&] {
        bool const fails = comm.rank() != lonely;
        auto group = comm.split(fails ? 0 : 1, comm.rank());
        auto const work = [&] { call(group, 0, fails && group.rank() == group.size() - 1 ? "no such offer" : ""); };
        if (guarded_twice) {
          run_collectively(group, work);
        } else {
          work();
        }
        call(comm, 7); // where the last rank waits
      });
      CHECK(text == "rank " + std::to_string(lonely - 1) + ": no such offer");
      call(comm, 9); // all ranks are still in step
    }
  });
}

TEST_CASE("errors of a group name ranks of the world and the group, whatever the group's numbers, and so "
          "does a guard of all") {
  on_ranks([](auto comm) {
    auto const ranks = comm.size();
    for (int failing = 0; failing < ranks; ++failing) {
      bool const is_odd = comm.rank() % 2 != 0;
      auto group = comm.split(is_odd ? 1 : 0, ranks - comm.rank()); // the highest rank is the first
      group.set_name(is_odd ? "odd" : "even");
      auto copy = group.duplicate();
      auto const place = (ranks - 1 - failing) / 2;
      auto const expected = "rank " + std::to_string(failing) + ": " + (failing % 2 != 0 ? "odd-" : "even-") +
                            std::to_string(place) + ": the disk is full";
      auto const fail = [&] {
        if (comm.rank() == failing) {
          throw std::runtime_error("the disk is full");
        }
        call(copy, 0);
      };
      auto const of_group = guarded(copy, fail);
      CHECK(of_group == (failing % 2 == comm.rank() % 2 ? expected : "(nothing was thrown)"));
      CHECK(guarded(comm, [&] {
              run_collectively(copy, fail);
              call(comm, 7);
            }) == expected);
      auto const mismatch = guarded(copy, [&] { call(copy, comm.rank() == failing ? 1 : 0); });
      if (failing % 2 == comm.rank() % 2 && group.size() > 1) {
        CHECK(names(mismatch, "while rank " + std::to_string(group.world_rank(0)) + " is at"));
      }
      auto const difference = guarded(copy, [&] {
        auto const headers = glt::detail::exchange_values(copy, {.what = glt::detail::operation::share}, {},
                                                          comm.rank() == failing ? 1 : 0);
        glt::detail::check_same(copy, headers, &glt::detail::call_header::value,
                                [](auto, auto) { return "shares otherwise than rank 0; share alike"; });
      });
      if (failing % 2 == comm.rank() % 2 && group.size() > 1) {
        CHECK(names(difference, "otherwise than rank " + std::to_string(group.world_rank(0)) + "; share"));
      }
      CHECK(group.world_rank(group.rank()) == comm.rank());
    }
    call(comm, 9); // all ranks are still in step
  });
}

TEST_CASE("ranks work together: what one throws, all throw, and a rank that left before takes the others along") {
  on_ranks([](auto comm) {
    int calls = 0;
    run_together(comm, [&] { ++calls; });
    CHECK(calls == 1);
    for (int failing = 0; failing < comm.size(); ++failing) {
      std::string const expected = "rank " + std::to_string(failing) + ": the disk is full";
      auto const fail = [&] {
        if (comm.rank() == failing) {
          throw std::runtime_error("the disk is full");
        }
      };
      CHECK(thrown<collective_error>([&] { run_together(comm, fail); }) == expected);
      CHECK(guarded(comm, [&] {
              fail();
              run_together(comm, [] {});
            }) == expected);
    }
  });
}

TEST_CASE("a reduction of a program's own is an error on all where a rank has failed or has other values") {
  on_ranks([](auto comm) {
    std::int64_t const ranks = comm.size();
    std::vector<double> values{1.0 + comm.rank(), 2};
    reduce_over_ranks(comm, values, reduction::sum);
    CHECK(values == std::vector<double>{static_cast<double>(ranks * (ranks + 1) / 2), static_cast<double>(2 * ranks)});
    CHECK(reduce_over_ranks(comm, std::int64_t{comm.rank()}, reduction::max) == ranks - 1);
    auto const last = ranks - 1;
    CHECK(guarded(comm, [&] {
            if (comm.rank() == last) {
              throw std::runtime_error("the disk is full");
            }
            reduce_over_ranks(comm, values, reduction::sum);
          }) == "rank " + std::to_string(last) + ": the disk is full");
    if (ranks > 1) {
      std::vector<float> some(comm.rank() == last ? 3 : 4);
      CHECK(names(guarded(comm, [&] { reduce_over_ranks(comm, some, reduction::sum); }),
                  "reduces 3 values while rank 0 reduces 4"));
    }
  });
}

TEST_CASE("an error that all ranks threw passes a guard without another exchange") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const text = guarded(comm, [&] {
      call(comm, 0);
      call(comm, 1, comm.rank() == last ? "seed 9 is not in [0, 5)" : "");
    });
    CHECK(text == "rank " + std::to_string(last) + ": seed 9 is not in [0, 5)");
    call(comm, 2);
  });
}

TEST_CASE("a rank that is done while another one calls is named") {
  on_ranks(
      [](auto comm) {
        auto const text = guarded(comm, [&] {
          call(comm, 0);
          if (comm.rank() != 1) {
            call(comm, 1);
          }
        });
        CHECK(names(text, "rank 1: is at the end of its work while rank 0 is at sample step 1"));
      },
      {2, 3, 4});
}

TEST_CASE("of several failing ranks the lowest is named, and each keeps its own error") {
  on_ranks([](auto comm) {
    try {
      run_collectively(comm, [&] {
        if (comm.rank() > 0 || comm.size() == 1) {
          throw precondition_error("mine is " + std::to_string(comm.rank()));
        }
      });
      CHECK_MESSAGE(false, "nothing was thrown");
    } catch (collective_error const& error) {
      auto const lowest = comm.size() == 1 ? 0 : 1;
      CHECK(error.rank() == lowest);
      CHECK(error.cause() == "mine is " + std::to_string(lowest));
      auto const nested = thrown<precondition_error>([&] { std::rethrow_if_nested(error); });
      if (comm.rank() >= lowest) {
        CHECK(nested == "mine is " + std::to_string(comm.rank()));
      } else {
        CHECK(names(nested, "nothing was thrown"));
      }
    }
  });
}

TEST_CASE("what is no std::exception is reported too") {
  on_ranks([](auto comm) {
    CHECK(guarded(comm, [&] {
            if (comm.rank() == 0) {
              throw 5;
            }
          }) == "rank 0: unknown exception");
  });
}

TEST_CASE("a collective error of a program's own reaches all ranks as any other failure") {
  on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    CHECK(guarded(comm, [&] {
            call(comm, 0);
            if (comm.rank() == last) {
              throw collective_error(0, "made up");
            }
            call(comm, 1);
          }) == "rank " + std::to_string(last) + ": made up");
    call(comm, 2);
  });
}

TEST_CASE("a single rank gets its failure as a collective error") {
  CHECK(guarded(serial_comm{}, [] { throw std::runtime_error("alone"); }) == "rank 0: alone");
}

TEST_CASE("a guard returns the very object that the work refers to") {
  on_ranks([](auto comm) {
    int kept = 1;
    int& result = run_collectively(comm, [&]() -> int& { return kept; });
    CHECK(&result == &kept);
  });
}

TEST_CASE("values of all ranks are on every rank, whatever their kind and length") {
  on_ranks([](auto comm) {
    auto const rank = comm.rank();
    CHECK(gather_over_ranks(comm, rank)[static_cast<std::size_t>(comm.size() - 1)] == comm.size() - 1);
    auto const lists = gather_over_ranks(comm, std::vector<float>(static_cast<std::size_t>(rank), 0.5F));
    auto const texts =
        gather_over_ranks(comm, std::vector<std::string>{std::string(static_cast<std::size_t>(rank), 'x')});
    REQUIRE(std::ssize(lists) == comm.size());
    for (int r = 0; r < comm.size(); ++r) {
      CHECK(lists[static_cast<std::size_t>(r)] == std::vector<float>(static_cast<std::size_t>(r), 0.5F));
      CHECK(texts[static_cast<std::size_t>(r)].at(0).size() == static_cast<std::size_t>(r));
    }
  });
}
