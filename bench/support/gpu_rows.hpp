// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gpu.hpp"

#include <glt/core/random.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/buffer.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace glt_bench {

inline constexpr std::int64_t row_columns = 128;

/// 2^(scale + 2) rows of 128 float32 columns, 2 GiB at scale 20, with values that tell row and column.
inline glt::buffer<cpu, float> table_rows() {
  return feature_values(std::int64_t{4} << graph_scale(), row_columns);
}

/// 2^scale random rows of the table, some of them more than once.
inline std::vector<glt::local_id> random_rows() {
  auto const rows = std::int64_t{4} << graph_scale();
  std::vector<glt::local_id> ids(std::size_t{1} << graph_scale());
  glt::random_stream draws(glt::random_key(7), 0);
  for (auto& id : ids) {
    id = static_cast<glt::local_id>(draws.below(static_cast<std::uint64_t>(rows)));
  }
  return ids;
}

/// Gathered rows are those of the table.
inline void require_rows(gpu const& policy, glt::array_view<gpu::space, float const> gathered,
                         std::vector<glt::local_id> const& ids, std::string const& what) {
  auto const values = glt::to_vector(policy, gathered);
  bool correct = values.size() == ids.size() * static_cast<std::size_t>(row_columns);
  for (std::size_t i = 0; correct && i < values.size(); ++i) {
    auto const place = std::int64_t{ids[i / row_columns]} * row_columns + static_cast<std::int64_t>(i % row_columns);
    correct = values[i] == static_cast<float>(place % 1021); // as feature_values has them
  }
  require(correct, what);
}

/// Bytes a second that a copy inside the GPU's memory reads and writes.
inline double copy_bandwidth(gpu const& policy) {
  auto const bytes = std::size_t{1} << (graph_scale() + 10);
  glt::buffer<gpu, std::uint8_t> from(static_cast<std::int64_t>(bytes), policy);
  glt::buffer<gpu, std::uint8_t> to(static_cast<std::int64_t>(bytes), policy);
  auto const resource = policy.resource();
  return 2.0 * static_cast<double>(bytes) /
         seconds_per_call(policy, [&] { resource.copy(to.data(), from.data(), bytes); });
}

/// Bytes a second that a copy from pinned memory to the GPU's moves.
inline double link_bandwidth(gpu const& policy, gpu_pinned const& pinned) {
  auto const bytes = std::size_t{1} << (graph_scale() + 9);
  glt::buffer<gpu_pinned, std::uint8_t> from(static_cast<std::int64_t>(bytes), pinned);
  glt::buffer<gpu, std::uint8_t> to(static_cast<std::int64_t>(bytes), policy);
  auto const resource = policy.resource();
  return static_cast<double>(bytes) / seconds_per_call(policy, [&] { resource.copy(to.data(), from.data(), bytes); });
}

/// Rows to gather to the GPU's memory, and what bounds it, which is reported first.
struct row_gather {
  static constexpr double row_bytes = row_columns * sizeof(float);

  gpu policy{};
  gpu_pinned pinned{};
  double copied; ///< as `copy_bandwidth`
  double link;   ///< as `link_bandwidth`
  glt::buffer<cpu, float> values = table_rows();
  std::int64_t num_rows = values.size() / row_columns;
  std::vector<glt::local_id> listed = random_rows();
  glt::buffer<gpu, glt::local_id> ids = glt::make_buffer<gpu>(listed, policy);
  glt::buffer<gpu, float> out{ids.size() * row_columns, policy};

  explicit row_gather(report& to) : copied(copy_bandwidth(policy)), link(link_bandwidth(policy, pinned)) {
    to.add("copy/device", copied, "bytes/s");
    to.add("copy/pinned_to_device", link, "bytes/s");
  }

  [[nodiscard]] glt::matrix_view<gpu::space, float> result() { return {out.data(), ids.size(), row_columns}; }
  /// Gathered rows are those of the table.
  void require_result(std::string const& what) const { require_rows(policy, out.view(), listed, what); }
};

} // namespace glt_bench
