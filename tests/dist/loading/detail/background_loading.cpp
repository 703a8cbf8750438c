// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/loading/detail/background_loading.hpp>

#include <glt/dist/loader.hpp>

#include "support/counted_batches.hpp"
#include "support/errors.hpp"
#include "support/ranks.hpp"
#include "support/usage.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using glt_test::counted_batches;
using glt_test::counted_seeds;
using glt_test::dawdle;
using glt_test::prints_of;

namespace {

constexpr glt::dist::loader_options some_options{.batch_size = 3, .shuffle = true, .seed = 5};

// Sums up over the ranks: a collective of the consumer's own.
template <class Comm>
std::int64_t sum_over_ranks(Comm& comm, std::int64_t value) {
  comm.all_reduce(std::span<std::int64_t>(&value, 1), glt::reduction::sum);
  return value;
}

} // namespace

TEST_CASE("batches prepared in advance are those that are not, whatever runs beside them") {
  glt_test::on_ranks([](auto comm) {
    auto const seeds = counted_seeds(comm.rank(), 20 + 3 * comm.rank());
    glt::dist::loader plain(comm, counted_batches(), seeds, some_options);
    for (std::int64_t const prefetch : {1, 2, 5, 100}) {
      for (std::int64_t const bulk : {1, 2, 3}) {
        auto options = some_options;
        options.prefetch = prefetch;
        options.bulk = bulk;
        glt::dist::loader loader(comm, counted_batches{.delays = true}, seeds, options);
        CHECK(loader.num_steps() == plain.num_steps());
        for (std::int64_t const epoch : {0, 1}) {
          auto const expected = prints_of(plain, epoch);
          std::int64_t step = 0;
          auto const prints = prints_of(loader, epoch, 0, [&](auto const& batch) {
            CHECK(batch.step == step++);
            dawdle(17, step, comm.rank());
            CHECK(sum_over_ranks(comm, batch.step) == batch.step * comm.size());
          });
          CHECK(prints == expected);
          auto const resumed = prints_of(loader, epoch, 2);
          CHECK(resumed == std::vector<std::int64_t>(expected.begin() + 2, expected.end()));
        }
        CHECK(prints_of(loader, 0, loader.num_steps()).empty());
        CHECK(loader.report().seconds.waiting > 0);
      }
    }
  });
}

TEST_CASE("an epoch may be left, by all ranks at once or later than others, for another one") {
  glt_test::on_ranks([](auto comm) {
    auto const seeds = counted_seeds(comm.rank(), 30);
    auto options = some_options;
    glt::dist::loader plain(comm, counted_batches(), seeds, options);
    auto const expected = prints_of(plain, 3);
    options.prefetch = 2;
    glt::dist::loader loader(comm, counted_batches{.delays = true}, seeds, options);
    for (std::int64_t const last : {0, 1, 6}) {
      for (auto const& batch : loader.epoch(2)) {
        if (batch.step == last) {
          std::this_thread::sleep_for(std::chrono::milliseconds(comm.rank() * 3));
          break;
        }
      }
      CHECK(prints_of(loader, 3) == expected);
    }
    for (auto const& batch : loader.epoch(2)) { // ends together with the loader
      CHECK(batch.step == 0);
      break;
    }
  });
}

TEST_CASE("a consumer that goes away takes nobody along before its last batch") {
  glt_test::on_ranks(
      [](auto comm) {
        auto const last = comm.size() - 1;
        auto options = some_options;
        options.prefetch = 2;
        for (bool const at_once : {true, false}) {
          glt::dist::loader loader(comm, counted_batches{.delays = true}, counted_seeds(comm.rank(), 60), options);
          if (comm.rank() == last) {
            for (auto const& batch : loader.epoch(0)) {
              if (at_once || batch.step == 4) {
                break;
              }
            }
            continue; // the loader goes
          }
          std::int64_t batches = 0;
          auto const text = glt_test::thrown<glt::collective_error>([&] {
            for (auto const& batch : loader.epoch(0)) {
              CHECK(batch.step == batches++);
            }
          });
          CHECK(glt_test::names(text, "rank " + std::to_string(last), "has ended its loader"));
          CHECK(batches >= (at_once ? 1 : 5));
          CHECK(batches <= (at_once ? 1 : 5) + options.prefetch);
          CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] { prints_of(loader, 1); }),
                                "has ended its loader"));
        }
      },
      {2, 3, 4});
}

