// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/processor.hpp>
#include <glt/graph/csr.hpp>

namespace glt::detail {

/// Calls f(row_at(i)) for i from 0 to count − 1, and prefetches rows and the labels of their neighbours.
///
/// @shape  labels [columns], which f may change
template <class Vertex, class Label, class RowAt, class F>
void visit_rows(csr_view<memory_space::host, Vertex> rows, Label const* labels, std::int64_t count, RowAt row_at, F f) {
  // Prefetch distances in rows: `ahead` for the labels of the neighbours, twice that for the row, three times for its
  // offset.
  constexpr std::int64_t ahead = 8;
  // A longer row hides its memory latency itself.
  constexpr std::int64_t edges_ahead = 64;
  for (std::int64_t i = 0; i < count; ++i) {
    if (i + 3 * ahead < count) {
      prefetch(rows.offsets().data() + row_at(i + 3 * ahead));
    }
    if (i + 2 * ahead < count) {
      prefetch(rows.sources().data() + rows.offset(row_at(i + 2 * ahead)));
    }
    if (i + ahead < count) {
      auto const row = rows.row(row_at(i + ahead));
      for (auto const u : row.subview(0, std::min(row.size(), edges_ahead))) {
        prefetch(labels + u);
      }
    }
    f(row_at(i));
  }
}

} // namespace glt::detail
