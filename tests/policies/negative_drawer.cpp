// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/naive_links.hpp"
#include "support/policies.hpp"

#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/link/detail/local_candidates.hpp>
#include <glt/sample/link/detail/negative_drawer.hpp>
#include <glt/sample/link/detail/seed_edges.hpp>
#include <glt/sample/link/vertex_weights.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace glt;

namespace {

template <class Policy>
glt_test::naive_negatives drawn_on(Policy const& policy, glt_test::edge_list const& list,
                                   glt_test::pair_list const& positives, sample_key key,
                                   negative_options const& options, std::vector<double> const& weights,
                                   std::vector<global_id> const& original, bool in_rounds = false) {
  using vertex = local_id;
  auto const graph = copy<Policy>(make_csr<device::cpu>(list.view()).view(), policy);
  auto const weight_list = make_buffer<Policy>(weights, policy);
  auto const ids = make_buffer<Policy>(original, policy);
  vertex_weights<Policy> const table(weight_list.view(), policy);
  detail::local_candidates<Policy, vertex> candidates(graph.view(), table.view(), ids.view(), policy);

  std::vector<vertex> sources;
  std::vector<vertex> destinations;
  for (auto const& [source, destination] : positives) {
    sources.push_back(static_cast<vertex>(source));
    destinations.push_back(static_cast<vertex>(destination));
  }
  detail::seed_edges<device::cpu, vertex> on_host;
  on_host.assign(host_view<vertex const>(sources), host_view<vertex const>(destinations));
  std::vector<random_key> keys;
  for (std::int64_t i = 0; i < on_host.size(); ++i) {
    keys.push_back(detail::positive_key(detail::negatives_key(key), on_host.view().sources[i],
                                        on_host.view().destinations[i], on_host.view().occurrences[i]));
  }
  auto const keys_there = make_buffer<Policy>(keys, policy);
  auto const sources_there = make_buffer<Policy>(sources, policy);
  auto const destinations_there = make_buffer<Policy>(destinations, policy);

  detail::negative_drawer<Policy, vertex> drawer(options, policy);
  detail::negative_pairs<Policy, vertex> out;
  detail::seed_edges<Policy, vertex> seeds(policy);
  for (int times = 0; times < 2; ++times) { // the second time into the same memory
    seeds.assign(sources_there.view(), destinations_there.view());
    if (in_rounds) {
      detail::candidates_in_rounds<Policy, vertex, typename decltype(candidates)::view_type> source{policy,
                                                                                                    candidates.view()};
      drawer.draw(source, seeds, keys_there.view(), out);
    } else {
      drawer.draw(candidates, seeds, keys_there.view(), out);
    }
  }
  glt_test::naive_negatives made;
  auto const from = to_vector(policy, std::as_const(out.sources).view());
  auto const to = to_vector(policy, std::as_const(out.destinations).view());
  for (std::size_t i = 0; i < from.size(); ++i) {
    made.pairs.emplace_back(from[i], to[i]);
  }
  for (auto const verified : to_vector(policy, std::as_const(out.verified).view())) {
    made.verified.push_back(verified != 0);
  }
  return made;
}

std::vector<double> some_weights(std::int64_t size) {
  std::vector<double> weights;
  for (std::int64_t v = 0; v < size; ++v) {
    weights.push_back(v % 7 == 2 ? 0 : std::pow(static_cast<double>(v % 11), 0.75) + 0.1);
  }
  return weights;
}

} // namespace

TEST_CASE_TEMPLATE("negatives are those of the definition", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    for (auto const& option : glt_test::link_options_to_try()) {
      for (std::int64_t const size : {0, 1, 17, 90}) {
        auto const positives = glt_test::some_positives(list, size, static_cast<std::uint64_t>(size));
        sample_key const key{.seed = 5, .epoch = 1, .step = size};
        auto const expected = glt_test::draw_naively(list, positives, key, option.negatives);
        CHECK(drawn_on(policy, list, positives, key, option.negatives, {}, {}) == expected);
        CHECK(drawn_on(policy, list, positives, key, option.negatives, {}, {}, true) == expected);
      }
    }
  }
}

TEST_CASE_TEMPLATE("weights and original ids give the negatives of the host", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  for (auto const& list : {glt_test::random_graph(101, 37), glt_test::random_graph(257, 4099)}) {
    auto const weights = some_weights(list.num_vertices);
    std::vector<global_id> original;
    for (std::int64_t v = 0; v < list.num_vertices; ++v) {
      original.push_back((v * 5 + 3) % list.num_vertices);
    }
    auto const positives = glt_test::some_positives(list, 33, 2);
    for (auto const& option : glt_test::link_options_to_try()) {
      auto const on_host = drawn_on(device::cpu{}, list, positives, {.seed = 9}, option.negatives, weights, original);
      CHECK(drawn_on(policy, list, positives, {.seed = 9}, option.negatives, weights, original) == on_host);
    }
  }
}