TEST_CASE("a batch that cannot be made is the same error on all ranks, after the batches before it; the rest goes on") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto options = some_options;
    for (std::int64_t const prefetch : {0, 1, 4}) {
      options.prefetch = prefetch;
      counted_batches const recipe{.failing_step = comm.rank() == last ? 4 : -1, .delays = true};
      glt::dist::loader loader(comm, recipe, counted_seeds(comm.rank(), 30), options);
      for (int round = 0; round < 2; ++round) {
        std::int64_t batches = 0;
        auto const text = glt_test::thrown<std::exception>([&] {
          glt::run_collectively(comm, [&] {
            for (auto const& batch : loader.epoch(0)) {
              CHECK(batch.step == batches++);
            }
          });
        });
        CHECK(batches == 4);
        CHECK(glt_test::names(text, "rank " + std::to_string(last), "no batch of step 4"));
        std::int64_t rest = 0;
        for (auto const& batch : loader.epoch(0, 5)) {
          rest += batch.num_seeds > 0 ? 1 : 0;
        }
        CHECK(rest == 5);
      }
    }
  });
}

TEST_CASE("ranks that begin other epochs, or go on where another has begun a new one, are told so") {
  glt_test::on_ranks(
      [](auto comm) {
        auto const last = comm.size() - 1;
        auto options = some_options;
        options.prefetch = 1;
        glt::dist::loader loader(comm, counted_batches(), counted_seeds(comm.rank(), 30), options);
        auto const other = glt_test::thrown<glt::collective_error>([&] { prints_of(loader, comm.rank()); });
        CHECK(glt_test::names(other, "rank 1", "begins epoch 1 while rank 0 begins epoch 0"));
        auto const text = glt_test::thrown<glt::collective_error>([&] {
          for (auto const& batch : loader.epoch(7)) {
            if (comm.rank() == last && batch.step == 2) {
              break;
            }
          }
          prints_of(loader, 8);
        });
        if (comm.rank() == last) { // the others do not begin epoch 8
          CHECK(glt_test::names(text, "rank 0", "has ended its loader"));
        } else {
          CHECK(glt_test::names(text, "rank " + std::to_string(last), "has left epoch 7"));
        }
      },
      {2, 3});
}

TEST_CASE("a consumer that takes no batch for too long is named on all ranks") {
  glt_test::on_ranks(
      [](auto comm) {
        auto options = some_options;
        options.prefetch = 1;
        options.stall_limit = std::chrono::milliseconds(60);
        glt::dist::loader loader(comm, counted_batches(), counted_seeds(comm.rank(), 60), options);
        auto const text = glt_test::thrown<glt::collective_error>([&] {
          for (auto const& batch : loader.epoch(0)) {
            if (comm.rank() == 0 && batch.step == 3) {
              std::this_thread::sleep_for(std::chrono::milliseconds(400));
            }
          }
        });
        CAPTURE(text);
        CHECK(glt_test::names(text, "rank 0", "its consumer has taken no batch for 0.06 s"));
      },
      {2, 3});
}

TEST_CASE("options that cannot be, or differ, are the same error on every rank") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const refused = [&](glt::dist::loader_options options, std::int64_t first_seed) {
      return glt_test::thrown<glt::collective_error>(
          [&] { glt::dist::loader(comm, counted_batches(), std::vector<glt::global_id>{first_seed}, options); });
    };
    bool const wrong = comm.rank() == last;
    CHECK(glt_test::names(refused({.bulk = 0}, 0), "bulk 0"));
    CHECK(glt_test::names(refused({.prefetch = -1}, 0), "prefetch -1"));
    CHECK(glt_test::names(refused({.stall_limit = std::chrono::seconds(wrong ? -1 : 0)}, 0), "stall_limit -1 s"));
    CHECK(glt_test::names(refused({.prefetch = 1}, wrong ? -1 : 0), "rank " + std::to_string(last), "seed below 0"));
    if (comm.size() > 1) {
      CHECK(glt_test::names(refused({.prefetch = wrong ? 1 : 0}, 0), "in another way than rank 0"));
    }
  });
}

TEST_CASE("batches in thousands come through in the same memory, and nothing is left of them") {
  glt_test::on_ranks(
      [](auto comm) {
        glt_test::usage before;
        for (std::int64_t const steps : {1000, 10000}) {
          std::vector<glt::global_id const*> places;
          {
            glt::dist::loader loader(comm, counted_batches(), counted_seeds(comm.rank(), steps),
                                     {.batch_size = 1, .prefetch = 3});
            places.reserve(10000);
            for (auto const& batch : loader.epoch(0)) {
              places.push_back(batch.seeds.data());
            }
          }
          CHECK(std::ssize(places) == steps);
          std::ranges::sort(places);
          CHECK(std::ranges::unique(places).begin() - places.begin() == 4);
          auto const after = glt_test::usage_in_turn(comm);
          if (steps > 1000) {
            CHECK(after.files <= before.files);
            CHECK(after.shared <= before.shared);
            CHECK((!glt_test::knows_memory || after.kilobytes - before.kilobytes < 2048)); // of them the lists of seeds
          }
          before = after;
        }
      },
      {2});
}
