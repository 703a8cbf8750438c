// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uniform sampling with relabelling: W1 (R-MAT, fanouts 15, 10, 5), in small and in large batches, with the graph in
// the GPU's memory and read in place from pinned memory.
#include "support/gpu.hpp"

#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/neighbor_sampler.hpp>
#include <glt/sample/subgraph.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using glt_bench::gpu;
using glt_bench::gpu_pinned;

namespace {

constexpr std::int64_t num_batches = 8;

glt::neighbor_options const options{.fanouts = {15, 10, 5}};

/// What was sampled is, element by element, what the CPU samples.
void require_sample(gpu const& policy, std::vector<glt::local_id> const& seeds, std::string const& name,
                    glt::sampled_subgraph<gpu> const& sample) {
  glt::neighbor_sampler<glt_bench::cpu> reference(glt_bench::rmat_graph().view(), options);
  glt::sampled_subgraph<glt_bench::cpu> expected;
  reference.sample(seeds, {.seed = 1, .step = 0}, expected);
  auto const same = [&](auto of_gpu, auto of_cpu) {
    return std::ranges::equal(glt::to_vector(policy, of_gpu), of_cpu);
  };
  glt_bench::require(same(sample.nodes(), expected.nodes()) && same(sample.row(), expected.row()) &&
                         same(sample.col(), expected.col()),
                     name);
}

template <class Graph>
void measure(glt_bench::report& report, std::string const& where, gpu const& policy, Graph const& graph,
             std::int64_t batch_size) {
  auto const connected = glt_bench::connected_vertices(glt_bench::rmat_graph().view());
  auto const size = std::min(batch_size, static_cast<std::int64_t>(connected.size()) / 2); // of graphs to try it out on
  std::vector<glt::buffer<gpu, glt::local_id>> batches;
  for (std::int64_t step = 0; step < num_batches; ++step) {
    batches.push_back(glt::make_buffer<gpu>(glt_bench::batch_of(connected, size, step), policy));
  }
  auto const name = "sample/" + where + "/batch:" + std::to_string(batch_size);
  glt::neighbor_sampler<gpu, glt::local_id, glt::uniform_rule, Graph::space> sampler(graph, options, policy);
  glt::sampled_subgraph<gpu> out;
  auto const sample = [&](std::int64_t step) {
    sampler.sample(batches[static_cast<std::size_t>(step)].view(), {.seed = 1, .step = step}, out);
  };
  sample(0);
  require_sample(policy, glt_bench::batch_of(connected, size, 0), name, out);
  std::int64_t edges = 0;
  std::int64_t step = 0;
  for (; step < num_batches; ++step) { // takes its memory
    sample(step);
    edges += out.row().size();
  }
  auto const seconds = glt_bench::seconds_per_call(policy, [&] { sample(step++ % num_batches); });
  auto const per_batch = static_cast<double>(edges) / static_cast<double>(num_batches);
  report.add(name, per_batch / seconds, "edges/s");
  report.add(name + "/batches", 1 / seconds, "batches/s");
}

} // namespace

int main(int argc, char** argv) {
  return glt_bench::run(argc, argv, [](glt_bench::report& report) {
    gpu const policy;
    auto const on_gpu = glt::copy<gpu>(glt_bench::rmat_graph().view(), policy);
    auto const pinned = glt::copy<gpu_pinned>(glt_bench::rmat_graph().view());
    for (std::int64_t const batch_size : {1024, 65536}) {
      measure(report, "device", policy, on_gpu.view(), batch_size);
      measure(report, "zero_copy", policy, pinned.view(), batch_size);
    }
  });
}
