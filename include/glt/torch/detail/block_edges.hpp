// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/detail/shard.hpp>
#include <glt/dist/full_batch/detail/strided_rows.hpp>
#include <glt/memory/memory.hpp>

#include <ATen/Parallel.h>
#include <torch/types.h>

namespace glt::detail {

/// Executor that divides loops over the threads of LibTorch; the rest runs in the calling thread.
struct torch_threads : exec::sequential {
  template <class F>
  void for_each(std::int64_t n, F f) const {
    for_ranges(n, 64, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        f(i);
      }
    });
  }

  template <class F>
  void for_ranges(std::int64_t n, std::int64_t smallest, F f) const {
    // Ranges much smaller than a thread's share even out rows of very different cost.
    auto const threads = std::int64_t{at::get_num_threads()};
    auto const size = std::max({smallest, n / (16 * threads), std::int64_t{1}});
    std::atomic<std::int64_t> next{0};
    at::parallel_for(0, std::min(threads, (n + size - 1) / size), 1, [&](std::int64_t, std::int64_t) {
      for (auto first = next.fetch_add(size); first < n; first = next.fetch_add(size)) {
        f(first, std::min(n, first + size));
      }
    });
  }
};

/// Ordinary memory, on which the threads of LibTorch work.
struct torch_cpu {
  static constexpr memory_space space = memory_space::host;
  [[nodiscard]] host_resource resource() const noexcept { return {}; }
  [[nodiscard]] torch_threads executor() const noexcept { return {}; }
};

/// Returns the rows of a contiguous tensor [n, F].
template <class T>
[[nodiscard]] strided_rows<T> strided_over(at::Tensor const& tensor) {
  return {tensor.data_ptr<std::remove_const_t<T>>(), tensor.size(1)};
}

/// Edges in rows as tensors, which a shard borrows.
struct edges_by_row {
  at::Tensor numbers; // 0, 1, … of rows and of edges
  at::Tensor offsets; // [rows + 1], from 0
  at::Tensor columns; // [E]
  at::Tensor edges;   // [E], positions in the block
  std::int64_t num_columns;

  [[nodiscard]] std::int64_t num_rows() const { return offsets.numel() - 1; }
  [[nodiscard]] std::int64_t num_edges() const { return columns.numel(); }
  [[nodiscard]] shard_view<memory_space::host> shard() const {
    return {.num_rows = num_rows(),
            .num_columns = num_columns,
            .num_edges = num_edges(),
            .rows = {numbers.data_ptr<local_id>(), num_rows()},
            .offsets = {offsets.data_ptr<edge_offset>(), num_rows() + 1},
            .columns = {columns.data_ptr<local_id>(), num_edges()},
            .edges = {edges.data_ptr<local_id>(), num_edges()}};
  }
};

/// Edges of a block, whose rows are destinations. A row without edges is a row, too.
class block_edges {
public:
  /// @shape  offsets [D + 1] · row [E]
  /// @units  the edges of destination d begin at offsets[d] − offsets[0]
  block_edges(at::Tensor const& offsets, at::Tensor const& row, std::int64_t num_sources) {
    auto const numbers = at::arange(std::max({offsets.numel() - 1, row.numel(), num_sources}), at::kInt);
    rows_ = {numbers, offsets - offsets.data_ptr<edge_offset>()[0], row, numbers.narrow(0, 0, row.numel()),
             num_sources};
  }

  [[nodiscard]] std::int64_t num_destinations() const { return rows_.num_rows(); }
  [[nodiscard]] std::int64_t num_sources() const { return rows_.num_columns; }
  [[nodiscard]] std::int64_t num_edges() const { return rows_.num_edges(); }
  [[nodiscard]] shard_view<memory_space::host> shard() const { return rows_.shard(); }
  /// Returns the number of edges of each destination, for means.
  [[nodiscard]] at::Tensor degrees() const { return rows_.offsets.diff().to(at::kInt); }

  /// Returns the edges by source, and by destination of a source; writes the place of each edge there to `places`.
  [[nodiscard]] edges_by_row transposed(local_id* places = nullptr) const {
    auto const ends = at::zeros({num_sources() + 2}, at::kLong);
    auto const columns = at::empty({num_edges()}, at::kInt);
    auto const edges = at::empty({num_edges()}, at::kInt);
    auto const from = shard();
    auto* const next = ends.data_ptr<edge_offset>() + 1; // of source s at s; at the end, offset s + 1
    for (auto const source : from.columns) {
      ++next[source + 1];
    }
    for (std::int64_t s = 0; s < num_sources(); ++s) {
      next[s + 1] += next[s];
    }
    for (std::int64_t d = 0; d < num_destinations(); ++d) {
      for (auto e = from.offsets[d]; e < from.offsets[d + 1]; ++e) {
        auto const place = next[from.columns[e]]++;
        columns.data_ptr<local_id>()[place] = static_cast<local_id>(d);
        edges.data_ptr<local_id>()[place] = static_cast<local_id>(e);
        if (places != nullptr) {
          places[e] = static_cast<local_id>(place);
        }
      }
    }
    return {rows_.numbers, ends.narrow(0, 0, num_sources() + 1), columns, edges, num_destinations()};
  }

private:
  edges_by_row rows_;
};

} // namespace glt::detail
