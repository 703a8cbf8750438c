// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/loader.hpp>

#include <glt/comm/counting.hpp>
#include <glt/comm/guard.hpp>
#include <glt/dist/hotness/make_hot_rows.hpp>
#include <glt/dist/shared/shared_features.hpp>
#include <glt/dist/shared/shared_graph.hpp>

#include "support/counted_batches.hpp"
#include "support/errors.hpp"
#include "support/naive_sampler.hpp"
#include "support/nodes.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using glt_test::cpu;
using glt_test::divided_graph;

namespace {

// Seeds of a rank: rank 0 has none, the others more and more.
std::vector<std::int64_t> loader_seeds(int rank) {
  std::vector<std::int64_t> seeds;
  for (std::int64_t i = 0; i < 9 * rank; ++i) {
    seeds.push_back((i * 11 + rank) % 257);
  }
  return seeds;
}

} // namespace

TEST_CASE("batches are the serial samples of their seeds, with features and labels; nobody repeats a seed") {
  glt_test::on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 4099);
    divided_graph const divided(list, glt_test::all_partitioners()[2], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::feature_store const features(comm, graph.book(), divided.features(comm.rank(), 3));
    auto const original = loader_seeds(comm.rank());
    glt::neighbor_options const neighbors{.fanouts = {3, 2}, .edge_ids = true};
    glt::dist::loader_options const options{.batch_size = 4, .shuffle = true, .seed = 6};
    glt::dist::loader loader(comm, glt::dist::neighbor_batches(graph, features, neighbors),
                             divided.renumbered(original), options);
    CHECK(loader.num_steps() == (9 * (comm.size() - 1) + 3) / 4); // of the rank with most seeds
    std::vector<std::int64_t> visited;
    std::int64_t steps = 0;
    for (auto const& batch : loader.epoch(2)) {
      CHECK(batch.step == steps++);
      CHECK(batch.epoch == 2);
      std::vector<std::int64_t> seeds;
      for (auto const index : batch.subgraph.seed_index()) {
        seeds.push_back(divided.names.original[batch.subgraph.nodes()[index]]);
      }
      CHECK(static_cast<std::int64_t>(seeds.size()) == batch.num_seeds);
      visited.insert(visited.end(), seeds.begin(), seeds.end());
      auto const sampled = glt_test::plain(batch.subgraph, divided.names.original);
      CHECK(sampled == glt_test::naive_sample(list, seeds, neighbors, {.seed = 6, .epoch = 2, .step = batch.step}));
      REQUIRE(batch.features().rows() == static_cast<std::int64_t>(sampled.nodes.size()));
      REQUIRE(batch.features().columns() == 3);
      std::int64_t wrong = 0;
      for (std::size_t i = 0; i < sampled.nodes.size(); ++i) {
        for (std::int64_t c = 0; c < 3; ++c) {
          wrong +=
              batch.features()(static_cast<std::int64_t>(i), c) != divided_graph::feature(sampled.nodes[i], c) ? 1 : 0;
        }
      }
      for (std::int64_t i = 0; i < batch.labels().size(); ++i) {
        wrong += batch.labels()[i] != divided_graph::label(sampled.nodes[static_cast<std::size_t>(i)]) ? 1 : 0;
      }
      CHECK(wrong == 0);
      CHECK(batch.labels().size() == sampled.num_sampled_nodes[0]);
    }
    CHECK(steps == loader.num_steps());
    auto sorted = original;
    std::ranges::sort(sorted);
    std::ranges::sort(visited);
    CHECK(visited == sorted);
    auto const spent = loader.report().seconds;
    auto const& parts = spent.collecting;
    CHECK((spent.sampling > 0) == (steps > 0));
    CHECK((spent.features > 0) == (steps > 0));
    CHECK((parts.requesting > 0) == (steps > 0));
    CHECK(parts.requesting + parts.own_rows + parts.packing + parts.exchanging + parts.unpacking <= spent.features);
  });
}

TEST_CASE("features without columns have a row for every vertex of a batch") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::feature_store const features(comm, graph.book(), divided.features(comm.rank(), 0));
    glt::dist::loader loader(comm, glt::dist::neighbor_batches(graph, features, glt::neighbor_options{.fanouts = {3}}),
                             divided.renumbered(loader_seeds(comm.rank() + 1)), {.batch_size = 4});
    for (auto const& batch : loader.epoch(0)) {
      CHECK(batch.features().rows() == batch.subgraph.nodes().size());
      CHECK(batch.features().columns() == 0);
    }
  });
}

