// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/comm/serial.hpp>
#include <glt/comm/threads.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/data_part.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/dist/loader.hpp>
#include <glt/dist/loading/neighbor_batches.hpp>
#include <glt/dist/loading/typed_batches.hpp>
#include <glt/dist/named_features.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/split.hpp>
#include <glt/torch/collectives.hpp>
#include <glt/torch/layers.hpp>
#include <glt/torch/rgcn_conv.hpp>
#include <glt/torch/tensor.hpp>
#include <glt/torch/threads.hpp>

#include "support/citation_graph.hpp"
#include "support/memory_of_process.hpp"
#include "support/workloads.hpp"

#include <torch/nn/functional/loss.h>
#include <torch/nn/module.h>
#include <torch/optim/adam.h>
#include <torch/utils.h>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using glt_bench::cpu;

namespace {

constexpr std::int64_t in = 128;
constexpr std::int64_t hidden = 256;

// Features that tell the class of a vertex; as in bench/peers/workload.py.
glt::buffer<cpu, float> values_of(std::int64_t count) {
  glt::buffer<cpu, float> values(count * in);
  for (std::int64_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 1021) / 1021 - 0.5F;
  }
  return values;
}
glt::buffer<cpu, std::int64_t> labels_of(std::int64_t count, std::int64_t num_classes) {
  glt::buffer<cpu, std::int64_t> labels(count);
  for (std::int64_t v = 0; v < count; ++v) {
    labels[v] = v * in % 1021 * num_classes / 1021;
  }
  return labels;
}

glt::relabelling same_names(std::int64_t count) {
  std::vector<glt::local_id> const parts(static_cast<std::size_t>(count), 0);
  return glt::make_relabelling(glt::host_view<glt::local_id const>(parts), 1);
}

/// W1 in one process, in batches of 1024 seeds, fanout 15, 10, 5.
struct plain_set {
  static constexpr std::int64_t num_classes = 47;
  glt::serial_comm comm;
  glt::dist::graph<cpu, glt::local_id> graph;
  glt::dist::feature_store<cpu, float> features;

  plain_set()
      : graph(comm, glt::split_graph<glt::local_id>(glt_bench::rmat_graph().view(),
                                                    same_names(glt_bench::rmat_graph().view().num_rows()), 0)),
        features(comm, graph.book(),
                 {graph.local().num_rows(), in, values_of(graph.local().num_rows()),
                  labels_of(graph.local().num_rows(), num_classes)}) {}

  [[nodiscard]] auto loader(int threads) const {
    auto const seeds = glt_bench::connected_vertices(glt_bench::rmat_graph().view());
    return glt::dist::loader(comm, glt::dist::neighbor_batches(graph, features, {.fanouts = {15, 10, 5}}),
                             glt_bench::batch_of(seeds, std::ssize(seeds), 0), {.batch_size = 1024}, cpu(threads));
  }
};

/// The citation graph in one process, in batches of 1024 papers, fanout 25, 20 of each relation.
struct typed_set {
  static constexpr std::int64_t num_classes = 349;
  static constexpr int paper = 0;
  glt::serial_comm comm;
  glt::dist::hetero_graph<cpu, glt::local_id> graph;
  std::deque<glt::dist::named_features<cpu>> features; // of each type

  typed_set() : graph(comm, glt::split_graph<glt::local_id>(glt_bench::citation_graph().view(), names(), 0)) {
    for (int type = 0; type < graph.schema().num_node_types(); ++type) {
      auto const count = graph.schema().num_vertices(type);
      glt::feature_table<cpu> table(count);
      table.add("x", glt::feature_store<cpu, float>(count, in, values_of(count)));
      if (type == paper) {
        table.add("y", glt::feature_store<cpu, std::int64_t>(count, 1, labels_of(count, num_classes)));
      }
      features.emplace_back(comm, graph.book(type), std::move(table));
    }
  }

  [[nodiscard]] auto loader(int threads) const {
    glt::dist::typed_batches recipe(graph, {.fanouts = glt::same_fanouts(graph.schema(), {25, 20})});
    recipe.with(paper, features[paper], {{.name = "x"}, {.name = "y", .seeds_only = true}});
    for (int type = 1; type < graph.schema().num_node_types(); ++type) {
      recipe.with(type, features[static_cast<std::size_t>(type)]);
    }
    std::vector<glt::local_id> papers(static_cast<std::size_t>(graph.schema().num_vertices(paper)));
    std::iota(papers.begin(), papers.end(), 0);
    return glt::dist::loader(
        comm, recipe,
        glt::dist::typed_seeds<glt::local_id>(paper, {glt_bench::batch_of(papers, std::ssize(papers), 0)}),
        {.batch_size = 1024}, cpu(threads));
  }

private:
  static std::vector<glt::relabelling> names() {
    std::vector<glt::relabelling> of_types;
    for (auto const& type : glt_bench::citation_graph().view().schema().node_types()) {
      of_types.push_back(same_names(type.num_vertices));
    }
    return of_types;
  }
};

