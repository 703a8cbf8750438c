// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/loading/rest_of_epoch.hpp>

#include <glt/dist/loader.hpp>
#include <glt/dist/loading/checkpoint.hpp>
#include <glt/dist/loading/seeds.hpp>

#include "support/counted_batches.hpp"
#include "support/errors.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace dist = glt::dist;

namespace {

// Stands for a loader of one rank.
template <class Seeds>
struct planned {
  using seeds_type = Seeds;
  dist::loader_options of;
  std::int64_t steps;
  int at;
  int ranks;

  [[nodiscard]] dist::loader_options const& options() const { return of; }
  [[nodiscard]] std::int64_t num_steps() const { return steps; }
  [[nodiscard]] int rank() const { return at; }
  [[nodiscard]] int num_ranks() const { return ranks; }
};

// Seeds and options of the loaders of some ranks.
template <class Seeds>
struct of_loader {
  Seeds seeds;
  dist::loader_options options;
};
template <class Seeds>
using run = std::vector<of_loader<Seeds>>;

template <class Seeds>
std::int64_t num_steps(run<Seeds> const& ranks) {
  std::int64_t most = 0;
  for (auto const& of : ranks) {
    most = std::max(most, glt::detail::epoch_plan(of.seeds.size(), of.options).num_steps());
  }
  return most;
}

template <class Seeds>
std::vector<dist::loader_checkpoint> saved_at(run<Seeds> const& ranks, std::int64_t epoch, std::int64_t step) {
  std::vector<dist::loader_checkpoint> made;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    planned<Seeds> const loader{ranks[r].options, num_steps(ranks), static_cast<int>(r),
                                static_cast<int>(ranks.size())};
    made.push_back(glt::dist::loader_checkpoint(loader, ranks[r].seeds, glt::partition_book({0, 9}, 7), 5));
    made.back().epoch = epoch;
    made.back().step = step;
  }
  return made;
}

template <class Seeds>
run<Seeds> rest_of(run<Seeds> const& ranks, std::int64_t epoch, std::int64_t step, int num_ranks) {
  auto const saved = saved_at(ranks, epoch, step);
  run<Seeds> made;
  for (int r = 0; r < num_ranks; ++r) {
    dist::rest_of_epoch<Seeds> const rest(
        saved, [&](int rank) { return ranks[static_cast<std::size_t>(rank)].seeds; }, r, num_ranks);
    made.push_back({rest.seeds, rest.options});
  }
  return made;
}

// Returns the seeds of the steps [first, last) of an epoch, of all ranks.
using steps_of_seeds = std::map<std::int64_t, std::multiset<glt::global_id>>;
steps_of_seeds dealt(run<dist::vertex_seeds<>> const& ranks, std::int64_t epoch, std::int64_t first,
                     std::int64_t last) {
  steps_of_seeds made;
  for (auto const& [seeds, options] : ranks) {
    glt::detail::epoch_plan plan(seeds, options);
    plan.begin(epoch);
    for (auto step = first; step < last; ++step) {
      for (auto const place : plan.places(step)) {
        made[step].insert(seeds.vertices[static_cast<std::size_t>(place)]);
      }
    }
  }
  return made;
}

std::multiset<glt::global_id> all_of(steps_of_seeds const& steps) {
  std::multiset<glt::global_id> made;
  for (auto const& [step, seeds] : steps) {
    made.insert(seeds.begin(), seeds.end());
  }
  return made;
}

run<dist::vertex_seeds<>> first_run(std::vector<std::int64_t> const& sizes, dist::loader_options const& options) {
  run<dist::vertex_seeds<>> made;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    made.push_back({glt_test::counted_seeds(static_cast<int>(r), sizes[r]), options});
  }
  return made;
}

} // namespace

