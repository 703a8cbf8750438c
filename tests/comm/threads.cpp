// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/guard.hpp>
#include <glt/comm/threads.hpp>
#include <glt/core/error.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("run_threads calls its work once per rank, on more ranks than cores too") {
  for (int const ranks : {1, 2, 7, 40}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(ranks));
    run_threads(ranks, [&](threads_comm comm) {
      for (int i = 0; i < 20; ++i) {
        comm.barrier();
      }
      ++calls[static_cast<std::size_t>(comm.rank())];
      CHECK(comm.size() == ranks);
    });
    for (auto const& count : calls) {
      CHECK(count == 1);
    }
  }
  CHECK(names(thrown<precondition_error>([] { run_threads(0, [](threads_comm) {}); }), "0 ranks"));
}

TEST_CASE("a rank that throws ends the ranks that wait for it, and its error comes out") {
  std::array<std::string, 3> seen;
  auto const text = thrown<std::runtime_error>([&] {
    run_threads(3, [&](threads_comm comm) {
      if (comm.rank() == 1) {
        throw std::runtime_error("out of cheese");
      }
      auto& mine = seen[static_cast<std::size_t>(comm.rank())];
      mine = thrown<collective_error>([&] { comm.barrier(); });
      mine += " / " + thrown<collective_error>([&] { comm.barrier(); }); // and whoever arrives later
    });
  });
  CHECK(text == "out of cheese");
  CHECK(seen[0] == "rank 1: out of cheese / rank 1: out of cheese");
  CHECK(seen[2] == seen[0]);
}

TEST_CASE("of several errors the lowest rank's own comes out, not one that others caused") {
  CHECK(thrown<precondition_error>([] {
          run_threads(4, [](threads_comm comm) {
            comm.barrier();
            if (comm.rank() >= 2) {
              throw precondition_error(std::to_string(comm.rank()));
            }
            comm.barrier();
          });
        }) == "2");
  CHECK(thrown<collective_error>([] {
          run_threads(3, [](threads_comm comm) { run_collectively(comm, [&] { throw std::runtime_error("all"); }); });
        }) == "rank 0: all");
  int caught = 0;
  try {
    run_threads(2, [](threads_comm comm) {
      if (comm.rank() == 0) {
        throw 17;
      }
      comm.barrier();
    });
  } catch (int value) {
    caught = value;
  }
  CHECK(caught == 17);
}

TEST_CASE("a rank that throws ends those that wait on a split or a duplicate") {
  CHECK(thrown<std::runtime_error>([] {
          run_threads(4, [](threads_comm comm) {
            auto part = comm.split(comm.rank() / 2, 0).duplicate();
            comm.barrier();
            if (comm.rank() == 3) {
              throw std::runtime_error("gone");
            }
            CHECK(thrown<collective_error>([&] {
                    while (true) { // ranks 0 and 1 only have each other
                      part.barrier();
                    }
                  }) == "rank 3: gone");
          });
        }) == "gone");
}

TEST_CASE("a rank that throws with an exchange under way leaves no one behind") {
  for (int const failing : {0, 1, 2}) {
    CHECK(thrown<std::runtime_error>([&] {
            run_threads(3, [&](threads_comm comm) {
              std::vector<std::int64_t> const sizes(3, 0);
              auto request = comm.start_all_to_all_v({nullptr, sizes, sizes}, {nullptr, sizes, sizes});
              if (comm.rank() == failing) {
                throw std::runtime_error("dropped");
              }
              request.wait();
              comm.barrier();
            });
          }) == "dropped");
  }
}

TEST_CASE("a rank that returns while others wait for it is named") {
  auto const text = thrown<collective_error>([] {
    run_threads(3, [](threads_comm comm) {
      comm.barrier();
      if (comm.rank() != 2) {
        double value = 0;
        comm.all_reduce(std::span(&value, 1), reduction::sum);
      }
    });
  });
  CHECK(names(text, "rank 2: returned", "all_reduce"));
}
