// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/loading/checkpoint.hpp>

#include <glt/comm/serial.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/loading/neighbor_batches.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/dist/roles/remote_loader.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/link/link_options.hpp>
#include <glt/sample/walk/walk_options.hpp>

#include "support/counted_batches.hpp"
#include "support/errors.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"
#include "support/roles.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using glt_test::counted_batches;
using glt_test::counted_seeds;

namespace {

constexpr glt::dist::loader_options some_options{.batch_size = 3, .shuffle = true, .seed = 5};

glt::partition_book some_book() {
  return glt::partition_book({0, 4, 9});
}

// Interrupts a loader of `make()` after every number of batches of two epochs, and goes on with another one.
template <class Make>
void check_interruptions(Make const& make, typename decltype(make())::seeds_type const& seeds) {
  auto whole = make();
  std::vector<std::int64_t> expected;
  for (std::int64_t const epoch : {0, 1}) {
    for (auto const print : glt_test::prints_of(whole, epoch)) {
      expected.push_back(print);
    }
  }
  for (std::size_t stop = 0; stop <= expected.size(); ++stop) {
    std::vector<std::int64_t> prints;
    glt::dist::loader_checkpoint saved;
    auto const run = [&](auto& loader, std::size_t limit) {
      glt::dist::loader_checkpoint checkpoint(loader, seeds, some_book(), std::string("x"));
      if (saved.num_seeds > 0) {
        checkpoint.resume(saved);
      }
      for (auto epoch = checkpoint.epoch; epoch < 2; ++epoch) {
        for (auto const& batch : loader.epoch(epoch, checkpoint.first_step(epoch))) {
          if (prints.size() == limit) {
            saved = checkpoint;
            return;
          }
          prints.push_back(glt::detail::fingerprint_of(batch));
          checkpoint.advance(batch);
        }
      }
      saved = checkpoint;
    };
    {
      auto loader = make();
      run(loader, stop);
    }
    if (stop == 0) { // nothing was done
      CHECK(saved.epoch == 0);
      CHECK(saved.step == 0);
    }
    auto loader = make();
    run(loader, expected.size());
    CHECK(prints == expected);
  }
}

} // namespace

TEST_CASE("a loader that was interrupted after any batch goes on with the same ones, prepared in any way") {
  glt_test::on_ranks([](auto comm) {
    auto const seeds = counted_seeds(comm.rank(), 10);
    auto options = some_options;
    check_interruptions([&] { return glt::dist::loader(comm, counted_batches(), seeds, options); }, seeds);
    options.prefetch = 2;
    options.drop_last = true;
    check_interruptions([&] { return glt::dist::loader(comm, counted_batches(), seeds, options); }, seeds);
  });
}

TEST_CASE("a loader of servers that was interrupted goes on, too, and as a loader without servers as well") {
  glt_test::on_ranks(
      [](auto comm) {
        using comm_type = decltype(comm);
        glt_test::on_roles(
            comm, comm.size() - 1,
            [](auto& server) {
              server.offer("some", counted_batches());
              server.run();
            },
            [](auto& client) {
              auto const seeds = counted_seeds(0, 10);
              using remote = glt::dist::remote_loader<comm_type, counted_batches>;
              check_interruptions([&] { return remote(client, "some", seeds, {}, some_options, {.together = false}); },
                                  seeds);
              remote const loader(client, "some", seeds, {}, some_options, {.together = false});
              glt::serial_comm alone;
              glt::dist::loader const plain(alone, counted_batches(), seeds, some_options);
              CHECK(glt::dist::loader_checkpoint(loader, seeds, some_book()) ==
                    glt::dist::loader_checkpoint(plain, seeds, some_book()));
            });
      },
      {2, 3});
}

