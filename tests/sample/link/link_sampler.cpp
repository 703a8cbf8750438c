// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/link/link_sampler.hpp>

#include <glt/graph/edge_values.hpp>
#include <glt/sample/rule/temporal_rule.hpp>

#include "support/archetypes.hpp"
#include "support/errors.hpp"
#include "support/naive_hetero_links.hpp"
#include "support/naive_links.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using glt::negative_mode;
using glt::seed_exclusion;
using glt::device::cpu;
using glt_test::pair_list;
using glt_test::plain_links;

using ids = glt::host_view<glt::local_id const>;
using classes = glt::host_view<std::int64_t const>;

constexpr auto host = glt::memory_space::host;
using typed_sampler = glt::link_sampler<cpu, glt::local_id, glt::uniform_rule, host, glt::hetero_view<host>>;

// The ends of positives, in other numbers if `renumbered` is given.
struct ends {
  std::vector<glt::local_id> sources;
  std::vector<glt::local_id> destinations;
  std::vector<std::int64_t> offsets;

  explicit ends(glt_test::naive_positives const& positives, std::vector<glt::local_id> const& renumbered = {})
      : offsets(positives.offsets) {
    auto const number = [&](std::int64_t vertex) {
      return renumbered.empty() ? static_cast<glt::local_id>(vertex) : renumbered[static_cast<std::size_t>(vertex)];
    };
    std::ranges::transform(positives.sources, std::back_inserter(sources), number);
    std::ranges::transform(positives.destinations, std::back_inserter(destinations), number);
  }
};

// Batches of several sizes, one positive per source and ragged; `some(size)` are pairs.
std::vector<glt_test::naive_positives> batches_of(auto const& some) {
  std::vector<glt_test::naive_positives> made;
  for (std::int64_t const size : {12, 0, 1, 33}) {
    auto const pairs = some(size);
    made.emplace_back(pairs);
    made.push_back(glt_test::ragged(pairs));
  }
  return made;
}

std::vector<std::int64_t> some_labels(auto const& options, std::size_t size) {
  std::vector<std::int64_t> labels(options.negatives.mode == negative_mode::binary && size < 33 ? size : 0);
  std::iota(labels.begin(), labels.end(), 0);
  return labels;
}

} // namespace

TEST_CASE("around a seed edge with a time, and around its negatives, no later edge is sampled") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    std::vector<std::int64_t> times;
    for (std::int64_t e = 0; e < list.num_edges(); ++e) {
      times.push_back(e * 37 % 101);
    }
    auto const unsorted = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
    auto const sorted = glt::sort_rows_by_time(unsorted.view(), glt::make_edge_values(unsorted.view(), times).view());
    using rule = glt::temporal_rule<glt::memory_space::host>;
    for (auto const& option : glt_test::timed_link_options_to_try()) {
      auto const of_vertices = glt_test::some_vertex_times(list.num_vertices);
      glt::host_view<std::int64_t const> const exist(of_vertices);
      glt::link_sampler<cpu, glt::local_id, rule> sampler(sorted.graph.view(), option, rule{sorted.times.view()});
      glt::link_sampler<cpu, glt::local_id, rule> limited(sorted.graph.view(), option, rule{sorted.times.view()}, {},
                                                          cpu(2), {}, exist);
      glt::link_sample<cpu> out;
      for (auto const& positives : batches_of([&](std::int64_t size) {
             return glt_test::some_positives(list, size, static_cast<std::uint64_t>(size));
           })) {
        ends const batch(positives);
        std::vector<std::int64_t> edge_times;
        for (std::size_t i = 0; i < batch.sources.size(); ++i) {
          edge_times.push_back(static_cast<std::int64_t>(i) * 23 % 120 - 5);
        }
        glt::sample_key const key{.seed = 3, .step = std::ssize(batch.destinations)};
        sampler.sample({batch.sources, batch.offsets}, batch.destinations, {}, edge_times, key, out);
        INFO(list.name, ", ", batch.destinations.size(), " edges");
        CHECK(plain_links(out) ==
              glt_test::sample_timed_links_naively(list, times, positives, edge_times, option, key));
        limited.sample({batch.sources, batch.offsets}, batch.destinations, {}, edge_times, key, out);
        CHECK(plain_links(out) ==
              glt_test::sample_timed_links_naively(list, times, positives, edge_times, option, key, of_vertices));
      }
    }
  }
}