TEST_CASE_TEMPLATE("tables of weights are those of the host", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  random_stream draws(random_key(3), 1);
  std::vector<std::vector<double>> lists{{1},         {0, 0, 3},         {5, 0, 0, 1, 0}, {1, 1, 1, 1, 1, 1, 1},
                                         {1e-300, 1}, {1e9, 1e-9, 1e-9}, {0, 1e18, 0},    {}};
  for (int round = 0; round < 20; ++round) {
    auto& list = lists.emplace_back(1 + static_cast<std::size_t>(draws.below(400)));
    for (auto& weight : list) {
      weight = draws.below(3) == 0 ? 0 : std::exp(12 * draws.next_unit());
    }
    list[draws.below(list.size())] = 2;
  }
  for (auto const& list : lists) {
    vertex_weights<> const expected{host_view<double const>(list)};
    auto const there = make_buffer<Policy>(list, policy);
    vertex_weights<Policy> const table(there.view(), policy);
    CHECK(table.total() == expected.total());
    CHECK(table.num_vertices() == expected.num_vertices());
    auto const view = table.view();
    CHECK(view.shift == expected.view().shift);
    CHECK(to_vector(policy, view.ends) == to_vector(device::cpu{}, expected.view().ends));
    CHECK(to_vector(policy, view.guide) == to_vector(device::cpu{}, expected.view().guide));
  }
}

TEST_CASE_TEMPLATE("seed edges are searched and counted as on the host", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  auto const list = glt_test::random_graph(31, 77);
  for (std::int64_t const size : {0, 1, 2, 45}) {
    auto const positives = glt_test::some_positives(list, size, 4);
    std::vector<global_id> sources;
    std::vector<global_id> destinations;
    for (auto const& [source, destination] : positives) {
      sources.push_back(source);
      destinations.push_back(destination);
    }
    detail::seed_edges<device::cpu, global_id> expected;
    expected.assign(host_view<global_id const>(sources), host_view<global_id const>(destinations));
    auto const sources_there = make_buffer<Policy>(sources, policy);
    auto const destinations_there = make_buffer<Policy>(destinations, policy);
    detail::seed_edges<Policy, global_id> seeds(policy);
    seeds.assign(sources_there.view(), destinations_there.view());
    auto const occurrences = to_vector(policy, seeds.view().occurrences);
    auto const sorted_sources = to_vector(policy, seeds.view().sorted_sources);
    auto const sorted_destinations = to_vector(policy, seeds.view().sorted_destinations);
    detail::seed_edges_view<memory_space::host, global_id> const on_host{
        sources, destinations, occurrences, sorted_sources, sorted_destinations, {}};
    REQUIRE(seeds.size() == expected.size());
    for (std::int64_t i = 0; i < expected.size(); ++i) {
      CHECK(occurrences[static_cast<std::size_t>(i)] == expected.view().occurrences[i]);
    }
    for (std::int64_t source = 0; source < 31; ++source) {
      for (std::int64_t destination = 0; destination < 31; ++destination) {
        CHECK(on_host.contains(source, destination) == expected.view().contains(source, destination));
      }
    }
  }
}

TEST_CASE_TEMPLATE("wrong weights and ids are refused in the words of the host", Policy, GLT_TEST_POLICIES) {
  Policy const policy;
  auto const graph = copy<Policy>(make_csr<device::cpu>(glt_test::edge_list{"", 3, {0}, {1}}.view()).view(), policy);
  auto const refused = [&](std::vector<double> const& weights, std::vector<global_id> const& original) {
    return glt_test::thrown<precondition_error>([&] {
      auto const weights_there = make_buffer<Policy>(weights, policy);
      auto const ids = make_buffer<Policy>(original, policy);
      vertex_weights<Policy> const table(weights_there.view(), policy);
      detail::local_candidates<Policy, local_id>(graph.view(), table.view(), ids.view(), policy);
    });
  };
  CHECK(glt_test::names(refused({1, -2, -3}, {}), "weight of vertex 1 is -2"));
  CHECK(glt_test::names(refused({0, 0, 0}, {}), "all weights of 3 vertices are 0"));
  CHECK(glt_test::names(refused({1, 2}, {}), "2 vertex weights for 3 vertices"));
  CHECK(glt_test::names(refused({}, {0, 1}), "2 original ids for 3 vertices"));
  CHECK(glt_test::names(refused({}, {0, 1, 1}), "original id of vertex 2 is 1", "permutation"));
  CHECK(glt_test::names(refused({}, {2, 2, 2}), "original id of vertex 1 is 2"));
  CHECK(glt_test::names(refused({}, {0, 3, 1}), "original id of vertex 1 is 3", "[0, 3)"));
  CHECK(glt_test::names(refused({}, {-1, 2, 1}), "original id of vertex 0 is -1"));
}
