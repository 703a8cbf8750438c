// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// W1 by other rules than the uniform one, and of typed graphs, from random seeds and from the vertices of the most
// edges: rows that are long keep a thread busy for long, unless they are divided.
#include "support/gpu.hpp"
#include "support/typed_graph.hpp"

#include <glt/graph/csr.hpp>
#include <glt/graph/hetero_graph.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/hetero_sampler.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/rule/labor_rule.hpp>
#include <glt/sample/rule/temporal_rule.hpp>
#include <glt/sample/rule/weight_tables.hpp>
#include <glt/sample/rule/weighted_rule.hpp>
#include <glt/sample/subgraph.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt_bench::cpu;
using glt_bench::gpu;
using ids = std::vector<glt::local_id>;

namespace {

constexpr std::int64_t num_batches = 8;

/// Batches of 1024 seeds; the hubs are one of them, the vertices of the most edges.
struct batches {
  std::string name;
  std::vector<ids> seeds;
};

std::array<batches, 2> make_batches() {
  auto const graph = glt_bench::rmat_graph().view();
  auto connected = glt_bench::connected_vertices(graph);
  auto const size = std::min<std::int64_t>(1024, static_cast<std::int64_t>(connected.size()) / 2);
  std::array<batches, 2> made{batches{"random", {}}, batches{"hubs", {}}};
  for (std::int64_t step = 0; step < num_batches; ++step) {
    made[0].seeds.push_back(glt_bench::batch_of(connected, size, step));
  }
  std::ranges::partial_sort(connected, connected.begin() + size, [&](auto a, auto b) {
    return std::pair(graph.degree(b), a) < std::pair(graph.degree(a), b);
  });
  made[1].seeds.emplace_back(connected.begin(), connected.begin() + size);
  return made;
}

/// Edges a second of `sample(batch, step)`, which says how many there are; `is_right` compares the first batch.
template <class Sample, class IsRight>
void report_rate(glt_bench::report& report, gpu const& policy, std::string const& name, std::size_t count,
                 Sample sample, IsRight is_right) {
  sample(0, 0);
  glt_bench::require(is_right(), name);
  std::int64_t edges = 0;
  for (std::size_t b = 0; b < count; ++b) { // takes its memory
    edges += sample(b, static_cast<std::int64_t>(b));
  }
  std::size_t next = 0;
  auto const seconds = glt_bench::seconds_per_call(policy, [&] {
    auto const b = next++ % count;
    sample(b, static_cast<std::int64_t>(b));
  });
  report.add(name, static_cast<double>(edges) / static_cast<double>(count) / seconds, "edges/s");
}

template <class Rule, class HostRule>
void measure(glt_bench::report& report, std::string const& name, gpu const& policy, glt::csr_view<gpu::space> graph,
             batches const& from, Rule const& rule, HostRule const& host_rule) {
  glt::neighbor_options const options{.fanouts = {15, 10, 5}, .disjoint = glt::detail::has_query<Rule>};
  glt::neighbor_sampler<gpu, glt::local_id, Rule> sampler(graph, options, rule, policy);
  glt::sampled_subgraph<gpu> out;
  std::vector<std::int64_t> const late(from.seeds[0].size(), 1 << 20); // when all edges are there, where a rule asks
  auto const times = glt::make_buffer<gpu>(late, policy);
  std::vector<glt::buffer<gpu, glt::local_id>> seeds;
  for (auto const& batch : from.seeds) {
    seeds.push_back(glt::make_buffer<gpu>(batch, policy));
  }
  auto const sample = [&](std::size_t b, std::int64_t step) {
    glt::sample_key const key{.seed = 1, .step = step};
    if constexpr (glt::detail::has_query<Rule>) {
      sampler.sample(std::as_const(seeds[b]).view(), times.view(), key, out);
    } else {
      sampler.sample(std::as_const(seeds[b]).view(), key, out);
    }
    return out.row().size();
  };
  report_rate(report, policy, "rules/" + name + '/' + from.name, seeds.size(), sample, [&] {
    glt::neighbor_sampler<cpu, glt::local_id, HostRule> reference(glt_bench::rmat_graph().view(), options, host_rule);
    glt::sampled_subgraph<cpu> expected;
    if constexpr (glt::detail::has_query<Rule>) {
      reference.sample(from.seeds[0], late, {.seed = 1, .step = 0}, expected);
    } else {
      reference.sample(from.seeds[0], {.seed = 1, .step = 0}, expected);
    }
    return std::ranges::equal(glt::to_vector(policy, out.nodes()), expected.nodes()) &&
           std::ranges::equal(glt::to_vector(policy, out.row()), expected.row());
  });
}

void measure_types(glt_bench::report& report, std::string const& name, gpu const& policy,
                   glt::hetero_view<gpu::space> graph, batches const& from, std::vector<std::int64_t> const& fanouts) {
  glt::hetero_options const options{.fanouts = glt::same_fanouts(graph.schema(), fanouts)};
  glt::hetero_neighbor_sampler<gpu> sampler(graph, options, policy);
  glt::hetero_subgraph<gpu> out;
  auto const by_type = [](ids const& batch) {
    std::vector<ids> lists(glt_bench::num_types);
    for (auto const seed : batch) {
      lists[static_cast<std::size_t>(seed % glt_bench::num_types)].push_back(seed / glt_bench::num_types);
    }
    return lists;
  };
  std::vector<std::vector<glt::buffer<gpu, glt::local_id>>> seeds;
  for (auto const& batch : from.seeds) {
    auto& lists = seeds.emplace_back();
    for (auto const& list : by_type(batch)) {
      lists.push_back(glt::make_buffer<gpu>(list, policy));
    }
  }
  auto const num_edges = [&](auto const& sampled) {
    std::int64_t sum = 0;
    for (int e = 0; e < graph.schema().num_edge_types(); ++e) {
      sum += sampled.row(e).size();
    }
    return sum;
  };
  auto const sample = [&](std::size_t b, std::int64_t step) {
    std::vector<glt::array_view<gpu::space, glt::local_id const>> views;
    for (auto const& list : seeds[b]) {
      views.push_back(list.view());
    }
    sampler.sample(views, {.seed = 1, .step = step}, out);
    return num_edges(out);
  };
  report_rate(report, policy, "rules/" + name + '/' + from.name, seeds.size(), sample, [&] {
    glt::hetero_neighbor_sampler<cpu> reference(glt_bench::typed_graph().view(), options);
    glt::hetero_subgraph<cpu> expected;
    auto const lists = by_type(from.seeds[0]);
    std::vector<glt::host_view<glt::local_id const>> const views(lists.begin(), lists.end());
    reference.sample(views, {.seed = 1, .step = 0}, expected);
    bool same = num_edges(out) == num_edges(expected);
    for (int t = 0; same && t < glt_bench::num_types; ++t) {
      same = std::ranges::equal(glt::to_vector(policy, out.nodes(t)), expected.nodes(t));
    }
    return same;
  });
}

} // namespace