TEST_CASE("seed edges need one time each and trees of their own by a rule of times, and for exclusion a rule that "
          "allows it") {
  auto const list = glt_test::random_graph(20, 60);
  auto const graph = glt::make_csr<cpu>(list.view());
  std::vector<std::int64_t> const times(60);
  using rule = glt::temporal_rule<glt::memory_space::host>;
  using sampler_type = glt::link_sampler<cpu, glt::local_id, rule>;
  glt::link_options options{.neighbors = {.fanouts = {2}, .disjoint = true}};
  sampler_type sampler(graph.view(), options, rule{times});
  std::vector<glt::local_id> const two{1, 2};
  glt::link_sample<cpu> out;
  auto const fault = [](auto&& f) { return glt_test::thrown<glt::precondition_error>(f); };
  std::vector<std::int64_t> const one_time{5};
  CHECK(glt_test::names(fault([&] { sampler.sample(two, two, {}, one_time, {}, out); }), "1 queries", "2 seeds"));
  auto excluding = options;
  excluding.exclude = seed_exclusion::edges;
  CHECK_NOTHROW(sampler_type(graph.view(), excluding, rule{times}));
  using turning = glt_test::turning_rule;
  CHECK(glt_test::names(
      fault([&] { glt::link_sampler<cpu, glt::local_id, turning>(graph.view(), excluding, turning()); }), "exclude",
      "allows_exclusion"));
  auto const with_times = [&](std::vector<std::int64_t> const& of_vertices) {
    sampler_type(graph.view(), options, rule{times}, {}, {}, {}, glt::host_view<std::int64_t const>(of_vertices));
  };
  CHECK_NOTHROW(with_times(std::vector<std::int64_t>(20)));
  CHECK(glt_test::names(fault([&] { with_times({1, 2}); }), "2 vertex times for 20"));
  options.negatives.strict = false;
  CHECK(glt_test::names(fault([&] { with_times(std::vector<std::int64_t>(20)); }), "strict"));
  options.negatives.strict = true;
  options.neighbors.disjoint = false;
  CHECK(glt_test::names(fault([&] { sampler_type(graph.view(), options, rule{times}); }), "disjoint"));
}

TEST_CASE("link samples equal the naive ones: every graph, mode, exclusion and number of threads") {
  for (auto const& list : glt_test::adversarial_graphs()) {
    auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
    for (auto const& option : glt_test::link_options_to_try()) {
      glt::link_sampler<cpu> alone(graph.view(), option);
      glt::link_sampler<cpu> threads(graph.view(), option, {}, cpu(3));
      glt::link_sample<cpu> out; // reused: nothing of the last batch may shine through
      for (auto const& positives : batches_of([&](std::int64_t size) {
             return glt_test::some_positives(list, size, static_cast<std::uint64_t>(size));
           })) {
        ends const batch(positives);
        auto const labels = some_labels(option, batch.destinations.size());
        glt::sample_key const key{.seed = 3, .step = std::ssize(batch.destinations)};
        auto const expected = glt_test::sample_links_naively(list, positives, labels, option, key);
        CAPTURE(list.name);
        alone.sample({batch.sources, batch.offsets}, batch.destinations, labels, key, out);
        CHECK(plain_links(out) == expected);
        CHECK(out.num_positives() == std::ssize(batch.destinations));
        threads.sample({batch.sources, batch.offsets}, batch.destinations, labels, key, out);
        CHECK(plain_links(out) == expected);
      }
    }
  }
}

