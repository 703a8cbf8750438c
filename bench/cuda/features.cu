// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathering from two memories: a part of the rows in the GPU's, the others in place from pinned memory.
#include "support/gpu_rows.hpp"

#include <glt/feature/feature_store.hpp>
#include <glt/feature/gather.hpp>
#include <glt/feature/tier/tiered_store.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

using glt_bench::gpu;
using glt_bench::gpu_pinned;
using glt_bench::row_columns;

int main(int argc, char** argv) {
  return glt_bench::run(argc, argv, [](glt_bench::report& report) {
    glt_bench::row_gather rows(report);
    auto const num_rows = rows.num_rows;
    glt::feature_view<glt::memory_space::host, float> const table{{rows.values.data(), num_rows, row_columns}};
    std::vector<glt::local_id> ranking(static_cast<std::size_t>(num_rows)); // rows are asked for at random: any will do
    std::iota(ranking.begin(), ranking.end(), 0);
    auto const ex = rows.policy.executor();
    auto const count = static_cast<double>(rows.ids.size());
    constexpr double row_bytes = glt_bench::row_gather::row_bytes;

    for (double const ratio : {0.0, 0.25, 0.5, 0.75, 0.9, 1.0}) {
      glt::tiered_store<gpu, gpu_pinned, float> const store(table, ranking, {.ratio = ratio}, rows.policy, rows.pinned);
      auto const view = store.view();
      char name[32];
      std::snprintf(name, sizeof name, "tiered/hot:%.2f", ratio);
      auto const gather = [&] { glt::gather_rows(ex, view, rows.ids.view(), rows.result()); };
      gather();
      rows.require_result(name);
      auto const cold = count * (1 - glt::detail::count_hits(ex, view, rows.ids.view()).ratio());
      // All results are written to the GPU's memory, and hot rows are read from it, while cold ones come over the link.
      auto const least = std::max(cold * row_bytes / rows.link, (2 * count - cold) * row_bytes / rows.copied);
      auto const seconds = glt_bench::seconds_per_call(rows.policy, gather);
      report.add(name, count / seconds, "rows/s", count / least, "both memories at their full speed");
    }
  });
}
