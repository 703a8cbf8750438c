// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/naive_hetero_links.hpp"
#include "support/naive_links.hpp"
#include "support/policies.hpp"
#include "support/policy_hetero_subgraphs.hpp"
#include "support/weighted.hpp"

#include <glt/graph/csr.hpp>
#include <glt/graph/edge_values.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/link/link_sampler.hpp>
#include <glt/sample/link/vertex_weights.hpp>
#include <glt/sample/rule/labor_rule.hpp>
#include <glt/sample/rule/temporal_rule.hpp>
#include <glt/sample/rule/times.hpp>
#include <glt/sample/rule/weight_tables.hpp>
#include <glt/sample/rule/weighted_rule.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

using namespace glt;

namespace {

// Everything of a link sample, in vectors.
struct plain_batch {
  std::int64_t num_positives = 0;
  std::int64_t num_negatives = 0;
  std::vector<local_id> index;
  std::vector<std::int64_t> label;
  std::vector<local_id> triplets;
  std::vector<std::int64_t> offsets;
  std::vector<std::uint8_t> verified;
  std::vector<local_id> nodes;
  std::vector<local_id> row;
  std::vector<local_id> col;
  std::vector<edge_id> edge_ids;
  std::vector<std::int64_t> sizes;
  bool operator==(plain_batch const&) const = default;
};

// All of a sample but its subgraph.
template <class Policy, class Sample>
plain_batch pairs_of(Policy const& policy, Sample const& made) {
  plain_batch out;
  out.num_positives = made.num_positives();
  out.num_negatives = made.num_negatives();
  out.index = to_vector(policy, made.edge_label_index().flat());
  out.label = to_vector(policy, made.edge_label());
  for (auto const list : {made.src_index(), made.dst_pos_index(), made.dst_neg_index().flat()}) {
    auto const part = to_vector(policy, list);
    out.triplets.insert(out.triplets.end(), part.begin(), part.end());
  }
  out.offsets = to_vector(policy, made.pos_offsets());
  out.verified = to_vector(policy, made.verified());
  return out;
}

template <class Policy>
plain_batch plain_of(Policy const& policy, link_sample<Policy> const& made) {
  auto const& subgraph = made.subgraph();
  auto out = pairs_of(policy, made);
  out.nodes = to_vector(policy, subgraph.nodes());
  out.row = to_vector(policy, subgraph.row());
  out.col = to_vector(policy, subgraph.col());
  out.edge_ids = to_vector(policy, subgraph.edge_ids());
  out.sizes.assign(subgraph.num_sampled_nodes().begin(), subgraph.num_sampled_nodes().end());
  out.sizes.insert(out.sizes.end(), subgraph.num_sampled_edges().begin(), subgraph.num_sampled_edges().end());
  return out;
}

struct seed_lists {
  std::vector<local_id> sources;
  std::vector<local_id> destinations;
  std::vector<std::int64_t> labels;
  std::vector<std::int64_t> offsets{};
};

seed_lists lists_of(glt_test::naive_positives const& positives) {
  seed_lists made{.sources{positives.sources.begin(), positives.sources.end()},
                  .destinations{positives.destinations.begin(), positives.destinations.end()},
                  .labels{},
                  .offsets = positives.offsets};
  for (std::size_t i = 0; i < made.destinations.size(); ++i) {
    made.labels.push_back(static_cast<std::int64_t>(i) % 3);
  }
  return made;
}

template <class Policy, class Sampler, class Sample>
void sample_on(Policy const& policy, Sampler& sampler, seed_lists const& seeds, sample_key key, Sample& out) {
  auto const sources = make_buffer<Policy>(seeds.sources, policy);
  auto const destinations = make_buffer<Policy>(seeds.destinations, policy);
  auto const labels = make_buffer<Policy>(seeds.labels, policy);
  auto const offsets = make_buffer<Policy>(seeds.offsets, policy);
  sampler.sample({sources.view(), offsets.view()}, destinations.view(), labels.view(), key, out);
}

} // namespace

TEST_CASE_TEMPLATE("link samples are those of the host", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  for (auto const& list : glt_test::adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = make_csr<device::cpu>(list.view(), {.edge_ids = true});
    auto const there = copy<Policy>(graph.view(), policy);
    for (auto const& options : glt_test::link_options_to_try()) {
      link_sampler<device::cpu> on_host(graph.view(), options);
      link_sampler<Policy> sampler(there.view(), options, {}, policy);
      link_sample<device::cpu> expected;
      link_sample<Policy> out; // reused: nothing of the last batch may shine through
      for (std::int64_t const size : {17, 0, 1, 60}) {
        auto const pairs = glt_test::some_positives(list, size, static_cast<std::uint64_t>(size));
        auto seeds = lists_of(size == 60 ? glt_test::ragged(pairs) : pairs);
        if (size == 17 || options.negatives.mode == negative_mode::triplet) {
          seeds.labels.clear();
        }
        sample_key const key{.seed = 5, .epoch = 1, .step = size};
        sample_on(device::cpu{}, on_host, seeds, key, expected);
        sample_on(policy, sampler, seeds, key, out);
        CHECK(plain_of(policy, out) == plain_of(device::cpu{}, expected));
      }
    }
  }
}