TEST_CASE("renumbering the vertices changes nothing, weights included") {
  auto const list = glt_test::random_graph(257, 4099);
  std::vector<glt::global_id> original(257);
  std::vector<glt::local_id> renumbered(257);
  for (std::int64_t v = 0; v < 257; ++v) {
    original[static_cast<std::size_t>(v)] = v * 100 % 257;
    renumbered[static_cast<std::size_t>(v * 100 % 257)] = static_cast<glt::local_id>(v);
  }
  auto other = list;
  std::vector<double> weights(257);
  for (std::size_t i = 0; i < list.sources.size(); ++i) {
    other.sources[i] = renumbered[static_cast<std::size_t>(list.sources[i])];
    other.destinations[i] = renumbered[static_cast<std::size_t>(list.destinations[i])];
    weights[static_cast<std::size_t>(list.destinations[i])] += 0.75;
  }
  glt::vertex_weights<cpu> const table{glt::host_view<double const>(weights)};
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const renamed = glt::make_csr<cpu>(other.view(), {.edge_ids = true});
  auto const positives = glt_test::ragged(glt_test::some_positives(list, 30, 1));
  ends const batch(positives);
  ends const other_batch(positives, renumbered);
  for (auto const& option : glt_test::link_options_to_try()) {
    glt::link_sample<cpu> out;
    glt::link_sample<cpu> renamed_out;
    glt::link_sampler<cpu> sampler(graph.view(), option, table.view());
    glt::link_sampler<cpu> renamed_sampler(renamed.view(), option, table.view(), {}, original);
    sampler.sample({batch.sources, batch.offsets}, batch.destinations, {.seed = 4}, out);
    renamed_sampler.sample({other_batch.sources, batch.offsets}, other_batch.destinations, {.seed = 4}, renamed_out);
    CHECK(plain_links(renamed_out, original) == plain_links(out));
  }
}

TEST_CASE("excluded edges are never sampled and fanouts are met all the same") {
  auto const list = glt_test::random_graph(101, 3700);
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const edges = glt_test::pairs_of(list.view());
  for (auto const exclude : {seed_exclusion::edges, seed_exclusion::edges_and_reverses}) {
    glt::link_sampler<cpu> sampler(
        graph.view(),
        {.neighbors = {.fanouts = {10, 5}, .edge_ids = true}, .negatives = {.amount = 1}, .exclude = exclude});
    glt::link_sample<cpu> out;
    for (std::uint64_t step = 0; step < 20; ++step) {
      auto const positives = glt_test::some_positives(list, 40, step);
      ends const batch(positives);
      sampler.sample(batch.sources, batch.destinations, {.step = static_cast<std::int64_t>(step)}, out);
      std::set<std::pair<std::int64_t, std::int64_t>> left_out;
      for (auto const& [source, destination] : positives) {
        left_out.insert({source, destination});
        if (exclude == seed_exclusion::edges_and_reverses) {
          left_out.insert({destination, source});
        }
      }
      std::vector<std::int64_t> degree(101, 0);
      for (auto const& edge : edges) {
        degree[static_cast<std::size_t>(edge.second)] += left_out.contains(edge) ? 0 : 1;
      }
      auto const& subgraph = out.subgraph();
      for (auto const id : subgraph.edge_ids()) {
        CHECK(!left_out.contains(edges[static_cast<std::size_t>(id)]));
      }
      auto const block = subgraph.block(1);
      for (std::int64_t d = 0; d < block.num_destinations; ++d) {
        CHECK(block.offsets[d + 1] - block.offsets[d] ==
              std::min<std::int64_t>(10, degree[static_cast<std::size_t>(subgraph.nodes()[d])]));
      }
    }
  }
}

TEST_CASE("with one tree per end, the pairs are the same and every tree leaves the seed edges out") {
  auto const list = glt_test::random_graph(101, 3700);
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const edges = glt_test::pairs_of(list.view());
  auto const positives = glt_test::some_positives(list, 12, 3);
  auto const [sources, destinations, offsets] = ends(positives);
  glt::link_options option{.neighbors = {.fanouts = {6, 3}, .edge_ids = true}, .exclude = seed_exclusion::edges};
  glt::link_sample<cpu> joint;
  glt::link_sampler<cpu>(graph.view(), option).sample(sources, destinations, {.seed = 9}, joint);
  option.neighbors.disjoint = true;
  glt::link_sample<cpu> disjoint;
  glt::link_sampler<cpu>(graph.view(), option).sample(sources, destinations, {.seed = 9}, disjoint);
  CHECK(plain_links(disjoint).labelled == plain_links(joint).labelled);
  CHECK(disjoint.subgraph().num_sampled_nodes()[0] == disjoint.subgraph().seed_index().size());
  CHECK(disjoint.subgraph().edge_ids().size() > joint.subgraph().edge_ids().size());
  for (auto const id : disjoint.subgraph().edge_ids()) {
    CHECK(std::ranges::find(positives, edges[static_cast<std::size_t>(id)]) == positives.end());
  }
}

