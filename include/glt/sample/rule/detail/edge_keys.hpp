// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/detail/exponential.hpp>
#include <glt/core/detail/heap.hpp>
#include <glt/core/random.hpp>
#include <glt/sample/rule/weights.hpp>

namespace glt::detail {

// Edge with its arrival time, if edges arrive at the rates of their weights.
struct keyed_edge {
  double key;
  std::int64_t position;
};

struct arrives_earlier {
  GLT_HOST_DEVICE constexpr bool operator()(keyed_edge a, keyed_edge b) const noexcept {
    return a.key < b.key || (a.key == b.key && a.position < b.position);
  }
};

// Keys of a row, which are cheaper to compute again than to store. A key is one division of two exact conversions: the
// same bits on all machines with IEEE 754 doubles.
template <memory_space Space>
struct edge_keys {
  random_stream stream;
  edge_weights<Space> row;

  [[nodiscard]] GLT_HOST_DEVICE constexpr keyed_edge key(std::int64_t position, std::uint64_t word) const noexcept {
    return {static_cast<double>(minus_log2(word)) / static_cast<double>(row[position]), position};
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr keyed_edge operator()(std::int64_t position) const noexcept {
    auto const pair = word_pair(stream, static_cast<std::uint64_t>(position / 2));
    return key(position, pair[static_cast<std::size_t>(position % 2)]);
  }
};

// Heap of the first edges to arrive so far, for few edges: beside `out`, with their keys.
template <memory_space Space, class Position>
struct heap_with_keys {
  static constexpr std::int64_t capacity = 32;
  edge_keys<Space> keys;
  Position* out;
  keyed_edge edges[capacity] = {};

  GLT_HOST_DEVICE constexpr void order(std::int64_t size) noexcept {
    for (std::int64_t i = 0; i < size; ++i) {
      edges[i] = keys(out[i]);
    }
    make_heap(edges, size, arrives_earlier{});
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr double latest() const noexcept { return edges[0].key; }
  GLT_HOST_DEVICE constexpr void replace_latest(std::int64_t size, keyed_edge edge) noexcept {
    edges[0] = edge;
    sift_down(edges, size, 0, arrives_earlier{});
  }
  GLT_HOST_DEVICE constexpr void sort(std::int64_t size) noexcept {
    heap_sort(edges, size, arrives_earlier{});
    for (std::int64_t i = 0; i < size; ++i) {
      out[i] = static_cast<Position>(edges[i].position);
    }
  }
};

// Heap of the first edges to arrive so far, for any number: in `out`; comparisons compute keys again.
template <memory_space Space, class Position>
struct heap_without_keys {
  edge_keys<Space> keys;
  Position* out;
  double latest_key = 0;

  GLT_HOST_DEVICE constexpr bool operator()(Position a, Position b) const noexcept {
    return arrives_earlier{}(keys(a), keys(b));
  }
  GLT_HOST_DEVICE constexpr void order(std::int64_t size) noexcept {
    make_heap(out, size, *this);
    latest_key = keys(out[0]).key;
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr double latest() const noexcept { return latest_key; }
  GLT_HOST_DEVICE constexpr void replace_latest(std::int64_t size, keyed_edge edge) noexcept {
    out[0] = static_cast<Position>(edge.position);
    sift_down(out, size, 0, *this);
    latest_key = keys(out[0]).key;
  }
  GLT_HOST_DEVICE constexpr void sort(std::int64_t size) noexcept { heap_sort(out, size, *this); }
};

} // namespace glt::detail