template <class Layer>
struct plain_network : torch::nn::Module {
  using data_type = plain_set;
  explicit plain_network(std::vector<Layer> made) : layers(std::move(made)) {
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      register_module(std::to_string(layer), layers[layer]);
    }
  }

  at::Tensor loss(auto const& batch) {
    auto x = glt::to_tensor(batch.features());
    for (int layer = 0; layer < 3; ++layer) {
      x = layers[static_cast<std::size_t>(layer)](x, batch.subgraph.block(layer));
      x = layer < 2 ? x.relu_() : x;
    }
    return torch::nn::functional::cross_entropy(x, glt::to_tensor(batch.labels()));
  }
  static std::int64_t num_edges(auto const& batch) { return batch.subgraph.row().size(); }

  std::vector<Layer> layers;
};

struct sage_network : plain_network<glt::sage_conv> {
  sage_network()
      : plain_network({glt::sage_conv({.in = in, .out = hidden}), glt::sage_conv({.in = hidden, .out = hidden}),
                       glt::sage_conv({.in = hidden, .out = plain_set::num_classes})}) {}
};

struct gat_network : plain_network<glt::gat_conv> {
  gat_network()
      : plain_network(
            {layer(in, hidden / 4, 4), layer(hidden, hidden / 4, 4), layer(hidden, plain_set::num_classes, 1)}) {}
  static glt::gat_conv layer(std::int64_t from, std::int64_t to, std::int64_t heads) {
    return glt::gat_conv({.in = from, .out = to, .heads = heads, .add_self_loops = false});
  }
};

struct rgcn_network : torch::nn::Module {
  using data_type = typed_set;
  static constexpr std::int64_t width = 64;

  at::Tensor loss(auto const& batch) {
    std::vector<at::Tensor> x;
    for (auto const& tensors : batch.tensors) {
      x.push_back(glt::to_tensor(tensors["x"].template as<float>()));
    }
    x = first(x, [&](int relation) { return batch.subgraph.block(relation, 0); });
    for (auto& rows : x) {
      rows.relu_();
    }
    x = second(x, [&](int relation) { return batch.subgraph.block(relation, 1); });
    auto const labels = glt::to_tensor(batch.tensors[typed_set::paper]["y"].template as<std::int64_t>()).squeeze(1);
    return torch::nn::functional::cross_entropy(x[typed_set::paper], labels);
  }
  static std::int64_t num_edges(auto const& batch) {
    std::int64_t count = 0;
    for (int e = 0; e < batch.subgraph.num_edge_types(); ++e) {
      count += batch.subgraph.row(e).size();
    }
    return count;
  }

  glt::hetero_schema const& schema = glt_bench::citation_graph().schema();
  glt::rgcn_conv first = register_module("first", glt::rgcn_conv(schema, {.in = in, .out = width}));
  glt::rgcn_conv second =
      register_module("second", glt::rgcn_conv(schema, {.in = width, .out = typed_set::num_classes}));
};

template <class Set>
Set const& data() {
  static Set const made;
  return made;
}

