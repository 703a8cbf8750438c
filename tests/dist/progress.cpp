// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/progress.hpp>

#include <cstdint>
#include <vector>

namespace {

// Batches that are numbers, up to step 4.
class numbers {
public:
  using batch_type = std::int64_t;

  void start(std::int64_t, std::int64_t first_step) { now_ = first_step; }
  void advance() { ++now_; }
  void leave() noexcept { ++left; }
  [[nodiscard]] std::int64_t const* current() const noexcept { return now_ < 5 ? &now_ : nullptr; }
  [[nodiscard]] std::int64_t num_steps() const noexcept { return 5; }
  [[nodiscard]] int rank() const noexcept { return 0; }

  int left = 0;

private:
  std::int64_t now_ = 0;
};

} // namespace

TEST_CASE("an epoch with its progress has the batches of the epoch, and leaves it once") {
  numbers source;
  std::vector<std::int64_t> steps;
  for (auto const step : glt::dist::progress(glt::detail::batch_range(source, 0, 2), "epoch 0")) {
    steps.push_back(step);
  }
  CHECK(steps == std::vector<std::int64_t>{2, 3, 4});
  CHECK(source.left == 1);
  for (auto const step : glt::dist::progress(glt::detail::batch_range(source, 0, 5))) {
    CHECK(step < 0); // there is none
  }
}

TEST_CASE("the text of progress has a rate and the time that is left, as soon as there is one") {
  CHECK(glt::detail::progress_text("epoch 3", 30, 120, 2.5) == "epoch 3: 30 of 120 batches, 12/s, 8 s left");
  CHECK(glt::detail::progress_text("", 0, 7, 0) == "0 of 7 batches");
  CHECK(glt::detail::progress_text("", 7, 7, 2) == "7 of 7 batches, 3.5/s, 0 s left");
}

TEST_CASE("a line that is not wanted, or has no terminal, is not shown") {
  CHECK_FALSE(glt::detail::terminal_line(false).is_shown());
}