TEST_CASE("an epoch can be repeated and resumed, and a full batch is kept or left out on request") {
  glt_test::on_ranks([](auto comm) {
    auto const list = glt_test::random_graph(257, 4099);
    divided_graph const divided(list, glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::feature_store const features(comm, graph.book(), divided.features(comm.rank(), 1, false));
    auto const seeds = divided.renumbered(loader_seeds(comm.rank() + 1));
    glt::neighbor_options const neighbors{.fanouts = {2}};
    glt::dist::loader_options options{.batch_size = 4, .shuffle = true};
    glt::dist::loader loader(comm, glt::dist::neighbor_batches(graph, features, neighbors), seeds, options);
    std::vector<glt_test::naive_subgraph> first;
    for (auto const& batch : loader.epoch(5)) {
      first.push_back(glt_test::plain(batch.subgraph));
      CHECK(batch.labels().empty());
    }
    auto const half = loader.num_steps() / 2;
    std::size_t at = static_cast<std::size_t>(half);
    for (auto const& batch : loader.epoch(5, half)) {
      CHECK(glt_test::plain(batch.subgraph) == first[at++]);
    }
    CHECK(at == first.size());
    auto const range = loader.epoch(5, half);
    for (int round = 0; round < 2; ++round) {
      std::size_t batches = 0;
      for (auto const& batch : range) {
        CHECK(batch.step == half + static_cast<std::int64_t>(batches++));
      }
      CHECK(batches == first.size() - static_cast<std::size_t>(half));
    }
    CHECK_THROWS_AS(static_cast<void>(loader.epoch(5, -1)), glt::precondition_error);

    options.drop_last = true;
    glt::dist::loader full(comm, glt::dist::neighbor_batches(graph, features, neighbors), seeds, options);
    CHECK(full.num_steps() == 9 * comm.size() / 4);
    for (auto const& batch : full.epoch(0)) {
      CHECK((batch.num_seeds == 4 || batch.num_seeds == 0));
    }
  });
}

TEST_CASE("seeds that are dealt out to ranks in turn meet in one step as often as by chance, in any deployment") {
  glt_test::on_ranks(
      [](auto comm) {
        constexpr std::size_t epochs = 50;
        std::vector<glt::global_id> seeds(32);
        for (std::size_t i = 0; i < seeds.size(); ++i) {
          seeds[i] = static_cast<glt::global_id>(2 * i) + comm.rank();
        }
        auto const steps_with = [&](glt::dist::loader_options const& options) { // of every seed in every epoch
          glt::dist::loader loader(comm, glt_test::counted_batches(), seeds, options);
          std::vector<std::int64_t> steps(epochs * seeds.size(), -1);
          for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
            for (auto const& batch : loader.epoch(static_cast<std::int64_t>(epoch))) {
              for (auto const place : batch.positions) {
                steps[epoch * seeds.size() + static_cast<std::size_t>(place)] = batch.step;
              }
            }
          }
          return steps;
        };
        glt::dist::loader_options options{.batch_size = 4, .shuffle = true, .seed = 5};
        auto const steps = glt::gather_over_ranks(comm, steps_with(options));
        options.prefetch = 4;
        options.concurrency = 2;
        options.bulk = 3;
        CHECK(steps_with(options) == steps[static_cast<std::size_t>(comm.rank())]);
        std::vector<std::int64_t> met(seeds.size()); // epochs in which seeds 2i and 2i + 1 have the same step
        for (std::size_t i = 0; i < steps[0].size(); ++i) {
          met[i % seeds.size()] += steps[0][i] == steps[1][i] ? 1 : 0;
        }
        auto const all = std::reduce(met.begin(), met.end());
        CHECK(all > 120); // one in eight of 1600 is right, with a deviation of 13
        CHECK(all < 280);
        CHECK(std::ranges::max(met) < 20); // of 50
      },
      {2});
}