/// Steps of training: milliseconds of each part of a step, the mean loss, and bytes of memory at most and more than at
/// first. Those without kept memory run first, for it stays kept.
template <class Network>
void train_step(benchmark::State& state) {
  auto const threads = static_cast<int>(state.range(0));
  glt::set_torch_threads(threads);
  if (static bool is_kept = false; state.range(1) != 0) {
    is_kept = glt::keep_freed_memory();
  } else if (is_kept) {
    state.SkipWithError("memory is kept");
    return;
  }
  auto loader = data<typename Network::data_type>().loader(threads);
  torch::manual_seed(1);
  Network net;
  torch::optim::Adam adam(net.parameters(), 0.003);
  using clock = std::chrono::steady_clock;
  double seconds[3] = {0, 0, 0};
  std::int64_t edges = 0;
  double loss_sum = 0;
  auto const train = [&](auto const& batch, clock::time_point begun) {
    clock::time_point times[4] = {begun, clock::now()};
    adam.zero_grad();
    auto const loss = net.loss(batch);
    loss_sum += loss.template item<double>();
    edges += Network::num_edges(batch);
    times[2] = clock::now();
    loss.backward();
    adam.step();
    times[3] = clock::now();
    for (int i = 0; i < 3; ++i) {
      seconds[i] += std::chrono::duration<double>(times[i + 1] - times[i]).count();
    }
  };
  int step = -5; // the first steps take memory
  double memory = 0;
  bool runs = true;
  auto begun = clock::now();
  for (std::int64_t epoch = 0; runs; ++epoch) {
    auto const batches = loader.epoch(epoch);
    for (auto const& batch : batches) {
      train(batch, begun);
      if (++step == 0) {
        seconds[0] = seconds[1] = seconds[2] = loss_sum = 0;
        edges = 0;
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
  state.counters["edges/batch"] = static_cast<double>(edges) / steps;
  state.counters["loss"] = loss_sum / steps;
  state.counters["grown"] = glt_bench::memory_of_process("VmRSS") - memory;
  state.counters["peak"] = glt_bench::memory_of_process("VmHWM");
  state.counters["scale"] = glt_bench::graph_scale();
  state.SetLabel(std::string(glt::set_torch_threads(at::get_num_threads())));
}

/// GraphSAGE by two ranks of one thread, each with a random half of W1, which they read in place: milliseconds of a step,
/// for which every rank takes 1024 seeds and all ranks join their gradients.
void train_step_of_ranks(benchmark::State& state) {
  constexpr int ranks = 2;
  glt::keep_freed_memory();
  auto const whole = glt_bench::rmat_graph().view();
  auto const part_of = glt::random_partitioner{.seed = 1}(whole, ranks);
  auto const names = glt::make_relabelling(part_of.view(), ranks);
  auto const values = values_of(whole.num_rows());
  glt::host_matrix<float const> const all_x(values.data(), whole.num_rows(), in);
  auto const all_y = labels_of(whole.num_rows(), plain_set::num_classes);
  std::vector<double> seconds;
  double loss_sum = 0;
  glt::dist::loader_report report;
  glt::run_threads(ranks, [&](glt::threads_comm comm) {
    glt::set_torch_threads(1);
    auto part = glt::split_graph<glt::local_id>(whole, names, comm.rank());
    auto const rows = part.graph.view().num_rows();
    auto seeds = glt_bench::connected_vertices(part.graph.view());
    for (auto& seed : seeds) {
      seed += static_cast<glt::local_id>(part.book.begin(comm.rank()));
    }
    glt::feature_table<cpu> tensors(rows);
    tensors.add("x", glt::feature_store<cpu, float>(rows, in, glt::split_rows(all_x, names, comm.rank())));
    tensors.add("y", glt::feature_store<cpu, std::int64_t>(rows, 1, glt::split_rows(all_y.view(), names, comm.rank())));
    glt::dist::data_set const data(comm, glt::dist::data_part(std::move(part), {.tensors = std::move(tensors)}));
    glt::dist::loader loader(comm, glt::dist::neighbor_batches(data, {.fanouts = {15, 10, 5}}),
                             glt_bench::batch_of(seeds, std::ssize(seeds), 0), {.batch_size = 1024});
    torch::manual_seed(1);
    sage_network net;
    glt::sync_params(comm, net);
    torch::optim::Adam adam(net.parameters(), 0.003);
    int step = -5; // the first steps take memory
    auto begun = std::chrono::steady_clock::now();
    for (std::int64_t epoch = 0; step < state.max_iterations; ++epoch) {
      for (auto const& batch : loader.epoch(epoch)) {
        adam.zero_grad();
        auto const loss = net.loss(batch);
        loss.backward();
        glt::gather_grads(comm, net, batch.num_seeds);
        adam.step();
        auto const now = std::chrono::steady_clock::now();
        if (comm.rank() == 0 && step >= 0) {
          seconds.push_back(std::chrono::duration<double>(now - begun).count());
          loss_sum += loss.item<double>();
        }
        begun = now;
        if (++step == state.max_iterations) {
          break;
        }
      }
    }
    if (comm.rank() == 0) {
      report = loader.report();
    }
  });
  for (std::size_t i = 0; state.KeepRunning(); ++i) {
    state.SetIterationTime(seconds[i]);
  }
  state.counters["loss"] = loss_sum / static_cast<double>(seconds.size());
  state.counters["in_place"] = static_cast<double>(report.rows.in_place);
  state.counters["by_messages"] = static_cast<double>(report.rows.remote + report.sampled.remote);
  state.counters["scale"] = glt_bench::graph_scale();
}

template <bool Kept>
void by_threads(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"threads", "kept"})->Args({1, Kept})->Args({2, Kept});
  bench->Iterations(10)->UseRealTime()->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);
}

BENCHMARK(train_step<sage_network>)->Name("train_step/sage")->Apply(by_threads<false>);
BENCHMARK(train_step<gat_network>)->Name("train_step/gat")->Apply(by_threads<false>);
BENCHMARK(train_step<rgcn_network>)->Name("train_step/rgcn")->Apply(by_threads<false>);
BENCHMARK(train_step<sage_network>)->Name("train_step/sage")->Apply(by_threads<true>);
BENCHMARK(train_step<gat_network>)->Name("train_step/gat")->Apply(by_threads<true>);
BENCHMARK(train_step<rgcn_network>)->Name("train_step/rgcn")->Apply(by_threads<true>);
BENCHMARK(train_step_of_ranks)->Iterations(10)->UseManualTime()->Unit(benchmark::kMillisecond);

} // namespace
