// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fuzz_samplers [first case] [number of cases]: samples random small graphs with random options, every kind of
// sampling, and compares with the oracles. The first difference ends it with the number of its case, from which
// everything in it follows. Built with -DGLT_LIBFUZZER -fsanitize=fuzzer it takes its cases from libFuzzer.
#include <glt/core/random.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/edge_values.hpp>
#include <glt/sample/hetero_sampler.hpp>
#include <glt/sample/induced_subgraph.hpp>
#include <glt/sample/link/link_sampler.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/rule/labor_rule.hpp>
#include <glt/sample/rule/temporal_rule.hpp>
#include <glt/sample/rule/weight_tables.hpp>
#include <glt/sample/rule/weighted_rule.hpp>
#include <glt/sample/walk/node2vec.hpp>
#include <glt/sample/walk/random_walk.hpp>

#include <doctest/doctest.h>

#include "support/hetero_graphs.hpp"
#include "support/naive_hetero_sampler.hpp"
#include "support/naive_induced.hpp"
#include "support/naive_links.hpp"
#include "support/naive_rules.hpp"
#include "support/naive_sampler.hpp"
#include "support/naive_walks.hpp"
#include "support/weighted.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using glt::device::cpu;

namespace {

// The random choices of a case.
class choices {
public:
  explicit choices(std::uint64_t number) : draws_(glt::random_key(number), 0) {}

  std::int64_t in(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(draws_.below(static_cast<std::uint64_t>(high - low) + 1));
  }
  bool coin() { return in(0, 1) == 1; }