TEST_CASE_TEMPLATE("links of an edge type are those of the host", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  auto const list = glt_test::academic_graph(101);
  auto const graph = list.graph();
  auto const there = copy<Policy>(graph.view(), policy);
  constexpr auto host = memory_space::host;
  for (int const type : {0, 1, 2}) { // to an earlier type, to a later one, and within a type
    for (auto const& options : glt_test::hetero_link_options_to_try(list.schema, type)) {
      link_sampler<device::cpu, local_id, uniform_rule, host, hetero_view<host>> on_host(graph.view(), options);
      link_sampler<Policy, local_id, uniform_rule, Policy::space, hetero_view<Policy::space>> sampler(
          there.view(), options, {}, policy);
      link_sample<device::cpu, local_id, hetero_subgraph<device::cpu>> expected;
      link_sample<Policy, local_id, hetero_subgraph<Policy>> out;
      for (std::int64_t const size : {17, 0, 60}) {
        auto const pairs = glt_test::some_hetero_positives(list, type, size, static_cast<std::uint64_t>(size));
        auto seeds = lists_of(size == 60 ? glt_test::ragged(pairs) : pairs);
        if (options.negatives.mode == negative_mode::triplet) {
          seeds.labels.clear();
        }
        sample_key const key{.seed = 5, .epoch = 1, .step = size};
        sample_on(device::cpu{}, on_host, seeds, key, expected);
        sample_on(policy, sampler, seeds, key, out);
        CHECK(pairs_of(policy, out) == pairs_of(device::cpu{}, expected));
        CHECK(glt_test::copy_subgraph(policy, out.subgraph()) ==
              glt_test::copy_subgraph(device::cpu{}, expected.subgraph()));
      }
    }
  }
}

TEST_CASE_TEMPLATE("rows in ascending order, weights and original ids", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  auto list = glt_test::random_graph(101, 0);
  for (int v = 0; v < 101; ++v) { // rows ascend, with parallel edges
    for (int k = 0; k < v % 11; ++k) {
      list.add(k * 9, v);
      list.add(k * 9, v);
    }
  }
  auto const graph = make_csr<device::cpu>(list.view(), {.edge_ids = true});
  auto const there = copy<Policy>(graph.view(), policy);
  std::vector<double> weights;
  std::vector<global_id> original;
  for (std::int64_t v = 0; v < 101; ++v) {
    weights.push_back(v % 5 == 1 ? 0 : 1.5 * static_cast<double>(v));
    original.push_back((v * 5 + 3) % 101);
  }
  auto const original_there = make_buffer<Policy>(original, policy);
  auto const weights_there = make_buffer<Policy>(weights, policy);
  vertex_weights<> const table{host_view<double const>(weights)};
  vertex_weights<Policy> const table_there(weights_there.view(), policy);
  auto const seeds = lists_of(glt_test::some_positives(list, 40, 1));
  for (auto const& options : glt_test::link_options_to_try()) {
    if (options.negatives.mode == negative_mode::triplet) {
      continue;
    }
    link_sampler<device::cpu> on_host(graph.view(), options, table.view(), device::cpu{}, original);
    link_sampler<Policy> sampler(there.view(), options, table_there.view(), policy, original_there.view());
    link_sample<device::cpu> expected;
    link_sample<Policy> out;
    sample_on(device::cpu{}, on_host, seeds, {.seed = 7}, expected);
    sample_on(policy, sampler, seeds, {.seed = 7}, out);
    CHECK(plain_of(policy, out) == plain_of(device::cpu{}, expected));
  }
}

