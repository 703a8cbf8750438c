// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/loading/detail/concurrent_loading.hpp>

#include <glt/comm/guard.hpp>
#include <glt/dist/loader.hpp>

#include "support/counted_batches.hpp"
#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

using glt_test::counted_batches;
using glt_test::counted_seeds;
using glt_test::prints_of;

namespace {

constexpr glt::dist::loader_options some_options{.batch_size = 3, .shuffle = true, .seed = 5};

glt::dist::loader_options in_advance(std::int64_t prefetch, std::int64_t concurrency, std::int64_t bulk = 1) {
  auto options = some_options;
  options.prefetch = prefetch;
  options.concurrency = concurrency;
  options.bulk = bulk;
  return options;
}

// Counted batches of one epoch, which a rank only makes two at a time.
struct paired_batches : counted_batches {
  std::atomic<std::int64_t>* begun = nullptr; // on this rank

  template <glt::communicator Comm, glt::device_policy Policy>
  class maker : public counted_batches::maker<Comm, Policy> {
    using base = counted_batches::maker<Comm, Policy>;

  public:
    maker(Comm comm, paired_batches const& what, Policy policy) : base(comm, what, policy), begun_(what.begun) {}

    void make(seeds_type const& seeds, glt::sample_key key, glt_test::counted_batch& out) {
      ++*begun_;
      auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (*begun_ < 2 * (key.step / 2 + 1)) { // until the other one of the pair is begun as well
        if (std::chrono::steady_clock::now() > limit) {
          throw glt::error("no other batch is made at the same time");
        }
        std::this_thread::yield();
      }
      base::make(seeds, key, out);
    }

  private:
    std::atomic<std::int64_t>* begun_;
  };
};

} // namespace

TEST_CASE("batches that threads make in turns come in their order and are those of one thread, whatever runs "
          "beside them") {
  glt_test::on_ranks([](auto comm) {
    auto const seeds = counted_seeds(comm.rank(), 20 + 3 * comm.rank());
    glt::dist::loader plain(comm, counted_batches(), seeds, some_options);
    for (std::int64_t const concurrency : {2, 3}) {
      for (std::int64_t const bulk : {1, 2}) {
        glt::dist::loader loader(comm, counted_batches{.delays = true}, seeds, in_advance(3, concurrency, bulk));
        CHECK(loader.num_steps() == plain.num_steps());
        for (std::int64_t const epoch : {0, 1}) {
          auto const expected = prints_of(plain, epoch);
          std::int64_t step = 0;
          auto const prints = prints_of(loader, epoch, 0, [&](auto const& batch) {
            CHECK(batch.step == step++);
            glt_test::dawdle(17, step, comm.rank());
            auto sum = batch.step;
            comm.all_reduce(std::span<std::int64_t>(&sum, 1), glt::reduction::sum);
            CHECK(sum == batch.step * comm.size());
          });
          CHECK(prints == expected);
          for (auto first = loader.num_steps(); first > loader.num_steps() - 5; --first) {
            CHECK(prints_of(loader, epoch, first) ==
                  std::vector<std::int64_t>(expected.begin() + first, expected.end()));
          }
        }
      }
    }
  });
}

TEST_CASE("two batches of a rank are made at the same time") {
  glt_test::on_ranks(
      [](auto comm) {
        std::atomic<std::int64_t> begun = 0;
        paired_batches recipe;
        recipe.begun = &begun;
        glt::dist::loader loader(comm, recipe, counted_seeds(comm.rank(), 24), in_advance(2, 2));
        CHECK(prints_of(loader, 0).size() == 8);
      },
      {1, 2});
}

