// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/comm/serial.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/loader.hpp>
#include <glt/memory/keep_freed_memory.hpp>
#include <glt/partition/contiguous.hpp>
#include <glt/partition/relabel.hpp>
#include <glt/partition/split.hpp>
#include <glt/torch/gat_conv.hpp>
#include <glt/torch/sage_conv.hpp>
#include <glt/torch/tensor.hpp>
#include <glt/torch/threads.hpp>

#include "support/memory_of_process.hpp"
#include "support/workloads.hpp"

#include <torch/nn/functional/loss.h>
#include <torch/nn/module.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <vector>

using glt_bench::cpu;

namespace {

constexpr std::int64_t in = 128;
constexpr std::int64_t hidden = 256;
constexpr std::int64_t num_classes = 47;

struct sage_network : torch::nn::Module {
  glt::sage_conv layers[3] = {glt::sage_conv({.in = in, .out = hidden}), glt::sage_conv({.in = hidden, .out = hidden}),
                              glt::sage_conv({.in = hidden, .out = num_classes})};
};

struct gat_network : torch::nn::Module {
  static glt::gat_conv layer(std::int64_t from, std::int64_t to, std::int64_t heads) {
    return glt::gat_conv({.in = from, .out = to, .heads = heads, .add_self_loops = false});
  }
  glt::gat_conv layers[3] = {layer(in, hidden / 4, 4), layer(hidden, hidden / 4, 4), layer(hidden, num_classes, 1)};
};

/// W1 in one process, with 128 columns and labels of no meaning.
struct workload {
  glt::serial_comm comm;
  glt::dist::graph<cpu, glt::local_id> graph;
  glt::dist::feature_store<cpu, float> features;
  std::vector<glt::local_id> seeds;

  workload()
      : graph(comm,
              glt::split_graph<glt::local_id>(
                  glt_bench::rmat_graph().view(),
                  glt::make_relabelling(glt::contiguous_partitioner{}(glt_bench::rmat_graph().view(), 1).view(), 1),
                  0)),
        features(comm, graph.book(), rows(graph.local().num_rows())) {
    for (auto const v : glt_bench::connected_vertices(glt_bench::rmat_graph().view())) {
      seeds.push_back(v);
    }
  }

  static glt::feature_store<cpu, float> rows(std::int64_t count) {
    glt::buffer<cpu, float> values(count * in);
    glt::buffer<cpu, std::int64_t> labels(count);
    for (std::int64_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(i % 1021) / 1021 - 0.5F;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      labels[i] = i % num_classes;
    }
    return {count, in, std::move(values), std::move(labels)};
  }
};

/// Steps of training with batches of 1024 seeds, fanout 15, 10, 5: milliseconds of each part of a step, and bytes of
/// memory at most and more than at first. Those without kept memory run first, for it stays kept.
template <class Network>
void train_step(benchmark::State& state) {
  static workload const data;
  auto const threads = static_cast<int>(state.range(0));
  glt::set_torch_threads(threads);
  if (static bool is_kept = false; state.range(1) != 0) {
    is_kept = glt::keep_freed_memory();
  } else if (is_kept) {
    state.SkipWithError("memory is kept");
    return;
  }
  glt::dist::loader loader(data.comm, glt::dist::neighbor_batches(data.graph, data.features, {.fanouts = {15, 10, 5}}),
                           data.seeds, {.batch_size = 1024, .shuffle = true, .seed = 1}, cpu(threads));
  torch::manual_seed(1);
  Network net;
  std::vector<at::Tensor> parameters;
  for (auto& layer : net.layers) {
    for (auto const& parameter : layer->parameters()) {
      parameters.push_back(parameter);
    }
  }
  torch::optim::Adam adam(parameters, 0.003);
  using clock = std::chrono::steady_clock;
  double seconds[3] = {0, 0, 0};
  double edges = 0;
  double loss_value = 0;
  auto const train = [&](auto const& batch, clock::time_point begun) {
    clock::time_point times[4] = {begun, clock::now()};
    adam.zero_grad();
    auto x = glt::to_tensor(batch.features());
    for (int layer = 0; layer < 3; ++layer) {
      x = net.layers[layer](x, batch.subgraph.block(layer));
      x = layer < 2 ? x.relu() : x;
      edges += static_cast<double>(batch.subgraph.block(layer).num_edges());
    }
    auto const loss = torch::nn::functional::cross_entropy(x, glt::to_tensor(batch.labels()));
    loss_value = loss.template item<double>();
    times[2] = clock::now();
    loss.backward();
    adam.step();
    times[3] = clock::now();
    for (int i = 0; i < 3; ++i) {
      seconds[i] += std::chrono::duration<double>(times[i + 1] - times[i]).count();
    }
  };
  int step = -3; // the first steps take memory
  double memory = 0;
  bool runs = true;
  auto begun = clock::now();
  for (std::int64_t epoch = 0; runs; ++epoch) {
    auto const batches = loader.epoch(epoch);
    for (auto const& batch : batches) {
      train(batch, begun);
      if (++step == 0) {
        seconds[0] = seconds[1] = seconds[2] = edges = 0;
        memory = glt_bench::memory_of_process("VmRSS");
        glt_bench::forget_peak();
      }
      if (runs = step < 0 || state.KeepRunning(); !runs) {
        break;
      }
      begun = clock::now();
    }
  }
  auto const steps = static_cast<double>(state.iterations());
  state.counters["data_ms"] = 1e3 * seconds[0] / steps;
  state.counters["forward_ms"] = 1e3 * seconds[1] / steps;
  state.counters["backward_ms"] = 1e3 * seconds[2] / steps;
  state.counters["edges/s"] = benchmark::Counter(edges, benchmark::Counter::kIsRate);
  state.counters["loss"] = loss_value;
  state.counters["grown"] = glt_bench::memory_of_process("VmRSS") - memory;
  state.counters["peak"] = glt_bench::memory_of_process("VmHWM");
  state.counters["scale"] = glt_bench::graph_scale();
}

template <bool Kept>
void by_threads(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"threads", "kept"})->Args({1, Kept})->Args({2, Kept});
  bench->Iterations(20)->UseRealTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK(train_step<sage_network>)->Name("train_step/sage")->Apply(by_threads<false>);
BENCHMARK(train_step<gat_network>)->Name("train_step/gat")->Apply(by_threads<false>);
BENCHMARK(train_step<sage_network>)->Name("train_step/sage")->Apply(by_threads<true>);
BENCHMARK(train_step<gat_network>)->Name("train_step/gat")->Apply(by_threads<true>);

} // namespace
