// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/memory/memory.hpp>

namespace glt::detail {

/// Borrowed compressed rows of some edges of a rank: edges from one peer, or edges within the rank.
///
/// Only rows with edges are listed. Forward, rows are local destinations and columns are the peer's sources that they
/// need; transposed, rows and columns are swapped.
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  rows [n] in [0, num_rows), ascending · offsets [n + 1] · columns [E'] in [0, num_columns) · edges [E'],
///         positions in the graph's rows
/// @units  offsets count from the start of columns and edges, which may hold other shards, too
template <memory_space Space>
struct shard_view {
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  std::int64_t num_edges = 0; ///< of this shard
  array_view<Space, local_id const> rows;
  array_view<Space, edge_offset const> offsets;
  array_view<Space, local_id const> columns;
  array_view<Space, local_id const> edges;
};

/// Two numberings of the ends of an edge: by destination, and by slot. A slot is the number of the source among all
/// sources that a rank needs: local sources first, then the sources of each peer. Slots [begins[k], begins[k + 1]) make
/// shard k.
template <memory_space Space>
struct shard_ends {
  array_view<Space, local_id const> destinations; // [E]
  array_view<Space, local_id const> slots;        // [E]
  array_view<Space, std::int64_t const> begins;   // [K + 1], ascending
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t shard(std::int64_t edge) const {
    std::int64_t low = 0;
    std::int64_t high = begins.size() - 1;
    while (high - low > 1) {
      auto const middle = (low + high) / 2;
      (begins[middle] <= slots[edge] ? low : high) = middle;
    }
    return low;
  }
  [[nodiscard]] GLT_HOST_DEVICE local_id source(std::int64_t edge) const {
    return static_cast<local_id>(slots[edge] - begins[shard(edge)]);
  }
};

enum class shard_side { destination, source };

/// Returns an end of an edge as row or column of its shard.
template <shard_side Side, memory_space Space>
[[nodiscard]] GLT_HOST_DEVICE local_id end_of(shard_ends<Space> const& ends, std::int64_t edge) {
  if constexpr (Side == shard_side::destination) {
    return ends.destinations[edge];
  } else {
    return ends.source(edge);
  }
}

template <memory_space Space>
struct shard_key {
  shard_ends<Space> ends;
  array_view<Space, local_id> keys;
  array_view<Space, local_id> edges;
  GLT_HOST_DEVICE void operator()(std::int64_t e) const {
    keys[e] = static_cast<local_id>(ends.shard(e));
    edges[e] = static_cast<local_id>(e);
  }
};

template <memory_space Space>
struct slot_key {
  shard_ends<Space> ends;
  array_view<Space, local_id> keys;
  array_view<Space, local_id> edges;
  GLT_HOST_DEVICE void operator()(std::int64_t e) const {
    keys[e] = ends.slots[e];
    edges[e] = static_cast<local_id>(e);
  }
};

/// Functor that is true where a row of a shard begins.
template <shard_side Rows, memory_space Space>
struct begins_row {
  shard_ends<Space> ends;
  array_view<Space, local_id const> edges;
  GLT_HOST_DEVICE bool operator()(std::int64_t i) const {
    if (i == 0 || (Rows == shard_side::source && ends.slots[edges[i]] != ends.slots[edges[i - 1]])) {
      return true;
    }
    return Rows == shard_side::destination && (ends.destinations[edges[i]] != ends.destinations[edges[i - 1]] ||
                                               ends.shard(edges[i]) != ends.shard(edges[i - 1]));
  }
};

template <shard_side Rows, memory_space Space>
struct write_shard_rows {
  shard_ends<Space> ends;
  array_view<Space, local_id const> edges;
  array_view<Space, edge_offset const> offsets;
  array_view<Space, local_id> rows;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { rows[i] = end_of<Rows>(ends, edges[offsets[i]]); }
};

template <shard_side Columns, memory_space Space>
struct write_shard_columns {
  shard_ends<Space> ends;
  array_view<Space, local_id const> edges;
  array_view<Space, local_id> columns;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { columns[i] = end_of<Columns>(ends, edges[i]); }
};

/// Edges of a rank as one `shard_view` per peer, whose rows are the ends on one side.
template <device_policy Policy, shard_side Rows>
class shard_rows {
  static constexpr memory_space space = Policy::space;
  static constexpr auto Columns = Rows == shard_side::destination ? shard_side::source : shard_side::destination;

public:
  /// @shape  edges in ends are E, ascending by destination · begins [K + 1], equal to `ends.begins`
  /// @cost   O(E log K); 8 bytes an edge and 12 a row stay; the constructor needs about 20 more an edge
  shard_rows(Policy policy, shard_ends<space> ends, std::span<std::int64_t const> begins, std::int64_t num_destinations)
      : policy_(std::move(policy)), begins_(begins.begin(), begins.end()), num_destinations_(num_destinations),
        rows_(0, policy_), offsets_(0, policy_), columns_(ends.slots.size(), policy_),
        edges_(ends.slots.size(), policy_) {
    auto const ex = policy_.executor();
    auto const num_edges = edges_.size();
    {
      buffer<Policy, local_id> keys(num_edges, policy_);
      if constexpr (Rows == shard_side::destination) {
        ex.for_each(num_edges, shard_key<space>{ends, keys.view(), edges_.view()});
      } else {
        ex.for_each(num_edges, slot_key<space>{ends, keys.view(), edges_.view()});
      }
      if (Rows == shard_side::source || begins.size() > 2) {
        ex.sort_by_key(keys.view(), edges_.view());
      }
    }
    auto const edges = std::as_const(edges_).view();
    ex.for_each(num_edges, write_shard_columns<Columns, space>{ends, edges, columns_.view()});
    find_rows(ends);
    auto const shard_of_edge = [&](std::int64_t i) { return first_slot(ends, i); };
    edge_begins_ = places_of_shards(num_edges, shard_of_edge);
    auto const offset_of_row = [&](std::int64_t i) { return read_element(policy_, offsets_.view(), i); };
    for (auto const begin : edge_begins_) {
      row_begins_.push_back(lower_bound(rows_.size(), begin, offset_of_row));
    }
  }