TEST_CASE("options and seeds that cannot be are the same error on every rank") {
  glt_test::on_ranks([](auto comm) {
    auto const last = comm.size() - 1;
    auto const text = "rank " + std::to_string(last);
    auto const list = glt_test::random_graph(101, 370);
    divided_graph const divided(list, glt_test::all_partitioners()[0], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::feature_store const features(comm, graph.book(), divided.features(comm.rank(), 1));
    auto const refused = [&](std::vector<glt::global_id> const& seeds, std::int64_t batch_size) {
      return glt_test::thrown<glt::collective_error>([&] {
        glt::dist::loader(comm, glt::dist::neighbor_batches(graph, features, {.fanouts = {2}}), seeds,
                          {.batch_size = batch_size});
      });
    };
    CHECK(glt_test::names(refused({0}, comm.rank() == last ? 0 : 1), text, "batch size 0"));
    CHECK(glt_test::names(refused({0, comm.rank() == last ? 101 : 1}, 1), text, "seed 1 is 101"));
  });
}

TEST_CASE("features that one rank made with another communicator are the same error on every rank") {
  glt_test::on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[2], comm.size());
        glt::dist::graph const graph(comm, divided.part(comm.rank()));
        auto const last = comm.size() - 1;
        auto alone = comm.split(comm.rank(), 0);
        glt::dist::feature_store const features(comm, graph.book(), divided.features(comm.rank(), 1));
        glt::partition_book const one_part({0, divided.names.book.size(comm.rank())});
        glt::dist::feature_store const others(alone, one_part, divided.features(comm.rank(), 1));
        CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] {
                                glt::dist::loader(comm,
                                                  glt::dist::neighbor_batches(
                                                      graph, comm.rank() == last ? others : features, {.fanouts = {2}}),
                                                  {}, {});
                              }),
                              "rank " + std::to_string(last), "different partition books"));

        auto reversed = comm.split(0, -comm.rank());
        glt::dist::feature_store const moved(reversed, graph.book(), divided.features(reversed.rank(), 1));
        bool const refuses = graph.book().size(0) != graph.book().size(last);
        REQUIRE(refuses);
        CHECK(glt_test::names(glt_test::thrown<glt::collective_error>([&] {
                                glt::dist::loader(comm, glt::dist::neighbor_batches(graph, moved, {.fanouts = {2}}), {},
                                                  {});
                              }),
                              "rank 0", "different parts"));
      },
      {2, 3});
}

TEST_CASE("any batch size above the number of seeds makes one batch") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(101, 370), glt_test::all_partitioners()[0], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::feature_store const features(comm, graph.book(), divided.features(comm.rank(), 1));
    auto const seeds = divided.renumbered({3, 5, 100});
    for (bool const drop_last : {false, true}) {
      glt::dist::loader loader(comm, glt::dist::neighbor_batches(graph, features, {.fanouts = {2}}), seeds,
                               {.batch_size = std::numeric_limits<std::int64_t>::max(), .drop_last = drop_last});
      std::int64_t visited = 0;
      for (auto const& batch : loader.epoch(0)) {
        visited += batch.num_seeds;
      }
      CHECK(visited == (drop_last ? 0 : 3));
    }
  });
}

TEST_CASE("batches are the same with shared memory, which the report shows, and where sharing fails it says so") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1], comm.size());
    auto const seeds = divided.renumbered(loader_seeds(comm.rank()));
    glt::neighbor_options const neighbors{.fanouts = {3, 2}};
    glt::dist::loader_options const options{.batch_size = 4, .shuffle = true};
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::feature_store const features(comm, graph.book(), divided.features(comm.rank(), 3));
    glt::dist::loader plain(comm, glt::dist::neighbor_batches(graph, features, neighbors), seeds, options);
    for (bool const refused : {false, true}) {
      auto node = glt_test::node_of(comm, refused && comm.rank() == 0);
      auto part = glt::dist::share(node, divided.part(comm.rank()));
      auto rows = glt::dist::share(node, divided.features(comm.rank(), 3).view());
      glt::dist::graph const shared_graph(comm, std::move(part.own));
      glt::dist::feature_store const shared_features(comm, graph.book(), std::move(rows.own));
      glt::counting_comm counted(comm);
      glt::dist::loader loader(counted, glt::dist::neighbor_batches(shared_graph, shared_features, neighbors), seeds,
                               options);
      loader.read_in_place(part.neighborhood);
      loader.read_in_place(rows.neighborhood);
      counted.reset();
      auto const expected_epoch = plain.epoch(2);
      auto expected = expected_epoch.begin();
      std::int64_t num_rows = 0;
      for (auto const& batch : loader.epoch(2)) {
        auto const& same = *expected;
        CHECK(glt_test::plain(batch.subgraph, divided.names.original) ==
              glt_test::plain(same.subgraph, divided.names.original));
        CHECK(glt_test::to_vector(batch.rows.features) == glt_test::to_vector(same.rows.features));
        CHECK(glt_test::to_vector(batch.rows.labels) == glt_test::to_vector(same.rows.labels));
        num_rows += batch.subgraph.nodes().size();
        ++expected;
      }
      auto const report = loader.report();
      CHECK(report.rows.own + report.rows.in_place + report.rows.remote == num_rows);
      auto const num_sampled = report.sampled.own + report.sampled.in_place + report.sampled.remote;
      CHECK((num_sampled > 0) == (comm.rank() > 0)); // rank 0 has no seeds
      if (refused && comm.size() > 1) {
        CHECK(report.rows.in_place + report.sampled.in_place == 0);
        CHECK(glt_test::names(report.why_rows, "rank 0 cannot share memory"));
        CHECK(glt_test::names(report.why_sampled, "rank 0 cannot share memory"));
      } else {
        CHECK(report.rows.remote + report.sampled.remote == 0);
        CHECK(counted.counts().payload.collectives + counted.counts().replies.collectives == 0);
        CHECK(report.why_rows + report.why_sampled == "");
      }
    }
    auto const report = plain.report();
    CHECK(report.rows.in_place + report.sampled.in_place == 0);
    CHECK(glt_test::names(report.why_rows, "share no memory", "read_in_place"));
  });
}