  glt_test::edge_list graph() {
    large_ = in(0, 9) == 0; // enough rows to divide them over threads
    glt_test::edge_list made{"random", large_ ? in(1000, 2000) : coin() ? in(0, 4) : in(5, 60), {}, {}};
    std::int64_t const hub = made.num_vertices == 0 ? 0 : in(0, made.num_vertices - 1);
    for (std::int64_t i = made.num_vertices == 0 ? 0 : in(0, large_ ? 6000 : 400); i > 0; --i) {
      made.add(in(0, made.num_vertices - 1), coin() ? hub : in(0, made.num_vertices - 1));
    }
    return made;
  }
  std::vector<std::int64_t> vertices(std::int64_t num_vertices) {
    std::vector<std::int64_t> made;
    for (std::int64_t i = num_vertices == 0 ? 0 : in(0, large_ ? 900 : 12); i > 0; --i) {
      made.push_back(in(0, num_vertices - 1));
    }
    return made;
  }
  std::vector<std::int64_t> times(std::int64_t count) {
    std::vector<std::int64_t> made;
    for (std::int64_t i = 0; i < count; ++i) {
      made.push_back(in(-5, 20));
    }
    return made;
  }
  glt::neighbor_options neighbors() {
    glt::neighbor_options options;
    options.replace = in(0, 3) == 0;
    options.expand = coin() ? glt::frontier::all : glt::frontier::fresh;
    options.edge_ids = coin();
    options.disjoint = coin();
    for (std::int64_t hop = in(1, 3); hop > 0; --hop) {
      options.fanouts.push_back(in(0, 4) == 0 && !options.replace ? -1 : in(1, 20));
    }
    return options;
  }
  glt::sample_key key() {
    return {.seed = static_cast<std::uint64_t>(in(0, 9)), .epoch = in(0, 9), .step = in(0, 999)};
  }
  cpu threads() { return coin() ? cpu() : cpu(3); }

private:
  glt::random_stream draws_;
  bool large_ = false;
};

std::vector<glt::local_id> local(std::vector<std::int64_t> const& ids) {
  return {ids.begin(), ids.end()};
}

bool uniform(choices& choose) {
  auto const list = choose.graph();
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const options = choose.neighbors();
  glt::neighbor_sampler<cpu> sampler(graph.view(), options, choose.threads());
  glt::sampled_subgraph<cpu> out;
  bool equal = true;
  for (int batch = 0; batch < 2; ++batch) {
    auto const seeds = choose.vertices(list.num_vertices);
    auto const key = choose.key();
    sampler.sample(local(seeds), key, out);
    equal = equal && glt_test::plain(out) == glt_test::naive_sample(list, seeds, options, key);
  }
  return equal;
}

bool temporal(choices& choose) {
  auto const list = choose.graph();
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const times = choose.times(list.num_edges());
  auto const in_order = glt::make_edge_values<cpu>(graph.view(), glt::host_view<std::int64_t const>(times));
  auto const timed = glt::sort_rows_by_time<cpu>(graph.view(), in_order.view());
  auto options = choose.neighbors();
  options.disjoint = true;
  auto const strategy = choose.coin() ? glt::temporal_strategy::last : glt::temporal_strategy::uniform;
  using rule = glt::temporal_rule<glt::memory_space::host>;
  rule const timely{timed.times.view(), strategy};
  glt::neighbor_sampler<cpu, glt::local_id, rule> sampler(timed.graph.view(), options, timely, choose.threads());
  auto const seeds = choose.vertices(list.num_vertices);
  auto const seed_times = choose.times(static_cast<std::int64_t>(seeds.size()));
  auto const key = choose.key();
  glt::sampled_subgraph<cpu> out;
  sampler.sample(local(seeds), seed_times, key, out);
  return glt_test::plain(out) ==
         glt_test::naive_temporal_sample(list, times, strategy, seeds, seed_times, options, key);
}

bool labor(choices& choose) {
  auto const list = choose.graph();
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto options = choose.neighbors();
  options.replace = false;
  bool const exact = choose.coin();
  using rule = glt::labor_rule<glt::memory_space::host>;
  glt::neighbor_sampler<cpu, glt::local_id, rule> sampler(graph.view(), options, rule{.sources = {}, .exact = exact},
                                                          choose.threads());
  auto const seeds = choose.vertices(list.num_vertices);
  auto const key = choose.key();
  glt::sampled_subgraph<cpu> out;
  sampler.sample(local(seeds), key, out);
  return glt_test::plain(out) == glt_test::naive_labor_sample(list, exact, seeds, options, key);
}

// Without replacement and tables: the smallest keys of every row.
bool weighted(choices& choose) {
  auto const list = choose.graph();
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const by_edge = glt_test::random_weights(list.num_edges(), static_cast<std::uint64_t>(choose.in(0, 1000)));
  auto const weights = glt::make_edge_values<cpu>(graph.view(), glt::host_view<float const>(by_edge));
  auto options = choose.neighbors();
  options.replace = false;
  using rule = glt::weighted_rule<glt::memory_space::host>;
  glt::neighbor_sampler<cpu, glt::local_id, rule> sampler(graph.view(), options, rule{weights.view()},
                                                          choose.threads());
  auto const seeds = choose.vertices(list.num_vertices);
  auto const key = choose.key();
  glt::sampled_subgraph<cpu> out;
  sampler.sample(local(seeds), key, out);
  auto const rows = glt_test::naive_rows(list);
  auto const pick = [&](std::int64_t hop, std::int64_t, std::int64_t v) {
    std::vector<float> of_row;
    for (auto const& edge : rows[static_cast<std::size_t>(v)]) {
      of_row.push_back(by_edge[static_cast<std::size_t>(edge.second)]);
    }
    auto const fanout = options.fanouts[static_cast<std::size_t>(hop)];
    glt::random_stream const stream(glt::detail::hop_key(key, hop), static_cast<std::uint64_t>(v));
    return glt_test::naive_smallest_keys(stream, of_row, fanout < 0 ? std::ssize(of_row) : fanout);
  };
  return glt_test::plain(out) == glt_test::naive_sample_by(rows, seeds, options, pick);
}

// With tables: never an edge of weight 0, as many as there can be, and the same for any number of threads.
bool by_tables(choices& choose) {
  auto const list = choose.graph();
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const by_edge = glt_test::random_weights(list.num_edges(), static_cast<std::uint64_t>(choose.in(0, 1000)));
  auto const weights = glt::make_edge_values<cpu>(graph.view(), glt::host_view<float const>(by_edge));
  glt::weight_tables<cpu> const tables(graph.view(), weights.view());
  glt::neighbor_options const options{
      .fanouts = {choose.in(1, 20)}, .replace = choose.coin(), .edge_ids = true, .disjoint = true};
  using rule = glt::weighted_rule<glt::memory_space::host>;
  auto const seeds = choose.vertices(list.num_vertices);
  auto const key = choose.key();
  glt::sampled_subgraph<cpu> out;
  glt::sampled_subgraph<cpu> by_threads;
  glt::neighbor_sampler<cpu, glt::local_id, rule>(graph.view(), options, rule{weights.view(), tables.view()})
      .sample(local(seeds), key, out);
  glt::neighbor_sampler<cpu, glt::local_id, rule>(graph.view(), options, rule{weights.view(), tables.view()}, cpu(3))
      .sample(local(seeds), key, by_threads);
  std::int64_t expected = 0;
  auto const rows = glt_test::naive_rows(list);
  for (auto const seed : seeds) {
    std::int64_t positive = 0;
    for (auto const& edge : rows[static_cast<std::size_t>(seed)]) {
      positive += by_edge[static_cast<std::size_t>(edge.second)] > 0 ? 1 : 0;
    }
    expected += positive == 0 ? 0 : options.replace ? options.fanouts[0] : std::min(positive, options.fanouts[0]);
  }
  bool const positive =
      std::ranges::all_of(out.edge_ids(), [&](auto id) { return by_edge[static_cast<std::size_t>(id)] > 0; });
  return positive && out.row().size() == expected && glt_test::plain(out) == glt_test::plain(by_threads);
}

bool links(choices& choose) {
  auto const list = choose.graph();
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const all_options = glt_test::link_options_to_try();
  auto const& options = all_options[static_cast<std::size_t>(choose.in(0, std::ssize(all_options) - 1))];
  auto const which = static_cast<std::uint64_t>(choose.in(0, 999));
  auto const positives = glt_test::some_positives(list, choose.in(0, 20), which);
  std::vector<glt::local_id> sources;
  std::vector<glt::local_id> destinations;
  for (auto const& [source, destination] : positives) {
    sources.push_back(static_cast<glt::local_id>(source));
    destinations.push_back(static_cast<glt::local_id>(destination));
  }
  auto const key = choose.key();
  glt::link_sampler<cpu> sampler(graph.view(), options, {}, choose.threads());
  glt::link_sample<cpu> out;
  sampler.sample(sources, destinations, key, out);
  return glt_test::plain_links(out) == glt_test::sample_links_naively(list, positives, {}, options, key);
}

bool induced(choices& choose) {
  auto const list = choose.graph();
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  glt::induced_options options{.edge_ids = choose.coin()};
  if (choose.coin()) {
    options.num_hops = choose.in(0, 3);
  } else {
    options.fanouts = {choose.in(-1, 5), choose.in(-1, 3)};
  }
  auto const seeds = choose.vertices(list.num_vertices);
  glt::sampled_subgraph<cpu> out;
  auto const key = choose.key();
  glt::induced_sampler<cpu>(graph.view(), options, choose.threads()).sample(local(seeds), key, out);
  return glt_test::plain(out) == glt_test::naive_induced(list, seeds, options, key);
}

bool walks(choices& choose) {
  auto const list = choose.graph();
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  auto const starts = choose.vertices(list.num_vertices);
  auto const key = choose.key();
  glt::walks<cpu> out;
  glt::walk_options const options{.length = choose.in(1, 20),
                                  .walks_per_start = choose.in(1, 3),
                                  .restart = choose.coin() ? 0.0 : 0.4,
                                  .edge_ids = choose.coin()};
  glt::random_walker<cpu>(graph.view(), options, choose.threads()).walk(local(starts), key, out);
  bool const equal = glt_test::plain(out) == glt_test::naive_walks(list, starts, options, key);
  glt::node2vec_options const second_order{.length = choose.in(1, 20),
                                           .walks_per_start = choose.in(1, 3),
                                           .p = choose.coin() ? 0.25 : 3,
                                           .q = choose.coin() ? 0.5 : 2,
                                           .edge_ids = choose.coin()};
  glt::node2vec_walker<cpu>(graph.view(), second_order, choose.threads()).walk(local(starts), key, out);
  return equal && glt_test::plain(out) == glt_test::naive_node2vec_walks(list, starts, second_order, key);
}

bool heterogeneous(choices& choose) {
  std::vector<glt::hetero_schema::node_type> const nodes{
      {"a", choose.in(0, 20)}, {"b", choose.in(0, 20)}, {"c", choose.in(1, 5)}};
  std::vector<glt::hetero_schema::edge_type> const edges{
      {"a", "to", "b"}, {"b", "to", "a"}, {"a", "in", "a"}, {"c", "of", "b"}};
  auto const which = static_cast<std::uint64_t>(choose.in(0, 999));
  auto const list = glt_test::random_hetero_graph(nodes, edges, choose.in(0, 150), which);
  glt::hetero_options options;
  options.replace = choose.coin();
  options.expand = choose.coin() ? glt::frontier::all : glt::frontier::fresh;
  options.edge_ids = choose.coin();
  for (int e = 0; e < list.schema.num_edge_types(); ++e) {
    options.fanouts.push_back({choose.in(0, 6), choose.in(0, 6)});
  }
  std::vector<std::vector<std::int64_t>> seeds;
  std::vector<std::vector<glt::local_id>> ids;
  for (int t = 0; t < list.schema.num_node_types(); ++t) {
    seeds.push_back(choose.vertices(list.schema.num_vertices(t)));
    ids.push_back(local(seeds.back()));
  }
  std::vector<glt::host_view<glt::local_id const>> const views(ids.begin(), ids.end());
  auto const graph = list.graph();
  auto const key = choose.key();
  glt::hetero_subgraph<cpu> out;
  glt::hetero_neighbor_sampler<cpu>(graph.view(), options, choose.threads()).sample(views, key, out);
  return glt_test::plain_hetero(out) == glt_test::naive_hetero_sample(list, seeds, options, key);
}

// The name of the kind that differs from its oracle in this case; empty if none does.
std::string difference(std::uint64_t number) {
  struct kind {
    char const* name;
    bool (*equal)(choices&);
  };
  static constexpr kind kinds[] = {{"uniform", uniform},   {"temporal", temporal},   {"LABOR", labor},
                                   {"weighted", weighted}, {"by tables", by_tables}, {"links", links},
                                   {"induced", induced},   {"walks", walks},         {"heterogeneous", heterogeneous}};
  for (auto const& [name, equal] : kinds) {
    choices choose(number);
    if (!equal(choose)) {
      return name;
    }
  }
  return {};
}

void run(std::uint64_t number) {
  auto const found = difference(number);
  if (!found.empty()) {
    std::fprintf(stderr, "case %llu: %s sampling differs from its oracle\n", static_cast<unsigned long long>(number),
                 found.c_str());
    std::abort();
  }
}

} // namespace

#ifdef GLT_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  glt::random_key number(size);
  for (std::size_t i = 0; i < size; ++i) {
    number = number.fold(data[i]);
  }
  run(number.bits());
  return 0;
}
#else
int main(int argc, char** argv) {
  std::uint64_t const first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  std::uint64_t const count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 200;
  for (std::uint64_t number = first; number < first + count; ++number) {
    run(number);
  }
  std::printf("%llu cases from %llu on: all samplers equal their oracles\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(first));
}
#endif