TEST_CASE("labels and indices as users of PyG know them") {
  glt_test::edge_list const list{"", 10, {0, 1, 2, 3}, {1, 2, 3, 4}};
  auto const graph = glt::make_csr<cpu>(list.view());
  std::vector<glt::local_id> const sources{0, 2};
  std::vector<glt::local_id> const destinations{1, 3};
  std::vector<std::int64_t> const labels{0, 5};
  glt::link_sample<cpu> out;

  glt::link_sampler<cpu> binary(graph.view(), {.neighbors = {.fanouts = {2}}, .negatives = {.amount = 1.5}});
  binary.sample(sources, destinations, {}, out);
  CHECK(glt_test::to_vector(out.edge_label()) == std::vector<std::int64_t>{1, 1, 0, 0, 0});
  CHECK(out.edge_label_index().rows() == 2);
  CHECK(out.edge_label_index().columns() == 5);
  CHECK(glt_test::to_vector(out.verified()) == std::vector<std::uint8_t>{1, 1, 1});
  CHECK(out.src_index().empty());
  CHECK(out.dst_neg_index().rows() == 0);
  binary.sample(sources, destinations, labels, {}, out);
  CHECK(glt_test::to_vector(out.edge_label()) == std::vector<std::int64_t>{1, 6, 0, 0, 0});

  glt::link_sampler<cpu> positives_only(graph.view(), {.neighbors = {.fanouts = {2}}, .negatives = {.amount = 0}});
  positives_only.sample(sources, destinations, labels, {}, out);
  CHECK(glt_test::to_vector(out.edge_label()) == labels);
  CHECK(out.num_negatives() == 0);

  glt::link_sampler<cpu> triplet(
      graph.view(), {.neighbors = {.fanouts = {2}}, .negatives = {.mode = negative_mode::triplet, .amount = 3}});
  triplet.sample(sources, destinations, {}, out);
  CHECK(out.src_index().size() == 2);
  CHECK(out.dst_pos_index().size() == 2);
  CHECK(out.dst_neg_index().rows() == 2);
  CHECK(out.dst_neg_index().columns() == 3);
  CHECK(out.num_negatives() == 6);
  CHECK(out.edge_label().empty());
  CHECK(out.edge_label_index().columns() == 0);
}

TEST_CASE("several positives of a source have the negatives of the first") {
  auto const list = glt_test::random_graph(101, 1700);
  auto const graph = glt::make_csr<cpu>(list.view());
  glt::link_options options{.neighbors = {.fanouts = {2}}, .negatives = {.mode = negative_mode::triplet, .amount = 4}};
  std::vector<glt::local_id> const repeated{5, 5, 5, 9, 9, 9};
  std::vector<glt::local_id> const sources{5, 9};
  std::vector<glt::local_id> const destinations{1, 2, 3, 4, 2, 4};
  glt::link_sample<cpu> one_by_one;
  glt::link_sampler<cpu>(graph.view(), options).sample(repeated, destinations, {.seed = 2}, one_by_one);
  glt::link_sample<cpu> out;
  glt::link_sampler<cpu> sampler(graph.view(), options);
  std::vector<std::int64_t> const offsets{0, 3, 6};
  sampler.sample({sources, offsets}, destinations, {.seed = 2}, out);
  CHECK(out.num_positives() == 6);
  CHECK(out.num_negatives() == 8);
  CHECK(out.src_index().size() == 2);
  CHECK(out.dst_pos_index().size() == 6);
  CHECK(out.dst_neg_index().rows() == 2);
  auto const pairs = plain_links(out);
  auto const expected = plain_links(one_by_one);
  CHECK(pairs.triplets == expected.triplets);
  CHECK(pairs.rows == std::vector{expected.rows[0], expected.rows[3]});
}

