// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/loader.hpp>

#include <glt/core/error.hpp>
#include <glt/dist/loading/loader_options.hpp>

#include "support/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace {

struct numbered {
  std::int64_t epoch = -1;
  std::int64_t step = -1;
};

// Makes batches that say which they are, and remembers how many it was asked for at a time.
struct numbering {
  using batch_type = numbered;

  [[nodiscard]] glt::dist::loader_options options() const { return {.bulk = bulk}; }
  [[nodiscard]] std::int64_t num_steps() const { return steps; }
  [[nodiscard]] glt::dist::loader_report report() const { return {.batches = std::ssize(asked)}; }
  void begin(std::int64_t number) { epoch = number; }
  void produce(std::int64_t first_step, std::span<numbered> out) {
    asked.push_back(std::ssize(out));
    for (auto& batch : out) {
      if (first_step == failing_step) {
        throw glt::error("no batch");
      }
      batch = {epoch, first_step++};
    }
  }

  std::int64_t steps;
  std::int64_t bulk = 1;
  std::int64_t failing_step = -1;
  std::int64_t epoch = -1;
  std::vector<std::int64_t> asked{};
};

// The steps of an epoch, and where their batches lie.
std::pair<std::vector<std::int64_t>, std::set<numbered const*>> taken(glt::detail::direct_loading<numbering>& source,
                                                                      std::int64_t epoch, std::int64_t first_step) {
  std::pair<std::vector<std::int64_t>, std::set<numbered const*>> all;
  for (source.start(epoch, first_step); source.current() != nullptr; source.advance()) {
    CHECK(source.current()->epoch == epoch);
    all.first.push_back(source.current()->step);
    all.second.insert(source.current());
  }
  return all;
}

} // namespace

TEST_CASE("batches are made when they are asked for, as many at a time as the options say, in memory used again") {
  for (std::int64_t const steps : {0, 1, 6, 7}) {
    for (std::int64_t const bulk : {1, 2, 3, 10}) {
      for (std::int64_t first = 0; first <= steps; ++first) {
        CAPTURE(steps);
        CAPTURE(bulk);
        CAPTURE(first);
        numbering producer{.steps = steps, .bulk = bulk};
        glt::detail::direct_loading source(producer);
        CHECK(producer.asked.empty());
        for (std::int64_t const epoch : {0, 1}) {
          auto const [made, places] = taken(source, epoch, first);
          CHECK(std::ssize(made) == steps - first);
          for (std::size_t i = 0; i < made.size(); ++i) {
            CHECK(made[i] == first + static_cast<std::int64_t>(i));
          }
          CHECK(std::ssize(places) <= bulk);
        }
        for (auto const batches : producer.asked) {
          CHECK(batches <= bulk);
        }
      }
    }
  }
}

TEST_CASE("a batch is made no sooner than the first of its bulk is asked for") {
  numbering producer{.steps = 5, .bulk = 2};
  glt::detail::direct_loading source(producer);
  source.start(0, 0);
  CHECK(producer.asked == std::vector<std::int64_t>{2});
  source.advance();
  CHECK(producer.asked == std::vector<std::int64_t>{2});
  source.advance();
  CHECK(producer.asked == std::vector<std::int64_t>{2, 2});
  source.start(1, 4); // leaves the epoch
  CHECK(source.current()->epoch == 1);
  CHECK(source.current()->step == 4);
  CHECK(producer.asked == std::vector<std::int64_t>{2, 2, 1});
  CHECK(source.report().batches == 3);
}

TEST_CASE("a batch that cannot be made is an error where it is asked for; another epoch goes on") {
  numbering producer{.steps = 6, .bulk = 2, .failing_step = 3};
  glt::detail::direct_loading source(producer);
  source.start(0, 0);
  source.advance();
  CHECK(source.current()->step == 1);
  CHECK(glt_test::names(glt_test::thrown<glt::error>([&] { source.advance(); }), "no batch"));
  CHECK(source.current() == nullptr);
  CHECK(taken(source, 1, 4).first == std::vector<std::int64_t>{4, 5});
}
