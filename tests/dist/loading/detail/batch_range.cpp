// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/loading/detail/batch_range.hpp>

#include <cstdint>
#include <ranges>
#include <utility>
#include <vector>

namespace {

// Batches that are numbers, from the first step of an epoch to step 4.
class numbers {
public:
  using batch_type = std::int64_t;

  void start(std::int64_t epoch, std::int64_t first_step) {
    started.emplace_back(epoch, first_step);
    now_ = first_step;
  }
  void advance() { ++now_; }
  void leave() noexcept { ++left; }
  [[nodiscard]] std::int64_t const* current() const noexcept { return now_ < 5 ? &now_ : nullptr; }
  [[nodiscard]] std::int64_t num_steps() const noexcept { return 5; }
  [[nodiscard]] int rank() const noexcept { return 3; }

  std::vector<std::pair<std::int64_t, std::int64_t>> started;
  int left = 0;

private:
  std::int64_t now_ = 0;
};

using range = glt::detail::batch_range<numbers>;
static_assert(std::ranges::input_range<range> && std::ranges::view<range> == false);
static_assert(!std::ranges::forward_range<range>); // a batch is gone when the next one is there

} // namespace

TEST_CASE("a range has the batches of an epoch from a step on, and begins the epoch every time") {
  numbers source;
  range const epoch(source, 7, 2);
  CHECK(source.started.empty());
  CHECK(epoch.size() == 3);
  CHECK(epoch.rank() == 3);
  for (int round = 0; round < 2; ++round) {
    std::vector<std::int64_t> steps;
    for (auto const step : epoch) {
      steps.push_back(step);
    }
    CHECK(steps == std::vector<std::int64_t>{2, 3, 4});
  }
  CHECK(source.started == std::vector<std::pair<std::int64_t, std::int64_t>>{{7, 2}, {7, 2}});
}

TEST_CASE("a range gives the batch where it lies, and none from the end of an epoch on") {
  numbers source;
  range const epoch(source, 0, 0);
  auto at = epoch.begin();
  CHECK(&*at == source.current());
  at++;
  ++at;
  CHECK(*at == 2);
  range const rest(source, 1, 5);
  CHECK(rest.begin() == rest.end());
}

TEST_CASE("whoever lets go of a range that has begun leaves the epoch") {
  numbers source;
  {
    range const epoch(source, 0, 0);
  }
  CHECK(source.left == 0);
  for (auto const step : range(source, 0, 0)) {
    if (step == 2) {
      break;
    }
    CHECK(source.left == 0);
  }
  CHECK(source.left == 1);
}

TEST_CASE("a range that has moved leaves the epoch once") {
  numbers source;
  {
    range epoch(source, 0, 0);
    CHECK(*epoch.begin() == 0);
    range const moved(std::move(epoch));
    CHECK(*moved.begin() == 0);
  }
  CHECK(source.left == 1);
}
