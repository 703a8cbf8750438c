// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples a batch and gathers its features; where bytes live and who works on them is one template argument.
#include <glt/glt.hpp>
#include <glt/thrust/emulated.hpp>

#if defined(__CUDACC__)
#include <glt/cuda/policy.hpp>
#endif

#include <cstdint>
#include <iostream>
#include <numeric>
#include <utility>
#include <vector>

struct result {
  std::vector<glt::local_id> nodes;
  std::vector<float> features;
  bool operator==(result const&) const = default;
};

template <class Policy>
result load_batch(Policy policy = {}) {
  auto const edges = glt::make_rmat<glt::local_id>({.scale = 12, .edge_factor = 8});
  auto const graph = glt::copy<Policy>(glt::make_csr<glt::device::cpu>(edges.view()).view(), policy);
  std::vector<float> values(std::size_t{16} << 12);
  std::iota(values.begin(), values.end(), 0.0F);
  glt::feature_store<Policy, float> const features(1 << 12, 16, glt::make_buffer<Policy>(values, policy));

  glt::neighbor_sampler<Policy> sampler(graph.view(), {.fanouts = {15, 10}}, policy);
  auto const seeds = glt::make_buffer<Policy>(std::vector<glt::local_id>{0, 1, 2, 3}, policy);
  glt::sampled_subgraph<Policy> batch;
  sampler.sample(seeds.view(), {.seed = 42}, batch);

  glt::buffer<Policy, float> rows(batch.nodes().size() * 16, policy);
  glt::gather_rows(policy.executor(), features.view(), batch.nodes(),
                   glt::matrix_view<Policy::space, float>(rows.data(), batch.nodes().size(), 16));
  return {glt::to_vector(policy, batch.nodes()), glt::to_vector(policy, std::as_const(rows).view())};
}

int main() {
  auto const on_cpu = load_batch<glt::device::cpu>();
  auto const emulated = load_batch<glt::device::emulated<>>();
  bool same = emulated == on_cpu && !on_cpu.nodes.empty();
#if defined(__CUDACC__)
  try {
    same = same && load_batch<glt::device::cuda>() == on_cpu;
  } catch (glt::cuda_error const& error) { // no GPU, and why
    std::cout << error.what() << '\n';
    return 77;
  }
#endif
  std::cout << on_cpu.nodes.size() << " vertices, " << (same ? "the same" : "not the same") << " on all policies\n";
  return same ? 0 : 1;
}