TEST_CASE("batches are the same with hot rows, with labels or without, alone and beside rows in place") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1], comm.size());
    auto const seeds = divided.renumbered(loader_seeds(comm.rank())); // most of them of other ranks
    glt::neighbor_options const neighbors{.fanouts = {3, 2}};
    glt::dist::loader_options const options{.batch_size = 4, .shuffle = true};
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::feature_store const features(comm, graph.book(), divided.features(comm.rank(), 3));
    glt::dist::feature_store const unlabelled(comm, graph.book(), divided.features(comm.rank(), 3, false));
    std::vector<glt::global_id> kept;
    for (glt::global_id v = 0; v < 257; v += 2) {
      kept.push_back(v);
    }
    auto const full = glt::detail::fetch_hot_rows(comm, features, kept);
    auto const bare = glt::detail::fetch_hot_rows(comm, unlabelled, kept);
    auto node = glt_test::node_of(comm);
    auto rows = glt::dist::share(node, divided.features(comm.rank(), 3).view());
    glt_test::hide_every_other(rows.neighborhood, comm.rank());
    for (auto const* const hot : {&full, &bare}) {
      for (bool const in_place : {false, true}) {
        glt::dist::loader plain(comm, glt::dist::neighbor_batches(graph, features, neighbors), seeds, options);
        glt::dist::loader loader(comm, glt::dist::neighbor_batches(graph, features, neighbors), seeds, options);
        if (in_place) {
          loader.read_in_place(rows.neighborhood);
        }
        loader.use(*hot);
        auto const expected_epoch = plain.epoch(2);
        auto expected = expected_epoch.begin();
        std::int64_t num_rows = 0;
        for (auto const& batch : loader.epoch(2)) {
          auto const& same = *expected;
          CHECK(glt_test::plain(batch.subgraph, divided.names.original) ==
                glt_test::plain(same.subgraph, divided.names.original));
          CHECK(glt_test::to_vector(batch.rows.features) == glt_test::to_vector(same.rows.features));
          CHECK(glt_test::to_vector(batch.rows.labels) == glt_test::to_vector(same.rows.labels));
          num_rows += batch.subgraph.nodes().size();
          ++expected;
        }
        auto const report = loader.report();
        CHECK(report.rows.own + report.rows.in_place + report.rows.cached + report.rows.remote == num_rows);
        CHECK(plain.report().rows.hit_ratio() == 0);
        bool const meets_others = comm.rank() > 0 && (!in_place || comm.size() > 1);
        CHECK((report.rows.cached > 0) == meets_others);
        CHECK((report.rows.hit_ratio() > 0.2) == meets_others);
        CHECK(report.rows.hit_ratio() < 0.8);
        CHECK(glt_test::names(report.why_rows, in_place && comm.size() > 1 ? "hidden" : ""));
      }
    }
    glt::dist::feature_store const wide(comm, graph.book(), divided.features(comm.rank(), 4));
    glt::dist::loader other(comm, glt::dist::neighbor_batches(graph, wide, neighbors), seeds, options);
    CHECK(
        glt_test::names(glt_test::thrown<glt::precondition_error>([&] { other.use(full); }), "hot rows of 3 columns"));
  });
}