TEST_CASE("any number of ranks takes each seed that is left once, and full steps stay as they were dealt") {
  for (std::vector<std::int64_t> const& sizes :
       {std::vector<std::int64_t>{17}, {12, 12}, {13, 5, 0}, {9, 20, 4, 11}, {0, 0}}) {
    for (bool const shuffle : {false, true}) {
      for (bool const drop_last : {false, true}) {
        auto const ranks = first_run(sizes, {.batch_size = 3, .shuffle = shuffle, .drop_last = drop_last, .seed = 5});
        auto const end = num_steps(ranks);
        for (std::int64_t step = 0; step <= end; ++step) {
          auto const wanted = dealt(ranks, 2, step, end);
          for (int const num_ranks : {1, 2, 3, 4, 7, 15}) {
            auto const rest = rest_of(ranks, 2, step, num_ranks);
            auto const made = dealt(rest, 2, step, num_steps(rest));
            CHECK(all_of(made) == all_of(wanted));
            for (auto const& [at, seeds] : wanted) {
              if (!std::ranges::all_of(sizes, [&](auto size) { return size == 0 || size >= (at + 1) * 3; })) {
                break;
              }
              CHECK(made.at(at) == seeds);
            }
            // The rest may be interrupted as well.
            if (step + 1 < num_steps(rest)) {
              auto const third = rest_of(rest, 2, step + 1, 5 - num_ranks / 4);
              auto const again = dealt(third, 2, step + 1, num_steps(third));
              auto const left = dealt(rest, 2, step + 1, num_steps(rest));
              CHECK(all_of(again) == all_of(left));
              CHECK((again == left || num_ranks == std::ssize(sizes))); // whose loaders are ragged as before
            }
          }
        }
      }
    }
  }
}

TEST_CASE("the new ranks take equal shares of a batch, neighbours what the old ones of their place took") {
  auto const ranks = first_run({8, 8, 8, 8}, {.batch_size = 2});
  auto const two = rest_of(ranks, 0, 1, 2);
  CHECK(two[1].options.batch_size == 4);
  CHECK(two[1].options.steps_before == 1);
  CHECK(two[1].seeds.vertices ==
        std::vector<glt::global_id>{2014, 2021, 3014, 3021, 2028, 2035, 3028, 3035, 2042, 2049, 3042, 3049});
  auto const three = rest_of(ranks, 0, 0, 3);
  std::vector<std::int64_t> sizes;
  for (auto const& of : three) {
    sizes.push_back(of.options.batch_size);
  }
  CHECK(sizes == std::vector<std::int64_t>{2, 3, 3});
  auto const whole = first_run({5, 4}, {.batch_size = std::numeric_limits<std::int64_t>::max()}); // of one step
  for (std::int64_t const step : {0, 1, 2}) {
    CHECK(dealt(rest_of(whole, 0, step, 3), 0, step, 9) == dealt(whole, 0, step, 9));
  }
  auto const again = rest_of(two, 0, 2, 2); // as many as saved: the same loaders
  CHECK(again[1].seeds.vertices == two[1].seeds.vertices);
  CHECK(again[1].options.batch_size == 4);
  CHECK(again[1].options.steps_before == 1);
}

TEST_CASE("seed edges keep their destinations, labels and times, and typed seeds their type") {
  dist::edge_seeds<> some{.sources = {0, 1, 2, 3},
                          .destinations = {0, 0, 10, 2, 20, 3, 30, 31},
                          .labels = {0, 1, 0, 1, 0, 1, 0, 1},
                          .times = {5, 6, 7, 8},
                          .offsets = {0, 2, 3, 5, 8}};
  run<dist::edge_seeds<>> const edges{{some, {.batch_size = 1}}, {{}, {.batch_size = 1}}};
  auto const rest = rest_of(edges, 0, 2, 3);
  CHECK(rest[0].seeds.size() + rest[1].seeds.size() == 0); // of a batch of one seed, the last rank's share is one
  CHECK(rest[2].seeds.sources == std::vector<glt::global_id>{2, 3});
  CHECK(rest[2].seeds.destinations == std::vector<glt::global_id>{2, 20, 3, 30, 31});
  CHECK(rest[2].seeds.labels == std::vector<std::int64_t>{1, 0, 1, 0, 1});
  CHECK(rest[2].seeds.offsets == std::vector<std::int64_t>{0, 2, 5});
  CHECK(rest[2].seeds.times == std::vector<std::int64_t>{7, 8});

  dist::edge_seeds<> const ragged{.sources = {7}, .destinations = {70, 71}, .offsets = {0, 2}};
  auto joined = some;
  joined.offsets.clear(); // one destination each
  joined.destinations.resize(4);
  joined.append(ragged);
  CHECK(joined.offsets == std::vector<std::int64_t>{0, 1, 2, 3, 4, 6});
  CHECK(joined.destinations == std::vector<glt::global_id>{0, 0, 10, 2, 70, 71});
  joined.append({.sources = {8}, .destinations = {80}});
  CHECK(joined.offsets == std::vector<std::int64_t>{0, 1, 2, 3, 4, 6, 7});

  run<dist::typed_seeds<>> const typed{{{3, std::vector<glt::global_id>{4, 5}}, {.batch_size = 1}}};
  auto const of_two = rest_of(typed, 0, 1, 2);
  static_assert(std::has_unique_object_representations_v<dist::loader_checkpoint>, "its bytes are in files");
  static_assert(
      std::same_as<decltype(dist::rest_of_epoch(
                       std::vector<dist::loader_checkpoint>(), [](int) { return dist::typed_seeds<>(); }, 0, 1)),
                   dist::rest_of_epoch<dist::typed_seeds<>>>);
  CHECK(of_two[0].seeds.node_type == 3);
  CHECK(of_two[1].seeds.node_type == 3);
  CHECK(of_two[1].seeds.vertices == std::vector<glt::global_id>{5});
}

