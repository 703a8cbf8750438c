// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/comm/serial.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>
#include <glt/dist/graph.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/split.hpp>
#include <glt/torch/layers.hpp>
#include <glt/torch/threads.hpp>

#include "support/memory_of_process.hpp"
#include "support/workloads.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>

using glt_bench::cpu;

namespace {

constexpr std::int64_t width = 128;

using sharded_type = glt::dist::sharded_graph<glt::serial_comm, cpu>;

sharded_type whole_graph(int threads) {
  glt::serial_comm comm;
  auto const whole = glt_bench::rmat_graph().view();
  auto const names = glt::make_relabelling(glt::contiguous_partitioner{}(whole, 1).view(), 1);
  glt::dist::graph const graph(comm, glt::split_graph<glt::local_id>(whole, names, 0));
  return sharded_type(comm, graph, {}, cpu(threads));
}

// Forward and backward over all of W1 in one process; seconds of each, and the memory beside graph, input and gradient.
template <class Layer>
void measure(benchmark::State& state, Layer layer) {
  auto const threads = static_cast<int>(state.range(0));
  glt::set_torch_threads(threads);
  auto graph = whole_graph(threads);
  auto const x = at::randn({graph.num_sources(), width}).requires_grad_();
  auto const gradient = at::randn({graph.num_destinations(), width});
  glt_bench::forget_peak();
  auto const before = glt_bench::memory_of_process("VmRSS");
  double seconds[2] = {0, 0};
  bool is_first = true; // takes memory
  auto const pass = [&] {
    using clock = std::chrono::steady_clock;
    auto const begun = clock::now();
    auto const y = layer(x, graph);
    auto const between = clock::now();
    y.backward(gradient);
    std::chrono::duration<double> const forward = between - begun;
    std::chrono::duration<double> const backward = clock::now() - between;
    x.mutable_grad().reset();
    if (!is_first) {
      seconds[0] += forward.count();
      seconds[1] += backward.count();
    }
    is_first = false;
  };
  pass();
  for (auto _ : state) {
    pass();
  }
  auto const passes = static_cast<double>(state.iterations());
  state.counters["forward"] = seconds[0] / passes;
  state.counters["backward"] = seconds[1] / passes;
  state.counters["peak"] = glt_bench::memory_of_process("VmHWM") - before;
  state.counters["edges/s"] =
      benchmark::Counter(static_cast<double>(graph.num_edges()) * passes, benchmark::Counter::kIsRate);
  state.counters["scale"] = glt_bench::graph_scale();
}

void sage_conv(benchmark::State& state) {
  measure(state, glt::sage_conv({.in = width, .out = width}));
}

void gat_conv(benchmark::State& state) {
  measure(state, glt::gat_conv({.in = width, .out = width / 4, .heads = 4, .add_self_loops = false}));
}

// Three layers of GraphSAGE over all of W1, one after the other, without gradients.
void infer_sage(benchmark::State& state) {
  auto const threads = static_cast<int>(state.range(0));
  glt::set_torch_threads(threads);
  auto graph = whole_graph(threads);
  auto const x = at::randn({graph.num_sources(), width});
  glt::sage_conv first({.in = width, .out = 256});
  glt::sage_conv second({.in = 256, .out = 256});
  glt::sage_conv third({.in = 256, .out = 47});
  at::NoGradGuard const no_gradients;
  glt_bench::forget_peak();
  auto const before = glt_bench::memory_of_process("VmRSS");
  for (auto _ : state) {
    auto const y = first(x, graph).relu_();
    auto const z = third(second(y, graph).relu_(), graph);
    benchmark::DoNotOptimize(z.data_ptr());
  }
  state.counters["peak"] = glt_bench::memory_of_process("VmHWM") - before;
  state.counters["scale"] = glt_bench::graph_scale();
}

void by_threads(benchmark::internal::Benchmark* bench) {
  bench->ArgName("threads")->Arg(1)->Arg(2)->Iterations(2)->UseRealTime()->MeasureProcessCPUTime()->Unit(
      benchmark::kSecond);
}

BENCHMARK(sage_conv)->Apply(by_threads);
BENCHMARK(gat_conv)->Apply(by_threads);
BENCHMARK(infer_sage)->Apply(by_threads);

} // namespace