TEST_CASE("batches are the same in advance and in bulk") {
  glt_test::on_ranks([](auto comm) {
    divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1], comm.size());
    auto const seeds = divided.renumbered(loader_seeds(comm.rank()));
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::feature_store const features(comm, graph.book(), divided.features(comm.rank(), 3));
    glt::dist::neighbor_batches const recipe(graph, features, {.fanouts = {3, 2}, .edge_ids = true});
    glt::dist::loader plain(comm, recipe, seeds, {.batch_size = 4, .shuffle = true});
    for (std::int64_t const prefetch : {0, 2}) {
      for (std::int64_t const bulk : {1, 3}) {
        glt::dist::loader loader(comm, recipe, seeds,
                                 {.batch_size = 4, .shuffle = true, .prefetch = prefetch, .bulk = bulk});
        for (std::int64_t const epoch : {0, 1}) {
          CHECK(glt_test::prints_of(loader, epoch) == glt_test::prints_of(plain, epoch));
        }
      }
    }
  });
}

TEST_CASE("a rank that breaks off an epoch that is prepared in advance leaves nobody waiting") {
  glt_test::on_ranks(
      [](auto comm) {
        divided_graph const divided(glt_test::random_graph(257, 4099), glt_test::all_partitioners()[1], comm.size());
        auto const own = static_cast<std::size_t>(divided.names.book.size(comm.rank()));
        std::vector<glt::global_id> seeds(own);
        std::iota(seeds.begin(), seeds.end(), divided.names.book.begin(comm.rank()));
        glt::dist::graph const graph(comm, divided.part(comm.rank()));
        glt::dist::feature_store const features(comm, graph.book(), divided.features(comm.rank(), 3));
        glt::dist::loader loader(comm, glt::dist::neighbor_batches(graph, features, {.fanouts = {3, 2}}), seeds,
                                 {.batch_size = 1, .shuffle = true, .prefetch = 1});
        REQUIRE(loader.num_steps() > 6); // more than are prepared
        std::int64_t steps = 0;
        bool told = false;
        try {
          for (auto const& batch : loader.epoch(0)) {
            if (comm.rank() == 0 && batch.step == 1) {
              break;
            }
            ++steps;
          }
        } catch (glt::collective_error const& error) {
          told = glt_test::names(error.what(), "rank 0") && glt_test::names(error.what(), "has left epoch 0");
        }
        glt::run_together(comm, [] {}); // where rank 0 has gone
        CHECK((told || comm.rank() == 0));
        CHECK((steps == 1 || comm.rank() > 0));
        steps = 0;
        for (auto const& batch : loader.epoch(1)) {
          steps += batch.step >= 0 ? 1 : 0;
        }
        CHECK(steps == loader.num_steps());
      },
      {2, 3});
}

TEST_CASE("a report has what all threads of a loader sent, and of one epoch if an earlier report is subtracted") {
  glt_test::on_ranks([](auto inner) {
    glt::counting_comm comm(inner);
    divided_graph const divided(glt_test::random_graph(257, 999), glt_test::all_partitioners()[1], comm.size());
    glt::dist::graph const graph(comm, divided.part(comm.rank()));
    glt::dist::feature_store const features(comm, graph.book(), divided.features(comm.rank(), 3));
    auto const seeds = divided.renumbered(loader_seeds(comm.rank() + 1));
    std::vector<glt::dist::loader_report> reports;
    for (auto const& options :
         {glt::dist::loader_options{.batch_size = 4}, glt::dist::loader_options{.batch_size = 4, .prefetch = 2},
          glt::dist::loader_options{.batch_size = 4, .prefetch = 4, .concurrency = 2}}) {
      glt::dist::loader loader(
          comm, glt::dist::neighbor_batches(graph, features, glt::neighbor_options{.fanouts = {3, 2}}), seeds, options);
      comm.reset();
      for (int round = 0; round < 2; ++round) {
        auto const before = loader.report();
        for ([[maybe_unused]] auto const& batch : loader.epoch(0)) {
        }
        reports.push_back(loader.report() - before);
      }
      CHECK(comm.counts().payload.bytes == 2 * reports.back().sent.payload.bytes);
      CHECK(comm.counts().headers.messages >= 2 * reports.back().sent.headers.messages);
    }
    for (auto const& report : reports) {
      CHECK(report.batches == (9 * comm.size() + 3) / 4);
      CHECK(report.sent.payload.bytes == reports.front().sent.payload.bytes);
      CHECK(report.sent.headers.messages == reports.front().sent.headers.messages);
      CHECK(report.rows.remote == reports.front().rows.remote);
      CHECK(report.peak_memory > 0);
    }
    auto const of_ranks = glt::gather_over_ranks(comm, reports.front());
    CHECK(std::ssize(of_ranks) == comm.size());
    CHECK(to_string(of_ranks[static_cast<std::size_t>(comm.rank())]) == to_string(reports.front()));
    CHECK((of_ranks.front().sent.payload.bytes > 0) == (comm.size() > 1));
  });
}
