// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Returns the numbers 0 … n − 1 in an order that depends only on n and the key; all orders are equally likely.
///
/// One thread of the host shuffles; the result is in memory of `Policy`.
///
/// @shape  → [n]
/// @throws precondition_error  if n is negative or does not fit `Vertex`
/// @cost   O(n)
/// @source Knuth, TAOCP vol. 2, 3.4.2, algorithm P, built from its front
template <vertex_id Vertex = local_id, device_policy Policy = device::cpu>
[[nodiscard]] buffer<Policy, Vertex> make_random_permutation(std::int64_t n, random_key key, Policy policy = {}) {
  static_cast<void>(narrow<Vertex>(n, "length of a permutation"));
  buffer<device::cpu, Vertex> order(n);
  random_stream draws(key, 0);
  for (std::int64_t i = 0; i < n; ++i) {
    auto const place = static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(i) + 1));
    order[i] = static_cast<Vertex>(i);
    order[i] = order[place];
    order[place] = static_cast<Vertex>(i);
  }
  if constexpr (std::is_same_v<Policy, device::cpu>) {
    return order;
  } else {
    return make_buffer(order, policy);
  }
}

/// Places of edges in rows, for edges that come in any order: first count all edges, then place each.
///
/// It needs one offset a row, and no memory for edges.
class row_places {
public:
  explicit row_places(std::int64_t num_rows) : offsets_(num_rows + 1) { std::ranges::fill(offsets_, 0); }

  /// @pre    the row exists; not checked (likewise `place`)
  void count(std::int64_t row) noexcept { ++offsets_[row + 1]; }
  /// Ends the counting and returns the number of edges.
  std::int64_t finish_counting() noexcept {
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
    return offsets_[offsets_.size() - 1];
  }
  /// Returns the next free place of a row.
  [[nodiscard]] edge_offset place(std::int64_t row) noexcept { return offsets_[row]++; }
  /// Returns the offsets of the rows after all edges were placed.
  ///
  /// @shape  → [num_rows + 1]
  [[nodiscard]] buffer<device::cpu, edge_offset> offsets() && {
    std::shift_right(offsets_.begin(), offsets_.end(), 1); // `place` moved the start of every row to its end
    offsets_[0] = 0;
    return std::move(offsets_);
  }

private:
  buffer<device::cpu, edge_offset> offsets_;
};

/// Values of edges, a number of bytes each, in the order of the edges.
struct edge_bytes {
  std::byte* data;
  std::int64_t bytes; ///< of an edge
};

/// Puts the edges of every row in order of (time, id), with their values; without times in order of their ids.
///
/// @shape  offsets [rows + 1] · columns, ids [E] · times [E], which may be one of the values, or empty · values: arrays
///         of E values each
/// @cost   O(E) for rows that are in order, else O(E log E); beside the arrays 32 bytes an edge of the longest row
inline void sort_rows(host_view<edge_offset const> offsets, host_view<global_id> columns, host_view<edge_id> ids,
                      host_view<std::int64_t const> times = {}, std::span<edge_bytes const> values = {}) {
  auto const key_of = [&](edge_offset e) { return std::pair(times.empty() ? 0 : times[e], ids[e]); };
  struct place {
    std::pair<std::int64_t, edge_id> key;
    global_id column;
    std::int64_t from;
  };
  std::vector<place> row;
  std::vector<std::byte> moved;
  for (std::int64_t r = 0; r + 1 < offsets.size(); ++r) {
    auto const begin = offsets[r];
    auto const end = offsets[r + 1];
    auto next = begin + 1;
    while (next < end && key_of(next - 1) <= key_of(next)) {
      ++next;
    }
    if (next >= end) {
      continue; // the row is in order
    }
    row.clear();
    for (auto e = begin; e < end; ++e) {
      row.push_back({key_of(e), columns[e], e});
    }
    std::ranges::sort(row, {}, [](place const& p) { return std::tie(p.key, p.column, p.from); });
    for (std::int64_t i = 0; i < end - begin; ++i) {
      ids[begin + i] = row[static_cast<std::size_t>(i)].key.second;
      columns[begin + i] = row[static_cast<std::size_t>(i)].column;
    }
    for (auto const& [data, bytes] : values) {
      auto const size = static_cast<std::size_t>(bytes);
      moved.resize(row.size() * size);
      for (std::size_t i = 0; i < row.size(); ++i) {
        copy_bytes(moved.data() + i * size, data + row[i].from * bytes, bytes);
      }
      copy_bytes(data + begin * bytes, moved.data(), std::ssize(moved));
    }
  }
}

} // namespace glt::detail
