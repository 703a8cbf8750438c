// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathering from two memories: a part of the rows in the GPU's, the others in place from pinned memory.
#include "../support/gpu_rows.hpp"

#include <glt/feature/feature_store.hpp>
#include <glt/feature/tiered_store.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using glt_bench::gpu;
using glt_bench::gpu_pinned;
using glt_bench::row_columns;

int main(int argc, char** argv) {
  return glt_bench::run(argc, argv, [](glt_bench::report& report) {
    gpu const policy;
    gpu_pinned const pinned;
    auto const copied = glt_bench::copy_bandwidth(policy);
    report.add("copy/device", copied, "bytes/s");
    auto const link = glt_bench::link_bandwidth(policy, pinned);
    report.add("copy/pinned_to_device", link, "bytes/s");

    auto const values = glt_bench::table_rows();
    auto const num_rows = values.size() / row_columns;
    glt::feature_view<glt::memory_space::host, float> const table{{values.data(), num_rows, row_columns}};
    std::vector<glt::local_id> ranking(static_cast<std::size_t>(num_rows)); // rows are asked for at random: any will do
    std::iota(ranking.begin(), ranking.end(), 0);
    auto const listed = glt_bench::random_rows();
    auto const ids = glt::make_buffer<gpu>(listed, policy);
    auto const count = ids.size();
    glt::buffer<gpu, float> out(count * row_columns, policy);
    auto const ex = policy.executor();
    constexpr double row_bytes = row_columns * sizeof(float);

    for (double const ratio : {0.0, 0.25, 0.5, 0.75, 0.9, 1.0}) {
      glt::tiered_store<gpu, gpu_pinned, float> const store(table, ranking, {.ratio = ratio}, policy, pinned);
      auto const view = store.view();
      char name[32];
      std::snprintf(name, sizeof name, "tiered/hot:%.2f", ratio);
      auto const gather = [&] {
        glt::gather_rows(ex, view, ids.view(), glt::matrix_view<gpu::space, float>(out.data(), count, row_columns));
      };
      gather();
      glt_bench::require_rows(policy, std::as_const(out).view(), listed, name);
      auto const rows = static_cast<double>(count);
      auto const cold = rows * (1 - glt::count_hits(ex, view, ids.view()).ratio());
      // All results are written to the GPU's memory, and hot rows are read from it, while cold ones come over the link.
      auto const least = std::max(cold * row_bytes / link, (2 * rows - cold) * row_bytes / copied);
      auto const seconds = glt_bench::seconds_per_call(policy, gather);
      report.add(name, rows / seconds, "rows/s", rows / least, "both memories at their full speed");
    }
  });
}
