// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/dist/collect/feature_collector.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/sampling/neighbor_sampler.hpp>
#include <glt/sample/options.hpp>

#include "support/loading.hpp"
#include "support/ranks.hpp"
#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

using glt_bench::cpu;

namespace {

constexpr std::int64_t batch_size = 64;
constexpr std::int64_t num_batches = 32;

glt::neighbor_options options_of(std::int64_t hops) {
  return {.fanouts = hops == 2 ? std::vector<std::int64_t>{5, 5} : std::vector<std::int64_t>{15, 10, 5}};
}

// R-MAT scale 20 in random parts, 128 feature columns, batches of 64 own seeds on every rank, 32 of them an iteration:
// as many as range(0) are sampled and collected together. Fanout 5,5 if range(1) is 2, and 15,10,5 if it is 3. Rates are
// those of all ranks together.
void bulk_batches(benchmark::State& state) {
  auto comm = glt_bench::ranks();
  auto const& work = glt_bench::shared_workload();
  using subgraph = glt::sampled_subgraph<cpu, glt::local_id>;
  using collected = glt::dist::collected_rows<cpu, float>;
  glt::dist::neighbor_sampler sampler(comm, work.graph(), options_of(state.range(1)));
  glt::dist::feature_collector collector(comm, work.features());
  auto const bulk = static_cast<std::size_t>(state.range(0));
  std::vector<std::vector<glt::local_id>> seeds;
  for (std::int64_t b = 0; b < num_batches; ++b) {
    seeds.push_back(work.seeds(batch_size, b));
  }
  std::vector<subgraph> samples(bulk);
  std::vector<collected> collections(bulk);
  std::vector<decltype(sampler)::bulk_item> items(bulk);
  std::vector<glt::detail::bulk_list<cpu, glt::local_id, collected>> lists(bulk);
  std::int64_t vertices = 0;
  auto const load = [&] {
    for (std::size_t first = 0; first < seeds.size(); first += bulk) {
      auto const step = static_cast<std::int64_t>(first);
      for (std::size_t b = 0; b < bulk; ++b) {
        items[b] = {
            .seeds = seeds[first + b], .key = {.step = step + static_cast<std::int64_t>(b)}, .out = &samples[b]};
      }
      sampler.sample_bulk(items);
      for (std::size_t b = 0; b < bulk; ++b) {
        lists[b] = {.vertices = samples[b].nodes(), .out = &collections[b]};
        vertices += samples[b].nodes().size();
      }
      collector.collect_bulk(std::span(std::as_const(lists)), step);
    }
  };
  load(); // so that all memory is there
  vertices = 0;
  glt_bench::measure_together(state, comm, load);
  std::vector<double> sums{static_cast<double>(vertices), static_cast<double>(state.iterations() * num_batches)};
  comm.all_reduce(std::span(sums), glt::reduction::sum);
  state.counters["rows/s"] = benchmark::Counter(sums[0], benchmark::Counter::kIsRate);
  state.counters["batches/s"] = benchmark::Counter(sums[1], benchmark::Counter::kIsRate);
  state.counters["scale"] = glt_bench::graph_scale();
  state.counters["ranks"] = comm.size();
}

BENCHMARK(bulk_batches)
    ->ArgNames({"bulk", "hops"})
    ->ArgsProduct({{1, 4}, {2, 3}})
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// The same by loaders, which hand out the batches one after the other: `bulk` of 4 against 1.
void load_in_bulk(benchmark::State& state) {
  auto comm = glt_bench::ranks();
  auto const& work = glt_bench::shared_workload();
  auto const loader_of = [&](std::int64_t bulk) {
    return glt::dist::loader(comm, work.batches(options_of(state.range(0))), work.seeds(batch_size * num_batches),
                             {.batch_size = batch_size, .bulk = bulk});
  };
  auto one = loader_of(1);
  auto four = loader_of(4);
  auto const load = [](auto& loader) {
    return [&loader] {
      for (auto const& batch : loader.epoch(0)) {
        benchmark::DoNotOptimize(batch.num_seeds);
      }
    };
  };
  load(one)(); // so that all memory is there
  load(four)();
  glt_bench::compare_together(state, comm, num_batches, load(one), load(four));
  state.counters["scale"] = glt_bench::graph_scale();
  state.counters["ranks"] = comm.size();
}

BENCHMARK(load_in_bulk)->ArgName("hops")->Arg(2)->Arg(3)->Iterations(9)->UseManualTime()->Unit(benchmark::kMillisecond);

} // namespace