TEST_CASE("the pairs of every source are found by the offsets, also where no source has a positive") {
  auto const list = glt_test::random_graph(101, 1700);
  auto const graph = glt::make_csr<cpu>(list.view());
  glt::link_options options{.neighbors = {.fanouts = {2}}, .negatives = {.mode = negative_mode::triplet, .amount = 4}};
  glt::link_sampler<cpu> triplets(graph.view(), options);
  options.negatives = {.amount = 1.5};
  glt::link_sampler<cpu> binary(graph.view(), options);
  std::vector<glt::local_id> const sources{5, 9, 5};
  std::vector<glt::local_id> const destinations{1, 2, 3};
  std::vector<std::int64_t> const offsets{0, 0, 3, 3};
  glt::link_sample<cpu> out;
  triplets.sample({sources, offsets}, destinations, {.seed = 2}, out);
  CHECK(glt_test::to_vector(out.pos_offsets()) == offsets);
  CHECK(out.num_negatives() == 12);
  auto const nodes = out.subgraph().nodes();
  for (std::int64_t i = 0; i < 3; ++i) {
    CHECK(nodes[out.src_index()[i]] == sources[static_cast<std::size_t>(i)]);
    CHECK(nodes[out.dst_pos_index()[i]] == destinations[static_cast<std::size_t>(i)]);
    CHECK(out.dst_neg_index().row(i).size() == 4);
  }
  CHECK(plain_links(out).rows[0] == plain_links(out).rows[2]); // by the id of the source alone
  CHECK(plain_links(out).rows[0] != plain_links(out).rows[1]);
  binary.sample({sources, offsets}, destinations, {.seed = 2}, out);
  CHECK(glt_test::to_vector(out.pos_offsets()) == offsets);
  CHECK(out.edge_label_index().columns() == 3 + 5); // sources without positives are not sampled
  std::vector<std::int64_t> const none(4, 0);
  triplets.sample({sources, none}, {}, {.seed = 2}, out);
  CHECK(out.src_index().size() == 3);
  CHECK(out.dst_pos_index().empty());
  CHECK(out.dst_neg_index().rows() == 3);
  binary.sample({sources, none}, {}, {.seed = 2}, out);
  CHECK(out.subgraph().nodes().empty());
  CHECK(out.edge_label_index().columns() == 0);
  CHECK(glt_test::to_vector(out.pos_offsets()) == none);
}

TEST_CASE("where non-edges run out, negatives are left out, or marked if padded") {
  glt_test::edge_list list{"complete", 4, {}, {}};
  for (int v = 0; v < 16; ++v) {
    list.add(v % 4, v / 4);
  }
  auto const graph = glt::make_csr<cpu>(list.view());
  std::vector<glt::local_id> const sources{0, 2};
  std::vector<glt::local_id> const destinations{1, 3};
  glt::link_sample<cpu> out;
  for (bool const padding : {false, true}) {
    glt::link_sampler<cpu> binary(graph.view(),
                                  {.neighbors = {.fanouts = {2}}, .negatives = {.amount = 2, .padding = padding}});
    binary.sample(sources, destinations, {}, out);
    CHECK(out.num_negatives() == (padding ? 4 : 0));
    CHECK(out.edge_label_index().columns() == (padding ? 6 : 2));
    CHECK(glt_test::to_vector(out.verified()) == std::vector<std::uint8_t>(padding ? 4 : 0, 0));
    glt::link_sampler<cpu> triplet(graph.view(),
                                   {.neighbors = {.fanouts = {2}},
                                    .negatives = {.mode = negative_mode::triplet, .amount = 2, .padding = padding}});
    triplet.sample(sources, destinations, {}, out);
    CHECK(out.num_negatives() == 4);
    CHECK(glt_test::to_vector(out.verified()) == std::vector<std::uint8_t>(4, 0));
    for (auto const position : out.dst_neg_index().flat()) {
      CHECK((position >= 0) == padding);
    }
  }
}

