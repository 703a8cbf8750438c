// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of 128 float32 columns, gathered from the GPU's memory and in place from pinned memory, beside a copy of the
// same kind in the same run.
#include "support/gpu_rows.hpp"

#include <glt/core/element_type.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/feature/gather.hpp>
#include <glt/memory/buffer.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt_bench::gpu;
using glt_bench::gpu_pinned;
using glt_bench::row_columns;

namespace {

/// Gathers with `call`, checks the result, and reports bytes of rows, `bytes_per_row` each.
template <class Call>
void measure(glt_bench::report& report, std::string const& name, glt_bench::row_gather& rows, double bytes_per_row,
             double bound, std::string const& of, Call call) {
  std::vector<float> const nothing(static_cast<std::size_t>(rows.out.size()), -1); // of what another one has left there
  glt::detail::copy_in(rows.policy, glt::host_view<float const>(nothing), rows.out.view());
  call();
  rows.require_result(name);
  auto const seconds = glt_bench::seconds_per_call(rows.policy, call);
  report.add(name, static_cast<double>(rows.ids.size()) * bytes_per_row / seconds, "bytes/s", bound, of);
}

} // namespace

int main(int argc, char** argv) {
  return glt_bench::run(argc, argv, [](glt_bench::report& report) {
    glt_bench::row_gather rows(report);
    auto const& policy = rows.policy;
    auto const& values = rows.values;
    auto const ids = std::as_const(rows.ids).view();
    auto const result = rows.result();
    auto const ex = policy.executor();
    constexpr double row_bytes = glt_bench::row_gather::row_bytes;

    {
      glt::feature_store<gpu, float> const table(rows.num_rows, row_columns, glt::make_buffer<gpu>(values, policy));
      measure(report, "gather/device", rows, 2 * row_bytes, rows.copied, "copy/device",
              [&] { glt::gather_rows(ex, table.view(), ids, result); });
    }
    {
      glt::feature_store<gpu_pinned, float> const table(rows.num_rows, row_columns,
                                                        glt::make_buffer<gpu_pinned>(values, rows.pinned));
      measure(report, "gather/zero_copy", rows, row_bytes, rows.link, "copy/pinned_to_device",
              [&] { glt::gather_rows(ex, table.view(), ids, result); });
    }
    {
      std::vector<glt::float16> halves(static_cast<std::size_t>(values.size()));
      for (std::size_t i = 0; i < halves.size(); ++i) {
        halves[i] = glt::float16(values[static_cast<std::int64_t>(i)]); // up to 1020: exact
      }
      glt::feature_store<gpu, glt::float16> const table(rows.num_rows, row_columns,
                                                        glt::make_buffer<gpu>(halves, policy));
      measure(report, "gather/device_float16_to_float32", rows, 1.5 * row_bytes, rows.copied, "copy/device",
              [&] { glt::gather_rows(ex, table.view(), ids, result); });
    }
  });
}