TEST_CASE("a checkpoint refuses other options, seeds and data, and says which") {
  glt::serial_comm comm;
  glt::neighbor_options const neighbors{.fanouts = {3, 2}};
  auto const checkpoint_of = [&](glt::dist::loader_options const& options, auto const& seeds, auto const& book,
                                 glt::neighbor_options const& sampled) {
    glt::dist::loader const loader(comm, counted_batches(), seeds, options);
    return glt::dist::loader_checkpoint(loader, seeds, book, sampled);
  };
  auto const seeds = counted_seeds(0, 20);
  auto const saved = checkpoint_of(some_options, seeds, some_book(), neighbors);
  auto const refused = [&](glt::dist::loader_checkpoint const& other) {
    auto const text =
        glt_test::thrown<glt::precondition_error>([&] { glt::dist::loader_checkpoint(other).resume(saved); });
    return text.substr(0, text.find(';'));
  };
  auto const differences = [](std::string const& text) {
    auto const at = text.find("loader's: ");
    return at == std::string::npos ? text : text.substr(at + 10);
  };
  auto options = some_options;
  options.prefetch = 2; // what batches do not depend on
  options.bulk = 2;
  options.buffer_bytes = 100;
  CHECK_NOTHROW(checkpoint_of(options, seeds, some_book(), neighbors).resume(saved));

  options = some_options;
  options.batch_size = 4;
  CHECK(differences(refused(checkpoint_of(options, seeds, some_book(), neighbors))) ==
        "batch_size 3 instead of 4, num_steps 7 instead of 5");
  options = some_options;
  options.shuffle = false;
  CHECK(differences(refused(checkpoint_of(options, seeds, some_book(), neighbors))) == "shuffle 1 instead of 0");
  options = some_options;
  options.drop_last = true;
  CHECK(differences(refused(checkpoint_of(options, seeds, some_book(), neighbors))) ==
        "drop_last 0 instead of 1, num_steps 7 instead of 6");
  options = some_options;
  options.seed = 6;
  CHECK(differences(refused(checkpoint_of(options, seeds, some_book(), neighbors))) == "seed 5 instead of 6");

  auto const only = [&](std::string const& text, std::string const& name) {
    return differences(text).find(name + ' ') == 0 && differences(text).find(',') == std::string::npos;
  };
  CHECK(glt_test::names(refused(checkpoint_of(some_options, counted_seeds(0, 21), some_book(), neighbors)),
                        "num_seeds 20 instead of 21", "seeds_fingerprint"));
  auto others = seeds;
  std::swap(others.vertices[3], others.vertices[4]);
  CHECK(only(refused(checkpoint_of(some_options, others, some_book(), neighbors)), "seeds_fingerprint"));
  CHECK(only(refused(checkpoint_of(some_options, seeds, glt::partition_book({0, 5, 9}), neighbors)),
             "partition_fingerprint"));
  CHECK(only(refused(checkpoint_of(some_options, seeds, some_book(), {.fanouts = {3, 3}})), "options_fingerprint"));
  CHECK(only(refused(checkpoint_of(some_options, seeds, some_book(), {.fanouts = {3, 2}, .replace = true})),
             "options_fingerprint"));

  auto current = saved;
  for (std::int64_t const step : {-1, 8}) {
    auto wrong = saved;
    wrong.step = step;
    CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { current.resume(wrong); }),
                          "steps are in [0, 7]"));
  }
  CHECK(current == saved);
  auto done = saved;
  done.epoch = 2;
  done.step = 7;
  current.resume(done);
  CHECK(current == done);
  CHECK(current.first_step(2) == 7);
  CHECK(current.first_step(3) == 0);
}

namespace {

struct mixed {
  double weight;
  std::vector<std::string> names;
  bool flag;

  template <class Self>
  static auto members(Self& self) noexcept {
    return std::tie(self.weight, self.names, self.flag);
  }
};

} // namespace

TEST_CASE("what batches depend on may be numbers, lists and structures; each difference shows") {
  using glt::detail::fingerprint_of;
  mixed const one{0.5, {"a", "b"}, true};
  CHECK(fingerprint_of(one) == fingerprint_of(mixed{0.5, {"a", "b"}, true}));
  CHECK(fingerprint_of(one) != fingerprint_of(mixed{0.25, {"a", "b"}, true}));
  CHECK(fingerprint_of(one) != fingerprint_of(mixed{0.5, {"ab", ""}, true}));
  CHECK(fingerprint_of(one) != fingerprint_of(mixed{0.5, {"a", "b"}, false}));
  CHECK(fingerprint_of(one, 1) != fingerprint_of(one, 2));
  CHECK(fingerprint_of() != fingerprint_of(std::string()));
  CHECK(fingerprint_of(glt::hetero_options{}) != fingerprint_of(glt::hetero_options{.fanouts = {{2}}}));
  CHECK(fingerprint_of(glt::link_options{}) !=
        fingerprint_of(glt::link_options{.exclude = glt::seed_exclusion::edges}));
  CHECK(fingerprint_of(glt::walk_options{}) != fingerprint_of(glt::walk_options{.restart = 0.5}));
  CHECK(fingerprint_of(glt::node2vec_options{}) != fingerprint_of(glt::node2vec_options{.q = 2}));
  CHECK(fingerprint_of(glt::metapath_options{}) != fingerprint_of(glt::metapath_options{.length = 2}));
  glt::dist::edge_seeds<> seeds{.sources = {1, 2}, .destinations = {3, 4}, .labels = {0, 1}};
  CHECK(fingerprint_of(seeds) == -8258052731450480934); // from before there were offsets: shuffled orders hold
  seeds.offsets = {0, 1, 2};
  auto const offsets = fingerprint_of(seeds);
  CHECK(offsets != -8258052731450480934);
  seeds.offsets = {0, 0, 2};
  CHECK(fingerprint_of(seeds) != offsets);
}
