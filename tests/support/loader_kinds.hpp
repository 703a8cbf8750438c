// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <glt/comm/communicator.hpp>
#include <glt/comm/counting.hpp>
#include <glt/core/error.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/loading/detail/epoch_plan.hpp>
#include <glt/dist/to_device.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/options.hpp>

#include "counted_batches.hpp"
#include "errors.hpp"
#include "parts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace glt_test {

/// Options of the loaders that kinds of batches are tested with.
inline glt::dist::loader_options const kind_options{.batch_size = 4, .shuffle = true, .seed = 6};

/// Original ids of the seeds of a rank: rank 0 has none, the others more and more, one of them twice.
inline std::vector<std::int64_t> kind_seeds(int rank, std::int64_t num_vertices) {
  std::vector<std::int64_t> seeds;
  for (std::int64_t i = 0; i < 9 * rank; ++i) {
    seeds.push_back(i == 1 ? seeds[0] : (i * 11 + rank) % num_vertices);
  }
  return seeds;
}

/// Calls `check(batch, seeds, key)` for the batches of two epochs of a loader, which has been given `all` seeds on this
/// rank.
template <class Loader, class Seeds, class Check>
void for_each_batch(Loader& loader, Seeds const& all, Check check) {
  glt::detail::epoch_plan plan(all, loader.options());
  for (std::int64_t const epoch : {0, 3}) {
    plan.begin(epoch);
    std::int64_t step = 0;
    for (auto const& batch : loader.epoch(epoch)) {
      Seeds seeds;
      all.gather(plan.places(step), seeds);
      CHECK(batch.epoch == epoch);
      CHECK(batch.step == step);
      CHECK(batch.num_seeds == seeds.size());
      CHECK(std::ranges::equal(batch.positions, plan.places(step)));
      check(batch, seeds, glt::sample_key{.seed = loader.options().seed, .epoch = epoch, .step = step});
      ++step;
    }
    CHECK(step == loader.num_steps());
  }
}

/// The batches of two epochs are the same in advance, by two threads, in bulk and if an epoch is begun in the middle.
template <class Comm, class Recipe>
void check_deployments(Comm& comm, Recipe const& recipe, typename Recipe::seeds_type const& seeds) {
  glt::dist::loader plain(comm, recipe, seeds, kind_options);
  for (std::int64_t const prefetch : {0, 2}) {
    auto options = kind_options;
    options.prefetch = prefetch;
    options.concurrency = prefetch > 0 ? 2 : 1;
    options.bulk = 3;
    glt::dist::loader loader(comm, recipe, seeds, options);
    for (std::int64_t const epoch : {0, 1}) {
      auto const expected = prints_of(plain, epoch);
      CHECK(prints_of(loader, epoch) == expected);
      auto const half = loader.num_steps() / 2;
      CHECK(prints_of(loader, epoch, half) == std::vector<std::int64_t>(expected.begin() + half, expected.end()));
    }
    CHECK((comm.size() == 1 || prints_of(plain, 0) != prints_of(plain, 1)));
  }
}

/// The batches of an epoch are those of a loader on the host, made by a loader on a policy and delivered to it.
/// `copy(policy, batch)` copies what is compared.
template <glt::device_policy Policy, class HostLoader, class Loader, class Copy>
void check_on_policy(Policy const& policy, HostLoader& host_loader, Loader& loader, Copy copy) {
  auto on_host = host_loader.epoch(1);
  std::vector<decltype(copy(cpu(), *on_host.begin()))> expected;
  for (auto const& batch : on_host) {
    expected.push_back(copy(cpu(), batch));
  }
  auto const check = [&](auto& batches) {
    std::size_t step = 0;
    for (auto const& batch : batches.epoch(1)) {
      REQUIRE(step < expected.size());
      CHECK(copy(policy, batch) == expected[step++]);
    }
    CHECK(step == expected.size());
  };
  check(loader);
  glt::dist::device_batches delivered(host_loader, policy);
  check(delivered);
}

/// Header exchanges of an epoch of batches that are made `bulk` at a time.
template <class Comm, class Recipe>
std::int64_t sweeps_of_epoch(Comm& comm, Recipe const& recipe, typename Recipe::seeds_type const& seeds,
                             std::int64_t bulk) {
  glt::counting_comm counted(comm);
  auto options = kind_options;
  options.bulk = bulk;
  glt::dist::loader loader(counted, recipe, seeds, options);
  counted.reset();
  prints_of(loader, 0);
  return counted.counts().headers.collectives;
}

/// What all ranks are told where a loader cannot be made.
template <class Comm, class Recipe>
std::string refused(Comm& comm, Recipe const& recipe, typename Recipe::seeds_type const& seeds) {
  return thrown<glt::collective_error>([&] { glt::dist::loader(comm, recipe, seeds, kind_options); });
}

/// Counts the rows that differ from the features and labels of `divided_graph`, of a sample's nodes.
template <class Rows>
std::int64_t wrong_rows(divided_graph const& divided, Rows const& batch, auto nodes, std::int64_t num_labels) {
  auto const features = batch.features();
  REQUIRE(features.rows() == nodes.size());
  REQUIRE(batch.labels().size() == num_labels);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < nodes.size(); ++i) {
    auto const original = divided.names.original[nodes[i]];
    for (std::int64_t c = 0; c < features.columns(); ++c) {
      wrong += features(i, c) != divided_graph::feature(original, c) ? 1 : 0;
    }
    wrong += i < num_labels && batch.labels()[i] != divided_graph::label(original) ? 1 : 0;
  }
  return wrong;
}

} // namespace glt_test
