// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An edge list into rows, and random walks, on R-MAT.
#include "support/gpu.hpp"

#include <glt/graph/convert.hpp>
#include <glt/graph/coo.hpp>
#include <glt/graph/csr.hpp>
#include <glt/graph/generators.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/walk/random_walk.hpp>
#include <glt/sample/walk/walks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using glt_bench::cpu;
using glt_bench::gpu;

namespace {

template <class OfGpu, class OfCpu>
bool same(gpu const& policy, OfGpu of_gpu, OfCpu of_cpu) {
  return std::ranges::equal(glt::to_vector(policy, of_gpu), of_cpu);
}

void measure_conversion(glt_bench::report& report, gpu const& policy) {
  auto const drawn = glt::make_rmat<glt::local_id>({.scale = glt_bench::graph_scale(), .edge_factor = 16});
  auto const edges = drawn.view();
  glt::coo_graph<gpu> const on_gpu(edges.num_vertices(), glt::make_buffer<gpu>(edges.sources(), policy),
                                   glt::make_buffer<gpu>(edges.destinations(), policy));
  for (bool const edge_ids : {false, true}) {
    char const* const name = edge_ids ? "make_csr/edge_ids" : "make_csr";
    glt::csr_options const options{.edge_ids = edge_ids};
    {
      auto const made = glt::make_csr<gpu>(on_gpu.view(), options, policy);
      auto const expected = glt::make_csr<cpu>(edges, options);
      auto const graph = made.view();
      glt_bench::require(same(policy, graph.offsets(), expected.view().offsets()) &&
                             same(policy, graph.sources(), expected.view().sources()) &&
                             same(policy, graph.edge_ids(), expected.view().edge_ids()),
                         name);
    }
    auto const seconds = glt_bench::seconds_per_call(
        policy, [&] { static_cast<void>(glt::make_csr<gpu>(on_gpu.view(), options, policy)); });
    report.add(name, static_cast<double>(edges.num_edges()) / seconds, "edges/s");
  }
}

void measure_walks(glt_bench::report& report, gpu const& policy) {
  constexpr std::int64_t length = 80;
  auto const whole = glt_bench::rmat_graph().view();
  auto const connected = glt_bench::connected_vertices(whole);
  auto const num_starts = static_cast<std::int64_t>(connected.size()) / 2;
  auto const starts = glt_bench::batch_of(connected, num_starts, 0);
  auto const on_gpu = glt::copy<gpu>(whole, policy);
  auto const from = glt::make_buffer<gpu>(starts, policy);
  for (double const restart : {0.0, 0.15}) {
    char const* const name = restart > 0 ? "random_walk/restart" : "random_walk";
    glt::walk_options const options{.length = length, .restart = restart};
    glt::random_walker<gpu> const walker(on_gpu.view(), options, policy);
    glt::walks<gpu> out(policy);
    walker.walk(from.view(), {.seed = 1}, out);
    {
      glt::walks<cpu> expected;
      glt::random_walker<cpu>(whole, options).walk(starts, {.seed = 1}, expected);
      glt_bench::require(same(policy, out.vertices().flat(), expected.vertices().flat()), name);
    }
    std::int64_t step = 0;
    auto const seconds =
        glt_bench::seconds_per_call(policy, [&] { walker.walk(from.view(), {.seed = 1, .step = ++step}, out); });
    report.add(name, static_cast<double>(num_starts * length) / seconds, "steps/s");
  }
}

} // namespace

int main(int argc, char** argv) {
  return glt_bench::run(argc, argv, [](glt_bench::report& report) {
    gpu const policy;
    measure_conversion(report, policy);
    measure_walks(report, policy);
  });
}