int main(int argc, char** argv) {
  return glt_bench::run(argc, argv, [](glt_bench::report& report) {
    gpu const policy;
    auto const whole = glt_bench::rmat_graph().view();
    std::vector<float> weights;
    std::vector<std::int64_t> times; // ascending in every row
    for (std::int64_t v = 0; v < whole.num_rows(); ++v) {
      for (std::int64_t i = 0; i < whole.degree(v); ++i) {
        weights.push_back(static_cast<float>((v + 7 * i) % 13 + 1));
        times.push_back(i);
      }
    }
    auto const all = make_batches();
    {
      auto const graph = glt::copy<gpu>(whole, policy);
      auto const weights_there = glt::make_buffer<gpu>(weights, policy);
      auto const times_there = glt::make_buffer<gpu>(times, policy);
      glt::weight_tables<cpu> const tables(whole, weights);
      glt::weight_tables<gpu> const tables_there(graph.view(), weights_there.view(), policy);
      for (auto const& each : all) {
        auto const run = [&](char const* name, auto const& rule, auto const& host_rule) {
          measure(report, name, policy, graph.view(), each, rule, host_rule);
        };
        using host_weighted = glt::weighted_rule<cpu::space>;
        using weighted = glt::weighted_rule<gpu::space>;
        using host_temporal = glt::temporal_rule<cpu::space>;
        using temporal = glt::temporal_rule<gpu::space>;
        run("uniform", glt::uniform_rule{}, glt::uniform_rule{});
        run("labor", glt::labor_rule<gpu::space>{}, glt::labor_rule<cpu::space>{});
        run("weighted", weighted{.weights = weights_there.view()}, host_weighted{.weights = weights});
        run("weighted_by_tables", weighted{.weights = weights_there.view(), .tables = tables_there.view()},
            host_weighted{.weights = weights, .tables = tables.view()});
        run("temporal", temporal{.times = times_there.view()}, host_temporal{.times = times});
        run("temporal_last", temporal{.times = times_there.view(), .strategy = glt::temporal_strategy::last},
            host_temporal{.times = times, .strategy = glt::temporal_strategy::last});
      }
    }
    auto const typed = glt::copy<gpu>(glt_bench::typed_graph().view(), policy);
    for (auto const& each : all) {
      measure_types(report, "typed", policy, typed.view(), each, {5, 3, 2});
      measure_types(report, "typed_whole_rows", policy, typed.view(), each, {-1, 2});
    }
  });
}
