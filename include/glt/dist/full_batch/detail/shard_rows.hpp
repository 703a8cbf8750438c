// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/detail/ordering.hpp>
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

enum class shard_side { destination, source };

/// Two numberings of the ends of an edge: by destination, and by slot. A slot is the number of the source among all
/// sources that a rank needs: local sources first, then the sources of each peer. Slots [begins[k], begins[k + 1]) make
/// shard k.
template <memory_space Space>
struct shard_ends {
  array_view<Space, local_id const> destinations; // [E]
  array_view<Space, local_id const> slots;        // [E]
  array_view<Space, std::int64_t const> begins;   // [K + 1], ascending
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t shard(std::int64_t edge) const {
    return first_where(1, begins.size() - 1, [&](std::int64_t k) { return begins[k] > slots[edge]; }) - 1;
  }
  /// Returns an end of an edge as row or column of its shard.
  template <shard_side Side>
  [[nodiscard]] GLT_HOST_DEVICE local_id end(std::int64_t edge) const {
    if constexpr (Side == shard_side::destination) {
      return destinations[edge];
    } else {
      return static_cast<local_id>(slots[edge] - begins[shard(edge)]);
    }
  }
};

/// Keys that sort edges into rows: edges ascend by destination already, so that their shard is enough.
template <shard_side Rows, memory_space Space>
struct write_row_keys {
  shard_ends<Space> ends;
  array_view<Space, local_id> keys;
  array_view<Space, local_id> edges;
  GLT_HOST_DEVICE void operator()(std::int64_t e) const {
    keys[e] = Rows == shard_side::destination ? static_cast<local_id>(ends.shard(e)) : ends.slots[e];
    edges[e] = static_cast<local_id>(e);
  }
};

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
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { rows[i] = ends.template end<Rows>(edges[offsets[i]]); }
};

template <shard_side Columns, memory_space Space>
struct write_shard_columns {
  shard_ends<Space> ends;
  array_view<Space, local_id const> edges;
  array_view<Space, local_id> columns;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const { columns[i] = ends.template end<Columns>(edges[i]); }
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
      ex.for_each(num_edges, write_row_keys<Rows, space>{ends, keys.view(), edges_.view()});
      if (Rows == shard_side::source || begins.size() > 2) {
        ex.sort_by_key(keys.view(), edges_.view());
      }
    }
    auto const edges = std::as_const(edges_).view();
    ex.for_each(num_edges, write_shard_columns<Columns, space>{ends, edges, columns_.view()});
    find_rows(ends);
    for (auto const begin : begins_) {
      auto const first_edge = first_where(0, num_edges, [&](std::int64_t i) {
        return read_element(policy_, ends.slots, read_element(policy_, edges, i)) >= begin;
      });
      edge_begins_.push_back(first_edge);
      row_begins_.push_back(first_where(0, rows_.size(), [&](std::int64_t row) {
        return read_element(policy_, std::as_const(offsets_).view(), row) >= first_edge;
      }));
    }
  }

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