TEST_CASE_TEMPLATE("by every rule seed edges are excluded as on the host, and negatives exist in time", Policy,
                   GLT_TEST_ONE_POLICY) {
  Policy const policy;
  auto const list = glt_test::random_graph(101, 3700);
  std::vector<std::int64_t> times;
  for (std::int64_t e = 0; e < 3700; ++e) {
    times.push_back(e * 37 % 101);
  }
  auto const unsorted = make_csr<device::cpu>(list.view(), {.edge_ids = true});
  buffer<device::cpu, std::int64_t> const of_edges = make_edge_values(unsorted.view(), times);
  auto const sorted = sort_rows_by_time<device::cpu>(unsorted.view(), of_edges.view());
  auto const weights = glt_test::random_weights(3700, 4);
  auto const exist = glt_test::some_vertex_times(101);
  auto const graph = copy<Policy>(sorted.graph.view(), policy);
  std::vector<std::int64_t> const sorted_times(sorted.times.begin(), sorted.times.end());
  auto const times_there = make_buffer<Policy>(sorted_times, policy);
  auto const weights_there = make_buffer<Policy>(weights, policy);
  auto const exist_there = make_buffer<Policy>(exist, policy);
  weight_tables<device::cpu> const tables(sorted.graph.view(), host_view<float const>(weights));
  weight_tables<Policy> const tables_there(graph.view(), weights_there.view(), policy);
  constexpr auto host = memory_space::host;
  constexpr auto space = Policy::space;
  auto const check = [&]<class OnHost, class There>(OnHost rule, There rule_there) {
    constexpr bool timed = !std::is_same_v<typename OnHost::query_type, no_query>;
    for (auto options : glt_test::link_options_to_try()) {
      if (options.neighbors.replace && requires { rule.batch_key; }) {
        continue; // LABOR
      }
      options.neighbors.disjoint = timed;
      options.negatives.strict = true;
      link_sampler<device::cpu, local_id, OnHost> on_host(sorted.graph.view(), options, rule, {}, {}, {},
                                                          timed ? host_view<std::int64_t const>(exist)
                                                                : host_view<std::int64_t const>());
      link_sampler<Policy, local_id, There> sampler(graph.view(), options, rule_there, {}, policy, {},
                                                    timed ? exist_there.view()
                                                          : array_view<space, std::int64_t const>());
      link_sample<device::cpu> expected;
      link_sample<Policy> out;
      auto const seeds = lists_of(glt_test::ragged(glt_test::some_positives(list, 60, 3)));
      std::vector<std::int64_t> queries;
      for (std::size_t i = 0; i < seeds.sources.size(); ++i) {
        queries.push_back(static_cast<std::int64_t>(i) * 23 % 120 - 5);
      }
      auto const sample = [&](auto const& where, auto& by, auto& to) {
        using place = std::remove_cvref_t<decltype(where)>;
        auto const from = make_buffer<place>(seeds.sources, where);
        auto const offsets = make_buffer<place>(seeds.offsets, where);
        auto const into = make_buffer<place>(seeds.destinations, where);
        auto const at = make_buffer<place>(queries, where);
        if constexpr (timed) {
          by.sample({from.view(), offsets.view()}, into.view(), {}, at.view(), {.seed = 6}, to);
        } else {
          by.sample({from.view(), offsets.view()}, into.view(), {.seed = 6}, to);
        }
      };
      sample(device::cpu{}, on_host, expected);
      sample(policy, sampler, out);
      CHECK(plain_of(policy, out) == plain_of(device::cpu{}, expected));
      CHECK(expected.num_positives() > 50);
    }
  };
  check(weighted_rule<host>{weights}, weighted_rule<space>{weights_there.view()});
  check(weighted_rule<host>{weights, tables.view()}, weighted_rule<space>{weights_there.view(), tables_there.view()});
  check(labor_rule<host>{}, labor_rule<space>{});
  check(temporal_rule<host>{sorted_times}, temporal_rule<space>{times_there.view()});
}

TEST_CASE_TEMPLATE("wrong seed edges and labels are refused in the words of the host", Policy, GLT_TEST_ONE_POLICY) {
  Policy const policy;
  auto const list = glt_test::random_graph(31, 100);
  auto const there = copy<Policy>(make_csr<device::cpu>(list.view()).view(), policy);
  link_sampler<Policy> sampler(there.view(), {.neighbors = {.fanouts = {2}}}, {}, policy);
  link_sample<Policy> out;
  sample_on(policy, sampler, {{1, 2}, {3, 4}, {0, 1}}, {}, out);
  auto const before = plain_of(policy, out);
  auto const refused = [&](seed_lists const& seeds) {
    return glt_test::thrown<precondition_error>([&] { sample_on(policy, sampler, seeds, {}, out); });
  };
  CHECK(glt_test::names(refused({{1, 2}, {3}, {}}), "2 sources, 1 destinations"));
  CHECK(glt_test::names(refused({{1, 2}, {3, 4}, {}, {0, 3, 2}}), "offset 1 of seed edges is 3"));
  CHECK(glt_test::names(refused({{1, 31}, {3, 4}, {}}), "source of seed edge 1 is 31"));
  CHECK(glt_test::names(refused({{1, 3}, {-1, 4}, {}}), "destination of seed edge 0 is -1"));
  CHECK(glt_test::names(refused({{1, 3}, {1, 4}, {1}}), "1 labels for 2 seed edges"));
  CHECK(glt_test::names(refused({{1, 3}, {1, 4}, {0, -7}}), "label of seed edge 1 is -7"));
  CHECK(plain_of(policy, out) == before);
}
