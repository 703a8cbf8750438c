// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/arithmetic.hpp>
#include <glt/core/detail/ordering.hpp>
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
template <class Weights>
struct edge_keys {
  random_stream stream;
  Weights row;

  [[nodiscard]] GLT_HOST_DEVICE constexpr keyed_edge key(std::int64_t position, std::uint64_t word) const noexcept {
    return {static_cast<double>(minus_log2(word)) / static_cast<double>(row[position]), position};
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr keyed_edge operator()(std::int64_t position) const noexcept {
    auto const pair = word_pair(stream, static_cast<std::uint64_t>(position / 2));
    return key(position, pair[static_cast<std::size_t>(position % 2)]);
  }
};

// Heap of the first edges to arrive so far, for few edges: beside `out`, with their keys.
template <class Weights, class Position>
struct heap_with_keys {
  static constexpr std::int64_t capacity = 32;
  edge_keys<Weights> keys;
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
template <class Weights, class Position>
struct heap_without_keys {
  edge_keys<Weights> keys;
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

template <class Position>
[[nodiscard]] GLT_HOST_DEVICE constexpr bool contains(Position const* values, std::int64_t size,
                                                      std::int64_t value) noexcept {
  bool found = false;
  for (std::int64_t i = 0; i < size; ++i) {
    found |= values[i] == static_cast<Position>(value);
  }
  return found;
}

// Factor that makes a bound a little larger, so that rounding never skips an edge that arrives earlier.
inline constexpr double above_rounding = 1.000001;

// Continues with the edges from `next` on; the first `size` edges are in the heap's `out`.
template <class Heap, class Position>
GLT_HOST_DEVICE constexpr void keep_smallest_keys(Heap heap, std::int64_t next, std::int64_t size,
                                                  Position const* taken, std::int64_t num_taken) noexcept {
  auto const keys = heap.keys;
  auto const degree = keys.row.size();
  heap.order(size);
  double limit = heap.latest() * above_rounding;
  for (std::int64_t pair = next / 2; 2 * pair < degree; ++pair) {
    auto const words = word_pair(keys.stream, static_cast<std::uint64_t>(pair));
    for (std::int64_t p = next; p < degree && p / 2 == pair; ++p) {
      auto const word = words[static_cast<std::size_t>(p % 2)];
      next = p + 1;
      double const weight = static_cast<double>(keys.row[p]);
      if (!(weight > 0) || static_cast<double>(minus_log2_at_least(word)) > limit * weight) {
        continue;
      }
      auto const edge = keys.key(p, word);
      if (edge.key < heap.latest() && !contains(taken, num_taken, p)) {
        heap.replace_latest(size, edge);
        limit = heap.latest() * above_rounding;
      }
    }
  }
  heap.sort(size);
}

/// Picks edges of a row without replacement: each next edge in proportion to its weight among the edges not yet picked.
///
/// Edge p arrives at time variate(p) / weight(p), with an exponential variate that depends on the stream and p alone.
/// The picks are the first to arrive, in that order; if all edges are picked, they are in row order. Edges that were
/// picked before by other means may be skipped: later arrivals are drawn as if these had been picked here.
///
/// @shape  row [degree] · out [count]; the first `taken` are read, the others written
/// @pre    the row has `count` edges of positive weight, and degree fits `Position`; not checked
/// @cost   O(degree + picks · log(picks) · log(degree / picks)) expected; up to 32 picks one variate an edge,
///         for more the variates are computed again in each comparison; O(taken) for each edge considered; no
///         memory beside out
/// @source Efraimidis & Spirakis, "Weighted random sampling with a reservoir", Information Processing Letters
///         97(5), 2006, with logarithms of the keys
template <class Weights, class Position>
GLT_HOST_DEVICE constexpr void pick_smallest_keys(random_stream const& stream, Weights row, std::int64_t taken,
                                                  std::int64_t count, Position* out) noexcept {
  std::int64_t filled = taken;
  std::int64_t next = 0;
  for (; next < row.size(); ++next) {
    if (row[next] > 0 && !contains(out, taken, next)) {
      if (filled == count) {
        break;
      }
      out[filled++] = static_cast<Position>(next);
    }
  }
  std::int64_t const size = count - taken;
  if (next == row.size() || size == 0) {
    return;
  }
  edge_keys<Weights> const keys{stream, row};
  if (size <= heap_with_keys<Weights, Position>::capacity) {
    heap_with_keys<Weights, Position> const heap{keys, out + taken};
    keep_smallest_keys(heap, next, size, out, taken);
  } else {
    heap_without_keys<Weights, Position> const heap{keys, out + taken};
    keep_smallest_keys(heap, next, size, out, taken);
  }
}

/// Picks as `pick_smallest_keys` if nothing was taken before, by a team (exec/detail/team.hpp). Lanes compare the keys
/// with the latest key that is kept, and lane 0 keeps earlier ones.
template <class Position, class Team, class Heap>
GLT_HOST_DEVICE constexpr void keep_smallest_keys_by(Team const& team, Heap heap, std::int64_t count) {
  auto const keys = heap.keys;
  std::int64_t next = 0;
  double limit = 0;
  team.once([&] {
    for (std::int64_t filled = 0; next < keys.row.size(); ++next) {
      if (keys.row[next] > 0) {
        if (filled == count) {
          heap.order(count);
          limit = heap.latest() * above_rounding;
          break;
        }
        heap.out[filled++] = static_cast<Position>(next);
      }
    }
  });
  next = team.broadcast(next);
  limit = team.broadcast(limit);
  if (next == keys.row.size()) {
    return; // all edges are picked: row order
  }
  auto const may_arrive = [&](double bound, std::int64_t p) {
    auto const pair = word_pair(keys.stream, static_cast<std::uint64_t>(p / 2));
    double const weight = static_cast<double>(keys.row[p]);
    return weight > 0 && !(static_cast<double>(minus_log2_at_least(p % 2 != 0 ? pair[1] : pair[0])) > bound * weight);
  };
  team.visit_if(next, keys.row.size(), limit, may_arrive, [&](double& bound, std::int64_t p) {
    if (auto const edge = keys(p); edge.key < heap.latest()) {
      heap.replace_latest(count, edge);
      bound = heap.latest() * above_rounding;
    }
  });
  team.once([&] { heap.sort(count); });
}

/// Picks as `pick_smallest_keys` if nothing was taken before, by a team.
///
/// @pre    the row has `count` edges of positive weight, and count is above 0; not checked
template <class Team, class Weights, class Position>
GLT_HOST_DEVICE constexpr void pick_smallest_keys_by(Team const& team, random_stream const& stream, Weights row,
                                                     std::int64_t count, Position* out) {
  edge_keys<Weights> const keys{stream, row};
  if (count <= heap_with_keys<Weights, Position>::capacity) {
    keep_smallest_keys_by<Position>(team, heap_with_keys<Weights, Position>{keys, out}, count);
  } else {
    keep_smallest_keys_by<Position>(team, heap_without_keys<Weights, Position>{keys, out}, count);
  }
}

} // namespace glt::detail
