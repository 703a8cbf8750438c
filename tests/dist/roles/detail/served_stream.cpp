// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/roles/detail/served_stream.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

class plain_stream final : public glt::detail::served_stream {
public:
  using served_stream::served_stream;
  [[nodiscard]] std::int64_t message_bytes(glt::detail::batch_message const&) const override { return 0; }
  void write_message(glt::detail::batch_message const&, std::byte*) const override {}
};

glt::detail::open_message wanted(std::int64_t share, std::int64_t shares, std::int64_t buffer_bytes = 0) {
  return {.loader = 1,
          .offer = {},
          .batch_name = {},
          .options = {.batch_size = 2, .buffer_bytes = buffer_bytes},
          .share = share,
          .shares = shares};
}

// The steps that are due, each sent as `bytes` that never come back.
std::vector<std::int64_t> steps_of(plain_stream& stream, std::int64_t bytes = 1) {
  std::vector<std::int64_t> steps;
  while (stream.is_due()) {
    steps.push_back(stream.key().step);
    stream.advance(bytes);
  }
  return steps;
}

} // namespace

TEST_CASE("the servers of a loader make all of its steps, each once, from any step on") {
  for (std::int64_t const shares : {1, 2, 3}) {
    for (std::int64_t first = 0; first <= 10; ++first) {
      std::vector<int> made(10, 0);
      for (std::int64_t share = 0; share < shares; ++share) {
        plain_stream stream(4, wanted(share, shares), 20);
        CHECK(!stream.is_due());
        stream.begin({.loader = 1, .generation = 1, .epoch = 3, .first_step = first, .end_step = 10, .credits = 100});
        for (auto const step : steps_of(stream)) {
          CHECK(step % shares == share);
          ++made[static_cast<std::size_t>(step)];
        }
      }
      for (std::int64_t step = 0; step < 10; ++step) {
        CHECK(made[static_cast<std::size_t>(step)] == (step >= first ? 1 : 0));
      }
    }
  }
}

TEST_CASE("batches go ahead of their consumer as far as its credits and bytes allow") {
  plain_stream by_credits(4, wanted(0, 1), 200);
  by_credits.begin({.loader = 1, .generation = 1, .epoch = 0, .first_step = 0, .end_step = 100, .credits = 3});
  CHECK(steps_of(by_credits) == std::vector<std::int64_t>{0, 1, 2});
  by_credits.take_back({.loader = 1, .generation = 1, .bytes = 1});
  CHECK(steps_of(by_credits) == std::vector<std::int64_t>{3});
  by_credits.take_back({.loader = 1, .generation = 0, .bytes = 1}); // of an epoch that was left
  CHECK(!by_credits.is_due());

  plain_stream by_bytes(4, wanted(0, 1, 100), 200);
  by_bytes.begin({.loader = 1, .generation = 1, .epoch = 0, .first_step = 0, .end_step = 100, .credits = 50});
  CHECK(steps_of(by_bytes, 60) == std::vector<std::int64_t>{0, 1});
  by_bytes.begin({.loader = 1, .generation = 2, .epoch = 1, .first_step = 5, .end_step = 100, .credits = 50});
  CHECK(steps_of(by_bytes, 500) == std::vector<std::int64_t>{5}); // one at least
  by_bytes.stop();
  by_bytes.take_back({.loader = 1, .generation = 2, .bytes = 500});
  CHECK(!by_bytes.is_due());
}

TEST_CASE("what a client asks for is checked") {
  CHECK_THROWS_AS(plain_stream(4, wanted(2, 2), 20), glt::precondition_error);
  CHECK_THROWS_AS(plain_stream(4, wanted(-1, 2), 20), glt::precondition_error);
  CHECK_THROWS_AS(plain_stream(4, wanted(0, 0), 20), glt::precondition_error);
  plain_stream stream(4, wanted(0, 1), 20);
  CHECK_THROWS_AS(
      stream.begin({.loader = 1, .generation = 1, .epoch = 0, .first_step = -1, .end_step = 1, .credits = 1}),
      glt::precondition_error);
  CHECK_THROWS_AS(
      stream.begin({.loader = 1, .generation = 1, .epoch = 0, .first_step = 0, .end_step = 1, .credits = 0}),
      glt::precondition_error);
}