TEST_CASE("a link sampler needs no more of a policy than the concept lists, and allocates nothing the second time") {
  using glt::memory_space;
  using glt_test::minimal_policy;
  auto const list = glt_test::random_graph(257, 4099);
  auto const made = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const graph = made.view();
  glt::csr_view<memory_space::pinned> const pinned(
      graph.num_columns(), {graph.offsets().data(), graph.offsets().size()},
      {graph.sources().data(), graph.sources().size()}, {graph.edge_ids().data(), graph.edge_ids().size()});
  using pinned_ids = glt::array_view<memory_space::pinned, glt::local_id const>;
  std::vector<double> const weights(257, 0.5);
  glt::vertex_weights<minimal_policy> const table(
      glt::array_view<memory_space::pinned, double const>(weights.data(), std::ssize(weights)));
  auto const shares = std::vector<std::int64_t>(257, glt::detail::weight_scale(0.5, 257)(0.5));
  auto const positives = glt_test::ragged(glt_test::some_positives(list, 40, 2));
  auto const [sources, destinations, offsets] = ends(positives);
  glt::array_view<memory_space::pinned, std::int64_t const> const pinned_offsets(offsets.data(), std::ssize(offsets));
  for (auto const& option : glt_test::link_options_to_try()) {
    pinned_ids const pinned_sources(sources.data(), std::ssize(sources));
    pinned_ids const pinned_destinations(destinations.data(), std::ssize(destinations));
    glt::link_sampler<minimal_policy> sampler(pinned, option, table.view());
    glt::link_sample<minimal_policy> out;
    sampler.sample({pinned_sources, pinned_offsets}, pinned_destinations, {.seed = 1}, out);
    glt_test::counting_resource::counts().allocations_left = 0;
    sampler.sample({pinned_sources, pinned_offsets}, pinned_destinations, {.seed = 1}, out);
    glt_test::counting_resource::counts().allocations_left = -1;
    CHECK(plain_links(out) == glt_test::sample_links_naively(list, positives, {}, option, {.seed = 1}, shares));
  }
}

TEST_CASE("bad input is refused and leaves the last sample as it was") {
  auto const list = glt_test::random_graph(101, 370);
  auto const graph = glt::make_csr<cpu>(list.view());
  glt::link_options const options{.neighbors = {.fanouts = {2}}};
  auto const refused = [&](auto const& make) { return glt_test::thrown<glt::precondition_error>(make); };
  CHECK(glt_test::names(refused([&] { glt::link_sampler<cpu>(graph.view(), {}); }), "no fanouts"));
  CHECK(glt_test::names(refused([&] {
                          glt::link_sampler<cpu>(graph.view(),
                                                 {.neighbors = {.fanouts = {2}}, .negatives = {.amount = -1}});
                        }),
                        "-1 negatives"));
  glt::csr_view<glt::memory_space::host> const part(500, graph.view().offsets(), graph.view().sources());
  CHECK(glt_test::names(refused([&] { glt::link_sampler<cpu>(part, options); }), "rows", "columns"));
  std::vector<double> const weights(100, 1);
  glt::vertex_weights<cpu> const table{glt::host_view<double const>(weights)};
  CHECK(glt_test::names(refused([&] { glt::link_sampler<cpu>(graph.view(), options, table.view()); }),
                        "100 vertex weights for 101 vertices"));
  std::vector<glt::global_id> const original(101, 5);
  CHECK(glt_test::names(refused([&] { glt::link_sampler<cpu>(graph.view(), options, {}, {}, original); }),
                        "original id of vertex 1 is 5", "permutation"));

  glt::link_sampler<cpu> sampler(graph.view(), options);
  glt::link_sample<cpu> out;
  std::vector<glt::local_id> const good{1, 2};
  std::vector<glt::local_id> const outside{1, 101};
  std::vector<std::int64_t> const negative{1, -1};
  std::vector<std::int64_t> const one{1};
  std::vector<std::int64_t> const largest{std::numeric_limits<std::int64_t>::max(), 0};
  sampler.sample(good, good, {}, out);
  auto const before = plain_links(out);
  auto const sample = [&](ids sources, ids destinations, classes labels) {
    return refused([&] { sampler.sample(sources, destinations, labels, {}, out); });
  };
  CHECK(glt_test::names(sample(outside, good, {}), "source of seed edge 1 is 101", "[0, 101)"));
  CHECK(glt_test::names(sample(good, outside, {}), "destination of seed edge 1 is 101", "[0, 101)"));
  CHECK(glt_test::names(sample(ids(good).subview(0, 1), good, {}), "1 sources", "2 destinations"));
  std::vector<std::int64_t> const falling{0, 3, 2};
  CHECK(glt_test::names(refused([&] { sampler.sample({good, falling}, good, {}, out); }), "offset 1", "is 3"));
  CHECK(glt_test::names(sample(good, good, one), "1 labels for 2 seed edges"));
  CHECK(glt_test::names(sample(good, good, negative), "label of seed edge 1 is -1"));
  CHECK(glt_test::names(sample(good, good, largest), "label of seed edge 0 is 9223372036854775807"));
  glt::link_sampler<cpu> triplet(graph.view(),
                                 {.neighbors = {.fanouts = {2}}, .negatives = {.mode = negative_mode::triplet}});
  CHECK(glt_test::names(refused([&] { triplet.sample(good, good, classes(std::vector<std::int64_t>{0, 1}), {}, out); }),
                        "labels", "triplets", "binary"));
  CHECK(plain_links(out) == before);
}

