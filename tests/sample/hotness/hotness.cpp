// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/hotness/hotness.hpp>

#include <glt/core/random.hpp>
#include <glt/graph/detail/orders.hpp>
#include <glt/sample/neighbor_sampler.hpp>

#include "support/archetypes.hpp"
#include "support/errors.hpp"
#include "support/naive_hotness.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numbers>
#include <vector>

using glt::device::cpu;

namespace {

std::vector<glt::local_id> some_seeds(std::int64_t vertices, std::int64_t every) {
  std::vector<glt::local_id> seeds;
  for (std::int64_t v = 0; v < vertices; v += every) {
    seeds.push_back(static_cast<glt::local_id>(v * 7 % vertices));
  }
  return seeds;
}

std::vector<std::int64_t> wide(std::vector<glt::local_id> const& seeds) {
  return {seeds.begin(), seeds.end()};
}

std::vector<glt::neighbor_options> options_to_try() {
  return {{.fanouts = {4}},
          {.fanouts = {3, 2, 5}},
          {.fanouts = {3, 2, 5}, .expand = glt::frontier::all},
          {.fanouts = {3, 2}, .replace = true},
          {.fanouts = {-1, 300}}};
}

// Directed, out-degrees very uneven, so that walking edges the wrong way round cannot pass.
glt_test::edge_list lopsided_graph() {
  glt_test::edge_list graph{"lopsided", 600, {}, {}};
  glt::random_stream draws(glt::random_key(77), 0);
  for (int i = 0; i < 6000; ++i) {
    auto const source = draws.below(1 + draws.below(1 + draws.below(600)));
    graph.add(static_cast<std::int64_t>(source), static_cast<std::int64_t>(draws.below(600)));
  }
  return graph;
}

// How often each vertex was touched by a batch of the real sampler.
std::vector<double> counted_hotness(glt_test::edge_list const& list, std::vector<glt::local_id> const& seeds,
                                    glt::neighbor_options const& options, std::int64_t batch_size, int batches) {
  auto const graph = glt::make_csr<cpu>(list.view());
  glt::neighbor_sampler<cpu> sampler(graph.view(), options);
  glt::sampled_subgraph<cpu> out;
  std::vector<double> touched(static_cast<std::size_t>(list.num_vertices), 0);
  for (int step = 0; step < batches; ++step) {
    auto const order = glt::detail::make_random_permutation(static_cast<std::int64_t>(seeds.size()),
                                                            glt::random_key(31).fold(static_cast<std::uint64_t>(step)));
    std::vector<glt::local_id> batch;
    for (std::int64_t i = 0; i < batch_size; ++i) {
      batch.push_back(seeds[static_cast<std::size_t>(order[i])]);
    }
    sampler.sample(batch, {.seed = 8, .step = step}, out);
    for (auto const node : out.nodes()) {
      touched[static_cast<std::size_t>(node)] += 1.0 / batches;
    }
  }
  return touched;
}

double mean_error(std::vector<double> const& a, std::vector<double> const& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += std::abs(a[i] - b[i]);
  }
  return sum / static_cast<double>(a.size());
}

} // namespace

TEST_CASE("hotness equals products over the edge list, and bit for bit with any number of threads") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = glt::make_csr<cpu>(list.view());
    for (auto const& neighbors : options_to_try()) {
      for (std::int64_t const batch_size : {1, 4, 1000000}) {
        auto seeds = some_seeds(list.num_vertices, 3);
        if (seeds.size() > 2) {
          seeds.push_back(seeds[1]); // a vertex that is two seeds, and one that is three
          seeds.push_back(seeds[0]);
          seeds.push_back(seeds[0]);
        }
        glt::hotness_options const options{.neighbors = neighbors, .batch_size = batch_size};
        auto const alone = glt_test::to_vector(glt::estimate_hotness<cpu>(graph.view(), seeds, options));
        auto const expected = glt_test::naive_hotness(list, wide(seeds), neighbors, batch_size);
        REQUIRE(alone.size() == expected.size());
        double worst = 0;
        for (std::size_t v = 0; v < alone.size(); ++v) {
          worst = std::max(worst, std::abs(alone[v] - expected[v]));
        }
        CHECK(worst < 1e-11);
        CHECK(std::ranges::all_of(alone, [](double p) { return p >= 0 && p <= 1; }));
        CHECK(glt_test::to_vector(glt::estimate_hotness(graph.view(), seeds, options, cpu(3))) == alone);
      }
    }
  }
}

TEST_CASE("hotness predicts how often batches of the real sampler touch a vertex of a directed graph") {
  auto const list = lopsided_graph();
  auto const graph = glt::make_csr<cpu>(list.view());
  auto const seeds = some_seeds(list.num_vertices, 4);
  for (auto const& neighbors :
       {glt::neighbor_options{.fanouts = {4, 3}}, glt::neighbor_options{.fanouts = {4, 3}, .replace = true},
        glt::neighbor_options{.fanouts = {4, 3}, .expand = glt::frontier::all},
        glt::neighbor_options{.fanouts = {2, 2, 2}}}) {
    constexpr std::int64_t batch_size = 8;
    auto const counted = counted_hotness(list, seeds, neighbors, batch_size, 1000);
    auto const estimated = glt_test::to_vector(
        glt::estimate_hotness<cpu>(graph.view(), seeds, {.neighbors = neighbors, .batch_size = batch_size}));
    // Counting has an error of its own: √(2/π) standard deviations, √(p(1 − p)/1000), on the mean.
    double noise = 0;
    for (auto const p : estimated) {
      noise += std::sqrt(2 / std::numbers::pi * p * (1 - p) / 1000) / static_cast<double>(estimated.size());
    }
    CHECK(mean_error(counted, estimated) < 2 * noise);
    CHECK(glt_test::rank_correlation(counted, estimated) > 0.99);
  }
}