TEST_CASE("checkpoints of some ranks, in another order, of several steps or with other seeds are refused") {
  auto const ranks = first_run({8, 8, 8}, {.batch_size = 2, .shuffle = true});
  auto const saved = saved_at(ranks, 1, 2);
  auto const refused = [&](std::vector<dist::loader_checkpoint> const& given, int rank = 0) {
    return glt_test::thrown<glt::precondition_error>([&] {
      static_cast<void>(
          dist::rest_of_epoch(given, [&](int r) { return ranks[static_cast<std::size_t>(r)].seeds; }, rank, 2));
    });
  };
  CHECK(glt_test::names(refused({}), "no checkpoints"));
  CHECK(glt_test::names(refused({saved[0], saved[1]}), "checkpoint 0 of 2", "num_ranks 3 instead of 2"));
  CHECK(glt_test::names(refused({saved[0], saved[2], saved[1]}), "checkpoint 1 of 3", "rank 2 instead of 1"));
  CHECK(glt_test::names(refused(saved, 2), "rank 2 of 2"));
  auto other = saved;
  other[2].step = 3;
  CHECK(glt_test::names(refused(other), "checkpoint 2 of 3", "step 3 instead of 2"));
  other = saved;
  other[1].seeds_fingerprint ^= 1;
  CHECK(glt_test::names(refused(other), "8 seeds of rank 1"));
  other = saved;
  other[0].batch_size = 0;
  CHECK(glt_test::names(refused(other), "batch_size 0"));
  other = saved;
  for (auto& of : other) {
    of.steps_before = 3;
  }
  CHECK(glt_test::names(refused(other), "step 2 after 3"));

  // The loader of the rest refuses other samples, and the one of a whole epoch is told what to make.
  auto const rest = rest_of(ranks, 1, 2, 2);
  auto place = saved_at(rest, 0, 0)[1];
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { place.resume(saved[1]); }),
                        "num_ranks 3 instead", "rest_of_epoch"));
  other = saved;
  other[2].options_fingerprint ^= 1;
  CHECK(
      glt_test::names(glt_test::thrown<glt::precondition_error>([&] { place.resume(other); }), "options_fingerprint"));
  auto whole = saved_at(first_run({8, 8}, {.batch_size = 2}), 0, 0)[0];
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { whole.resume(saved); }),
                        "checkpoint of rank 0 at step 2", "begins at step 0"));
  place.resume(saved);
  CHECK(place.epoch == 1);
  CHECK(place.first_step(1) == 2);
  CHECK(place.first_step(2) == 0);
  auto same = saved_at(ranks, 0, 0)[2];
  same.resume(saved);
  CHECK(same == saved[2]);
}

TEST_CASE("a loader begins at the steps before it, which are the same on all ranks") {
  glt_test::on_ranks([](auto comm) {
    auto const seeds = glt_test::counted_seeds(comm.rank(), 7);
    auto const begin = [&](std::int64_t steps_before) {
      return dist::loader(comm, glt_test::counted_batches(), seeds, {.batch_size = 3, .steps_before = steps_before});
    };
    auto loader = begin(4);
    CHECK(loader.num_steps() == 7);
    CHECK(loader.num_ranks() == comm.size());
    CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(loader.epoch(1)); }),
                          "steps are in [4, 7]"));
    std::vector<std::int64_t> steps;
    for (auto const& batch : loader.epoch(1, 4)) {
      CHECK(batch.num_seeds == (batch.step == 6 ? 1 : 3));
      steps.push_back(batch.step);
    }
    CHECK(steps == std::vector<std::int64_t>{4, 5, 6});
    if (comm.size() > 1) {
      CHECK(glt_test::names(
          glt_test::thrown<glt::collective_error>([&] { static_cast<void>(begin(comm.rank() == 1 ? 3 : 4)); }),
          "rank 1", "steps_before"));
    }
  });
}