TEST_CASE("links of a type equal the naive ones: every graph, edge type, mode, exclusion, also by weights") {
  for (auto const& list : glt_test::adversarial_hetero_graphs()) {
    auto const graph = list.graph();
    for (int type = 0; type < list.schema.num_edge_types(); ++type) {
      auto const from = list.schema.num_vertices(list.schema.source_type(type));
      auto const to = list.schema.num_vertices(list.schema.destination_type(type));
      std::vector<double> weights(static_cast<std::size_t>(to));
      for (std::size_t v = 0; v < weights.size(); ++v) {
        weights[v] = static_cast<double>(v % 3 + 1);
      }
      std::vector<std::int64_t> shares;
      for (auto const weight : weights) {
        shares.push_back(glt::detail::weight_scale(*std::ranges::max_element(weights), to)(weight));
      }
      for (auto const& option : glt_test::hetero_link_options_to_try(list.schema, type)) {
        bool const weighted = option.negatives.amount > 0.5 && option.negatives.amount < 1.5 && to > 0;
        glt::vertex_weights<cpu> const table =
            weighted ? glt::vertex_weights<cpu>(glt::host_view<double const>(weights)) : glt::vertex_weights<cpu>();
        typed_sampler sampler(graph.view(), option, {{}, table.view()}, cpu(type % 2 + 1));
        glt::link_sample<cpu, glt::local_id, glt::hetero_subgraph<cpu>>
            out; // reused: nothing of the last batch may shine through
        for (auto const& positives : batches_of([&](std::int64_t size) {
               return glt_test::some_hetero_positives(list, type, size, static_cast<std::uint64_t>(size));
             })) {
          ends const batch(positives);
          auto const labels = some_labels(option, batch.destinations.size());
          glt::sample_key const key{.seed = 3, .step = std::ssize(labels)};
          INFO(list.name, ", type ", type, " from ", from, " to ", to, " vertices, ", positives.offsets.size(),
               " offsets");
          sampler.sample({batch.sources, batch.offsets}, batch.destinations, labels, key, out);
          CHECK(glt_test::plain_hetero_links(out, list.schema, type) ==
                glt_test::sample_hetero_links_naively(list, positives, labels, option, key,
                                                      {{}, weighted ? shares : std::vector<std::int64_t>()}));
        }
      }
    }
  }
}

TEST_CASE("links of the only type of a graph are the links of the graph without types, bit for bit") {
  auto const list = glt_test::random_graph(257, 1999);
  glt_test::hetero_list typed{"", {{{"a", 257}}, {{"a", "x", "a"}}}, {}};
  auto& relation = typed.relations.emplace_back();
  for (auto const& [source, destination] : glt_test::pairs_of(list.view())) {
    relation.add(source, destination);
  }
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const typed_graph = typed.graph();
  auto const positives = glt_test::some_positives(list, 30, 1);
  auto const [sources, destinations, offsets] = ends(positives);
  auto const typed_options = glt_test::hetero_link_options_to_try(typed.schema, 0);
  for (std::size_t i = 0; i < typed_options.size(); ++i) {
    glt::link_sample<cpu> out;
    glt::link_sampler<cpu>(graph.view(), glt_test::link_options_to_try()[i])
        .sample(sources, destinations, {.seed = 4}, out);
    glt::link_sample<cpu, glt::local_id, glt::hetero_subgraph<cpu>> typed_out;
    typed_sampler(typed_graph.view(), typed_options[i]).sample(sources, destinations, {.seed = 4}, typed_out);
    glt_test::naive_link_pairs const pairs = plain_links(out);
    glt_test::naive_link_pairs const typed_pairs = glt_test::plain_hetero_links(typed_out, typed.schema, 0);
    CHECK(pairs == typed_pairs);
    CHECK(glt_test::to_vector(out.subgraph().nodes()) == glt_test::to_vector(typed_out.subgraph().nodes(0)));
    CHECK(glt_test::to_vector(out.subgraph().row()) == glt_test::to_vector(typed_out.subgraph().row(0)));
    CHECK(glt_test::to_vector(out.subgraph().edge_ids()) == glt_test::to_vector(typed_out.subgraph().edge_ids(0)));
  }
}