  [[nodiscard]] std::int64_t size() const noexcept { return std::ssize(begins_) - 1; }

  [[nodiscard]] shard_view<space> shard(std::int64_t k) const {
    auto const i = static_cast<std::size_t>(k);
    auto const num_sources = begins_[i + 1] - begins_[i];
    bool const by_destination = Rows == shard_side::destination;
    auto const count = row_begins_[i + 1] - row_begins_[i];
    return {.num_rows = by_destination ? num_destinations_ : num_sources,
            .num_columns = by_destination ? num_sources : num_destinations_,
            .num_edges = edge_begins_[i + 1] - edge_begins_[i],
            .rows = rows_.view().subview(row_begins_[i], count),
            .offsets = offsets_.view().subview(row_begins_[i], count + 1),
            .columns = columns_.view(),
            .edges = edges_.view()};
  }

private:
  void find_rows(shard_ends<space> ends) {
    auto const ex = policy_.executor();
    auto const edges = std::as_const(edges_).view();
    buffer<Policy, edge_offset> starts(edges.size() + 1, policy_);
    auto const count = ex.select_if(edges.size(), begins_row<Rows, space>{ends, edges}, starts.view());
    offsets_.resize(count + 1);
    edge_offset const end = edges.size();
    copy_in(policy_, host_view<edge_offset const>(&end, 1), starts.view().subview(count, 1));
    policy_.resource().copy(offsets_.data(), starts.data(), static_cast<std::size_t>(count + 1) * sizeof(edge_offset));
    rows_.resize(count);
    ex.for_each(count, write_shard_rows<Rows, space>{ends, edges, std::as_const(offsets_).view(), rows_.view()});
  }

  // Returns the slot of the edge at a place, which tells its shard.
  [[nodiscard]] std::int64_t first_slot(shard_ends<space> ends, std::int64_t i) const {
    return read_element(policy_, ends.slots, read_element(policy_, edges_.view(), i));
  }

  // Returns the places at which the edges of each shard begin.
  template <class SlotAt>
  [[nodiscard]] std::vector<std::int64_t> places_of_shards(std::int64_t count, SlotAt slot_at) const {
    std::vector<std::int64_t> places;
    for (auto const begin : begins_) {
      places.push_back(lower_bound(count, begin, slot_at));
    }
    return places;
  }

  // Returns the first i of [0, count) with value_at(i) >= bound.
  template <class ValueAt>
  [[nodiscard]] static std::int64_t lower_bound(std::int64_t count, std::int64_t bound, ValueAt value_at) {
    std::int64_t low = 0;
    while (low < count) {
      auto const middle = low + (count - low) / 2;
      if (value_at(middle) < bound) {
        low = middle + 1;
      } else {
        count = middle;
      }
    }
    return low;
  }

  Policy policy_;
  std::vector<std::int64_t> begins_; // [K + 1], slots
  std::int64_t num_destinations_;
  buffer<Policy, local_id> rows_;
  buffer<Policy, edge_offset> offsets_;
  buffer<Policy, local_id> columns_;
  buffer<Policy, local_id> edges_;
  std::vector<std::int64_t> edge_begins_; // [K + 1]
  std::vector<std::int64_t> row_begins_;  // [K + 1]
};

} // namespace glt::detail
