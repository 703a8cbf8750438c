// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/loading/detail/epoch_plan.hpp>

#include <glt/core/types.hpp>
#include <glt/dist/loading/seeds.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include "support/errors.hpp"
#include "support/statistics.hpp"

namespace {

// All places of an epoch, in the order in which they are visited.
std::vector<std::int64_t> visited(glt::detail::epoch_plan& plan, std::int64_t epoch) {
  plan.begin(epoch);
  std::vector<std::int64_t> places;
  for (std::int64_t step = 0; step < plan.num_steps(); ++step) {
    auto const some = plan.places(step);
    places.insert(places.end(), some.begin(), some.end());
  }
  CHECK(plan.places(plan.num_steps()).empty());
  return places;
}

std::vector<std::int64_t> counted(std::int64_t size) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(size));
  std::iota(places.begin(), places.end(), std::int64_t{0});
  return places;
}

} // namespace

TEST_CASE("the order is a permutation that seed and epoch decide") {
  glt::detail::epoch_plan in_order(101, {.batch_size = 7, .seed = 1});
  CHECK(visited(in_order, 2) == counted(101));
  glt::detail::epoch_plan plan(101, {.batch_size = 7, .shuffle = true, .seed = 1});
  glt::detail::epoch_plan other(101, {.batch_size = 10, .shuffle = true, .seed = 2});
  auto const order = visited(plan, 2);
  CHECK(order != visited(plan, 3));
  CHECK(order == visited(plan, 2));
  CHECK(order != visited(other, 2));
  CHECK(order != counted(101));
  auto sorted = order;
  std::ranges::sort(sorted);
  CHECK(sorted == counted(101));
}

TEST_CASE("the last batch is shorter or left out, and no seeds make no steps") {
  glt::detail::epoch_plan whole(10, {.batch_size = 4});
  CHECK(whole.num_steps() == 3);
  whole.begin(0);
  CHECK(whole.places(2).size() == 2);
  glt::detail::epoch_plan full(10, {.batch_size = 4, .drop_last = true});
  CHECK(full.num_steps() == 2);
  CHECK(visited(full, 0) == counted(8));
  CHECK(glt::detail::epoch_plan(0, {.shuffle = true}).num_steps() == 0);
  CHECK_THROWS_AS(glt::detail::epoch_plan(3, {.batch_size = 0}), glt::precondition_error);
}

TEST_CASE("seeds of the rest of an epoch begin at a later step, and no epoch begins before it") {
  glt::dist::loader_options const options{.batch_size = 4, .shuffle = true, .seed = 1, .steps_before = 3};
  glt::detail::epoch_plan rest(10, options);
  glt::detail::epoch_plan whole(10, {.batch_size = 4, .shuffle = true, .seed = 1});
  CHECK(rest.num_steps() == 6);
  CHECK(visited(rest, 1) == visited(whole, 1));
  CHECK(rest.places(2).empty());
  CHECK(std::ranges::equal(rest.places(5), whole.places(2)));
  CHECK_THROWS_AS(glt::detail::epoch_plan(3, {.steps_before = -1}), glt::precondition_error);
  CHECK_NOTHROW(glt::detail::check_first_step(3, options, 6));
  for (std::int64_t const step : {0, 2, 7}) {
    CHECK(glt_test::names(
        glt_test::thrown<glt::precondition_error>([&] { glt::detail::check_first_step(step, options, 6); }),
        "steps are in [3, 6]"));
  }
}

TEST_CASE("seeds that are dealt out to ranks in turn meet in one step as often as by chance") {
  using seeds_type = glt::dist::vertex_seeds<>;
  std::vector<seeds_type> seeds(2);
  for (glt::global_id vertex = 0; vertex < 64; ++vertex) {
    seeds[static_cast<std::size_t>(vertex % 2)].vertices.push_back(vertex);
  }
  glt::dist::loader_options const options{.batch_size = 4, .shuffle = true, .seed = 5};
  glt::detail::epoch_plan first(seeds[0], options);
  glt::detail::epoch_plan second(seeds[1], options);
  glt::detail::epoch_plan again(seeds[1], options); // as a server has it
  std::vector<std::int64_t> met(2);
  for (std::int64_t epoch = 0; epoch < 1000; ++epoch) {
    auto const order = visited(first, epoch);
    auto const other = visited(second, epoch);
    CHECK(other == visited(again, epoch));
    auto const step_of = [](std::vector<std::int64_t> const& places, std::int64_t place) {
      return (std::ranges::find(places, place) - places.begin()) / 4;
    };
    ++met[step_of(order, 7) == step_of(other, 7) ? 1 : 0];
  }
  CHECK(met[1] > 90); // one in eight is right
  CHECK(met[1] < 160);
  glt::dist::typed_seeds<> const typed(1, seeds[0]);
  CHECK(glt::detail::fingerprint_of(typed) != glt::detail::fingerprint_of(seeds[0]));
  glt::dist::vertex_seeds<glt::local_id> narrow;
  narrow.vertices.assign(seeds[0].vertices.begin(), seeds[0].vertices.end());
  CHECK(glt::detail::fingerprint_of(narrow) == glt::detail::fingerprint_of(seeds[0]));
}

TEST_CASE("every order is equally likely") {
  std::map<std::vector<std::int64_t>, std::int64_t> orders;
  glt::detail::epoch_plan plan(4, {.shuffle = true, .seed = 6});
  for (std::int64_t epoch = 0; epoch < 24000; ++epoch) {
    ++orders[visited(plan, epoch)];
  }
  std::vector<std::int64_t> observed;
  for (auto const& [order, count] : orders) {
    observed.push_back(count);
  }
  CHECK(observed.size() == 24);
  CHECK(glt_test::chi_square_deviation(observed) < 4);
}