TEST_CASE("around seed edges of a type with queries, every end has the query of its edge") {
  auto const list = glt_test::academic_graph(301);
  auto const graph = list.graph();
  using sampler_type = glt::link_sampler<cpu, glt::local_id, glt_test::limit_rule, host, glt::hetero_view<host>>;
  for (int type = 0; type < list.schema.num_edge_types(); ++type) {
    for (auto const& option : glt_test::hetero_link_options_to_try(list.schema, type)) {
      auto limited = option;
      limited.exclude = seed_exclusion::none;
      limited.neighbors.disjoint = true;
      limited.neighbors.replace = false;
      sampler_type sampler(graph.view(), limited, std::vector<glt_test::limit_rule>(list.relations.size()));
      auto const positives = glt_test::ragged(glt_test::some_hetero_positives(list, type, 20, 5));
      auto const [sources, destinations, offsets] = ends(positives);
      std::vector<std::int64_t> limits;
      for (std::int64_t i = 0; i < std::ssize(sources); ++i) {
        limits.push_back(i * 100 - 1);
      }
      glt::link_sample<cpu, glt::local_id, glt::hetero_subgraph<cpu>> out;
      sampler.sample({sources, offsets}, destinations, {}, limits, {.seed = 8}, out);
      auto const expected = glt_test::sample_hetero_links_naively(
          list, positives, {}, limited, {.seed = 8}, {},
          [&](glt_test::hetero_list const& rest, auto const& seeds, std::vector<std::size_t> const& edge_of_seed) {
            glt_test::naive_limits of_seeds;
            for (auto const edge : edge_of_seed) {
              of_seeds.limits.push_back(limits[edge]);
            }
            return glt_test::naive_hetero_sample(rest, seeds, limited.neighbors, {.seed = 8}, of_seeds);
          });
      CHECK(glt_test::plain_hetero_links(out, list.schema, type) == expected);
    }
  }
}

TEST_CASE("links of types that cannot be are refused") {
  auto const list = glt_test::academic_graph(33);
  auto const graph = list.graph();
  glt::hetero_link_options const good{.neighbors = {.fanouts = glt::same_fanouts(list.schema, {2})}};
  auto const refused = [&](auto change) {
    auto options = good;
    change(options);
    return glt_test::thrown<glt::precondition_error>([&] { typed_sampler(graph.view(), options); });
  };
  CHECK(glt_test::names(refused([](auto& options) { options.edge_type = 7; }), "seed edges of type 7", "7 edge types"));
  CHECK(glt_test::names(refused([](auto& options) { options.edge_type = -1; }), "seed edges of type -1"));
  CHECK(glt_test::names(refused([](auto& options) { options.exclude = seed_exclusion::edges_and_reverses; }),
                        "reverses of seed edges of type -1"));
  CHECK(glt_test::names(refused([](auto& options) {
                          options.exclude = seed_exclusion::edges_and_reverses;
                          options.reverse_type = 4;
                        }),
                        "are no reverses of", "reverse_type"));
  CHECK(glt_test::names(refused([](auto& options) { options.negatives.amount = -1; }), "-1 negatives"));
  CHECK(glt_test::names(refused([](auto& options) { options.neighbors.fanouts.pop_back(); }), "6 lists of fanouts"));
  std::vector<double> const weights(17, 1);
  glt::vertex_weights<cpu> const authors{glt::host_view<double const>(weights)};
  typed_sampler const one_weighted(graph.view(), good, {authors.view(), {}});
  CHECK(glt_test::names(
      glt_test::thrown<glt::precondition_error>([&] { typed_sampler(graph.view(), good, {{}, authors.view()}); }),
      "17 vertex weights for 33 vertices"));
  typed_sampler sampler(graph.view(), good);
  glt::link_sample<cpu, glt::local_id, glt::hetero_subgraph<cpu>> out;
  std::vector<glt::local_id> const last_author{16};
  std::vector<glt::local_id> const last_paper{32};
  sampler.sample(last_author, last_paper, {}, out);
  CHECK(glt_test::names(
      glt_test::thrown<glt::precondition_error>([&] { sampler.sample(last_paper, last_author, {}, out); }),
      "source of seed edge 0 is 32"));
}