TEST_CASE("a single seed with one hop is exact, and vertices that cannot be reached are cold") {
  glt_test::edge_list list{"one row", 9, {}, {}};
  for (int u = 1; u < 6; ++u) {
    list.add(u, 0);
  }
  list.add(0, 7); // the wrong way round
  auto const graph = glt::make_csr<cpu>(list.view());
  std::vector<glt::local_id> const seed{0};
  auto const once = glt::estimate_hotness<cpu>(graph.view(), seed, {.neighbors = {.fanouts = {2}}});
  CHECK(once[0] == 1);
  for (int u = 1; u < 6; ++u) {
    CHECK(once[u] == doctest::Approx(0.4).epsilon(1e-12));
  }
  CHECK(once[6] == 0);
  CHECK(once[7] == 0);
  CHECK(once[8] == 0);
  auto const replaced =
      glt::estimate_hotness<cpu>(graph.view(), seed, {.neighbors = {.fanouts = {2}, .replace = true}});
  CHECK(replaced[3] == doctest::Approx(1 - 0.8 * 0.8).epsilon(1e-12));
  std::vector<glt::local_id> const none;
  for (double const p : glt::estimate_hotness<cpu>(graph.view(), none, {.neighbors = {.fanouts = {2}}})) {
    CHECK(p == 0);
  }
}

TEST_CASE("a hub that everybody draws for certain is hot, not overflowing") {
  glt_test::edge_list list{"star, outward", 70001, {}, {}};
  std::vector<glt::local_id> seeds;
  for (int v = 1; v <= 70000; ++v) {
    list.add(0, v);
    seeds.push_back(v);
  }
  auto const graph = glt::make_csr<cpu>(list.view());
  for (int const threads : {1, 3}) {
    auto const hot =
        glt::estimate_hotness(graph.view(), seeds, {.neighbors = {.fanouts = {1}}, .batch_size = 70000}, cpu(threads));
    CHECK(hot[0] == 1);
    CHECK(hot[70000] == 1);
    auto const warm =
        glt::estimate_hotness(graph.view(), seeds, {.neighbors = {.fanouts = {1}}, .batch_size = 7}, cpu(threads));
    CHECK(warm[0] == doctest::Approx(1 - std::pow(1 - 1e-4, 70000)).epsilon(1e-9));
    CHECK(warm[1] == doctest::Approx(1e-4).epsilon(1e-12));
  }
}

TEST_CASE("hotness needs no more of a policy than the concept lists") {
  auto const list = glt_test::random_graph(257, 4099);
  auto const made = glt::make_csr<cpu>(list.view());
  auto const graph = made.view();
  using glt::memory_space;
  glt::csr_view<memory_space::pinned> const pinned(graph.num_columns(),
                                                   {graph.offsets().data(), graph.offsets().size()},
                                                   {graph.sources().data(), graph.sources().size()});
  auto const seeds = some_seeds(257, 5);
  glt::hotness_options const options{.neighbors = {.fanouts = {3, 2}}, .batch_size = 10};
  auto const minimal = glt::estimate_hotness<glt_test::minimal_policy>(
      pinned, glt::array_view<memory_space::pinned, glt::local_id const>(seeds.data(), std::ssize(seeds)), options);
  CHECK(glt_test::to_vector(minimal) == glt_test::to_vector(glt::estimate_hotness<cpu>(graph, seeds, options)));
}

TEST_CASE("wrong options, seeds and graphs are refused") {
  auto const list = glt_test::random_graph(101, 370);
  auto const graph = glt::make_csr<cpu>(list.view());
  std::vector<glt::local_id> seeds{1, 2};
  auto const refusal = [&](glt::csr_view<glt::memory_space::host> view, glt::hotness_options const& options) {
    return glt_test::thrown<glt::precondition_error>(
        [&] { static_cast<void>(glt::estimate_hotness<cpu>(view, seeds, options)); });
  };
  CHECK(glt_test::names(refusal(graph.view(), {}), "no fanouts"));
  CHECK(glt_test::names(refusal(graph.view(), {.neighbors = {.fanouts = {2}}, .batch_size = 0}), "batches of 0 seeds"));
  glt::csr_view<glt::memory_space::host> const part(500, graph.view().offsets(), graph.view().sources());
  CHECK(glt_test::names(refusal(part, {.neighbors = {.fanouts = {2}}}), "101 rows", "500 columns",
                        "dist::estimate_hotness"));
  seeds[1] = 101;
  CHECK(glt_test::names(refusal(graph.view(), {.neighbors = {.fanouts = {2}}}), "seed 1 is 101", "[0, 101)"));
}