TEST_CASE("a batch that one of several threads cannot make is the same error on all ranks, in its place; the "
          "rest goes on") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    for (std::int64_t const failing : {0, 4, 5}) {
      counted_batches const recipe{.failing_step = comm.rank() == last ? failing : -1, .delays = true};
      glt::dist::loader loader(comm, recipe, counted_seeds(comm.rank(), 30), in_advance(4, 2));
      for (int round = 0; round < 2; ++round) {
        std::int64_t batches = 0;
        auto const text = glt_test::thrown<std::exception>([&] {
          glt::run_collectively(comm, [&] {
            for (auto const& batch : loader.epoch(0)) {
              CHECK(batch.step == batches++);
            }
          });
        });
        CHECK(batches == failing);
        CHECK(glt_test::names(text, "rank " + std::to_string(last), "no batch of step " + std::to_string(failing)));
        CHECK(prints_of(loader, 0, failing + 1).size() == static_cast<std::size_t>(9 - failing));
      }
    }
  });
}

TEST_CASE("a consumer of several threads that leaves an epoch, or ends its loader, leaves nobody waiting") {
  glt_test::on_ranks(
      [](auto comm) {
        glt::dist::loader plain(comm, counted_batches(), counted_seeds(comm.rank(), 60), some_options);
        auto const expected = prints_of(plain, 3);
        for (std::int64_t const last : {0, 1, 6}) {
          glt::dist::loader loader(comm, counted_batches{.delays = true}, counted_seeds(comm.rank(), 60),
                                   in_advance(4, 2));
          for (auto const& batch : loader.epoch(2)) { // by all ranks
            if (batch.step == last) {
              break;
            }
          }
          CHECK(prints_of(loader, 3) == expected);
          auto const text = glt_test::thrown<glt::collective_error>([&] {
            for (auto const& batch : loader.epoch(2)) { // by one, which then waits for the others
              if (comm.rank() == 0 && batch.step == last) {
                break;
              }
            }
          });
          CHECK(glt_test::names(text, comm.rank() == 0 ? "nothing was thrown" : "has left epoch 2"));
          glt::run_together(comm, [] {});
          CHECK(prints_of(loader, 3) == expected);
          if (comm.rank() == 0) {
            continue; // the loader goes
          }
          CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] { prints_of(loader, 1); }), "rank 0",
                                "has ended its loader"));
        }
      },
      {2, 3});
}

TEST_CASE("a consumer of several threads that takes no batch for too long is named; one that is slow is not") {
  glt_test::on_ranks(
      [](auto comm) {
        auto options = in_advance(2, 2);
        options.stall_limit = std::chrono::milliseconds(200);
        for (int const stalled : {-1, 1}) {
          glt::dist::loader loader(comm, counted_batches(), counted_seeds(comm.rank(), 36), options);
          auto const text = glt_test::thrown<glt::collective_error>([&] {
            for (auto const& batch : loader.epoch(0)) { // each thread waits for two batches
              std::this_thread::sleep_for(std::chrono::milliseconds(
                  comm.rank() == stalled && batch.step == 3 ? 1000 : 130 * (batch.step % 4 / 3)));
            }
          });
          CAPTURE(text);
          CHECK(glt_test::names(text, stalled < 0 ? "nothing was thrown"
                                                  : "rank 1: its consumer has taken no batch for 0.2 s"));
        }
      },
      {2});
}

TEST_CASE("as many threads as cannot be are the same error on every rank") {
  glt_test::on_ranks([](auto comm) {
    bool const wrong = comm.rank() == comm.size() - 1;
    auto const refused = [&](std::int64_t prefetch, std::int64_t concurrency) {
      return glt_test::thrown<glt::collective_error>(
          [&] { glt::dist::loader(comm, counted_batches(), counted_seeds(0, 9), in_advance(prefetch, concurrency)); });
    };
    auto const text = "rank " + std::to_string(comm.size() - 1);
    CHECK(glt_test::names(refused(2, wrong ? 0 : 1), text, "concurrency 0 with prefetch 2"));
    CHECK(glt_test::names(refused(2, wrong ? 3 : 1), text, "concurrency 3 with prefetch 2"));
    CHECK(glt_test::names(refused(0, wrong ? 2 : 1), text, "concurrency 2 with prefetch 0"));
    if (comm.size() > 1) {
      CHECK(glt_test::names(refused(2, wrong ? 2 : 1), text, "in another way than rank 0"));
    }
  });
}
