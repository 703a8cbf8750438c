// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/slice_bounds.hpp>
#include <glt/dist/sampling/detail/relation_draws.hpp>
#include <glt/dist/sampling/detail/reply_layout.hpp>
#include <glt/dist/sampling/detail/type_places.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/draw.hpp>

namespace glt::detail {

/// Draws of one rank over one relation, drawn here or received in a message.
///
/// Its sources and edge ids are contiguous; the pointers point to the edges of row `zero_row`.
struct merged_slice {
  std::int64_t relation = 0;
  frontier_places rows;
  edge_offset const* offsets = nullptr; // local draws
  std::byte const* counts = nullptr;    // received draws
  std::int64_t count_bytes = 0;
  std::byte const* sources = nullptr;
  std::byte const* edge_ids = nullptr; // null if not requested
  std::int64_t message = -1;           // its number; −1 for local draws
  std::int64_t first_row = 0;          // among the rows of all slices
  std::int64_t zero_row = 0;           // likewise

  [[nodiscard]] GLT_HOST_DEVICE std::int64_t count(std::int64_t i) const {
    return offsets != nullptr ? offsets[i + 1] - offsets[i] : read_count(counts, count_bytes, i);
  }
};

/// Arrays into which the draws over a relation are merged.
template <vertex_id Vertex>
struct merged_relation {
  edge_offset* counts = nullptr; // in the order of the frontier
  edge_offset const* offsets = nullptr;
  Vertex* sources = nullptr;
  edge_id* edge_ids = nullptr; // null if not requested
};

template <memory_space Space>
[[nodiscard]] GLT_HOST_DEVICE merged_slice const& slice_of_row(array_view<Space, merged_slice const> slices,
                                                               std::int64_t i) {
  return slices[slice_holding(slices.size(), i, [&](std::int64_t s) { return slices[s].first_row; })];
}

template <memory_space Space, vertex_id Vertex>
struct merge_counts {
  array_view<Space, merged_slice const> slices;
  array_view<Space, merged_relation<Vertex> const> relations;
  array_view<Space, edge_offset> counts; // in the order of the slices
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const& slice = slice_of_row(slices, i);
    auto const row = i - slice.first_row;
    counts[i] = slice.count(row);
    relations[slice.relation].counts[slice.rows[row]] = counts[i];
  }
};

template <memory_space Space, vertex_id Vertex>
struct merge_edges {
  array_view<Space, merged_slice const> slices;
  array_view<Space, merged_relation<Vertex> const> relations;
  array_view<Space, edge_offset const> offsets; // in the order of the slices
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const& slice = slice_of_row(slices, i);
    auto const& relation = relations[slice.relation];
    auto const first = offsets[i] - offsets[slice.zero_row];
    auto const count = offsets[i + 1] - offsets[i];
    auto const to = relation.offsets[slice.rows[i - slice.first_row]];
    auto const* const sources = reinterpret_cast<Vertex const*>(slice.sources) + first;
    for (std::int64_t j = 0; j < count; ++j) {
      relation.sources[to + j] = sources[j];
    }
    if (relation.edge_ids != nullptr) {
      auto const* const ids = reinterpret_cast<edge_id const*>(slice.edge_ids) + first;
      for (std::int64_t j = 0; j < count; ++j) {
        relation.edge_ids[to + j] = ids[j];
      }
    }
  }
};

/// Writes the number of edges of every row to the offsets, one place behind the row. Calls told(message, num_edges) for
/// every message.
///
/// @shape  slices, slices of one message in succession · merged [relations]
template <host_policy Policy, vertex_id Vertex, class Told>
void merge_counts_on_host(std::span<merged_slice const> slices, std::span<hop_sample<Policy, Vertex>> merged,
                          Told told) {
  for (std::size_t s = 0; s < slices.size();) {
    auto const message = slices[s].message;
    std::int64_t num_edges = 0;
    do {
      auto const slice = slices[s];
      auto* const counts = merged[static_cast<std::size_t>(slice.relation)].offsets.data() + 1;
      for (std::int64_t i = 0; i < slice.rows.size; ++i) {
        auto const count = slice.count(i);
        counts[slice.rows[i]] = count;
        num_edges += count;
      }
    } while (++s < slices.size() && message >= 0 && slices[s].message == message);
    if (message >= 0) {
      told(static_cast<std::size_t>(message), num_edges);
    }
  }
}

/// Copies consecutive rows, of any alignment, to their places, and moves the pointers behind these rows.
template <host_policy Policy, vertex_id Vertex>
void merge_slice_on_host(merged_slice const& slice, std::byte const*& sources, std::byte const*& ids,
                         hop_sample<Policy, Vertex>& to) {
  for (std::int64_t i = 0; i < slice.rows.size; ++i) {
    auto const begin = to.offsets[slice.rows[i]];
    auto const count = to.offsets[slice.rows[i] + 1] - begin;
    auto const source_bytes = count * static_cast<std::int64_t>(sizeof(Vertex));
    copy_bytes(to.sources.data() + begin, sources, source_bytes);
    sources += source_bytes;
    if (ids != nullptr) {
      auto const id_bytes = count * static_cast<std::int64_t>(sizeof(edge_id));
      copy_bytes(to.edge_ids.data() + begin, ids, id_bytes);
      ids += id_bytes;
    }
  }
}

/// Copies the edges of all slices to their places.
///
/// @pre    the offsets are known and there is room; not checked
template <host_policy Policy, vertex_id Vertex>
void merge_edges_on_host(std::span<merged_slice const> slices, std::span<hop_sample<Policy, Vertex>> merged) {
  std::byte const* sources = nullptr; // behind the previous slice of the same message
  std::byte const* ids = nullptr;
  std::int64_t message = -1;
  for (auto const& slice : slices) {
    if (slice.message < 0 || slice.message != message) {
      message = slice.message;
      sources = slice.sources;
      ids = slice.edge_ids;
    }
    merge_slice_on_host(slice, sources, ids, merged[static_cast<std::size_t>(slice.relation)]);
  }
}

/// Merge of local and received draws in the order of the frontiers; reusable.
///
/// Call `begin`, then `add_own` and `add_message` for all draws, then `run`. All draws must live until then.
///
/// @where  memory of `Policy`
template <device_policy Policy, vertex_id Vertex>
class reply_merging {
  static constexpr memory_space space = Policy::space;

public:
  explicit reply_merging(Policy policy = {})
      : policy_(policy), slice_table_(0, policy), relation_table_(0, policy), counts_(0, policy), offsets_(0, policy),
        in_order_(0, policy) {}

  /// @shape  count_bytes [relations], of a row in a message · sizes [relations], sizes of their frontiers
  void begin(std::span<std::int64_t const> count_bytes, std::span<std::int64_t const> sizes, bool edge_ids) {
    slices_.clear();
    messages_.clear();
    num_rows_ = 0;
    count_bytes_ = count_bytes;
    sizes_ = sizes;
    edge_ids_ = edge_ids;
    while (merged_.size() < sizes.size()) { // unused elements keep their memory
      merged_.push_back({buffer<Policy, edge_offset>(0, policy_), buffer<Policy, Vertex>(0, policy_),
                         buffer<Policy, edge_id>(0, policy_)});
    }
    for (std::size_t e = 0; e < sizes.size(); ++e) {
      merged_[e].offsets.resize(sizes[e] + 1);
    }
  }

  /// Adds the draws of this rank over a relation.
  void add_own(std::size_t relation, frontier_places rows, drawn_rows<Vertex> const& drawn) {
    auto const* const ids = drawn.edge_ids;
    slices_.push_back(
        {.relation = static_cast<std::int64_t>(relation),
         .rows = rows,
         .offsets = drawn.offsets,
         .sources = reinterpret_cast<std::byte const*>(drawn.sources + drawn.first_edge),
         .edge_ids = ids == nullptr ? nullptr : reinterpret_cast<std::byte const*>(ids + drawn.first_edge),
         .first_row = num_rows_,
         .zero_row = num_rows_});
    num_rows_ += rows.size;
  }

  /// Adds the message of a rank; rows_of(relation) returns the places of the rows requested from it.
  ///
  /// @throws error  if the message has an impossible length
  template <class RowsOf>
  void add_message(std::size_t rank, std::byte const* message, std::int64_t bytes,
                   reply_layout<Policy, Vertex> const& layout, RowsOf rows_of) {
    if (layout.bytes() != bytes) {
      throw_length(rank, bytes, layout);
    }
    auto const zero_row = num_rows_;
    for (std::size_t e = 0; e < sizes_.size(); ++e) {
      frontier_places const rows = rows_of(e);
      auto const done = slices_.empty() || slices_.back().message != std::ssize(messages_)
                            ? message
                            : slices_.back().counts + slices_.back().rows.size * slices_.back().count_bytes;
      slices_.push_back({.relation = static_cast<std::int64_t>(e),
                         .rows = rows,
                         .counts = done,
                         .count_bytes = count_bytes_[e],
                         .sources = message + layout.sources(),
                         .edge_ids = layout.edge_ids ? message + layout.ids() : nullptr,
                         .message = std::ssize(messages_),
                         .first_row = num_rows_,
                         .zero_row = zero_row});
      num_rows_ += rows.size;
    }
    messages_.push_back({rank, bytes, layout});
  }

  /// Returns the draws over every relation in the order of its frontier; valid until `begin`.
  ///
  /// @param num_edges  total, if there is only one relation and the number is known; else −1
  /// @where  with a device policy and several relations, waits for their numbers of edges
  /// @throws error  with host policies, if the length of a message contradicts its counts
  std::span<hop_sample<Policy, Vertex> const> run(std::int64_t num_edges = -1) {
    if constexpr (host_policy<Policy>) {
      run_on_host();
    } else {
      run_in_parallel(num_edges);
    }
    return std::span(merged_).first(sizes_.size());
  }

private:
  struct arrived_message {
    std::size_t rank;
    std::int64_t bytes;
    reply_layout<Policy, Vertex> layout;
  };

  [[noreturn]] static void throw_length(std::size_t rank, std::int64_t bytes,
                                        reply_layout<Policy, Vertex> const& layout) {
    throw error(message("reply of part ", rank, " has ", bytes, " bytes instead of ", layout.bytes()));
  }

  void make_room(std::size_t e, std::int64_t num_edges) {
    merged_[e].sources.resize(num_edges);
    merged_[e].edge_ids.resize(edge_ids_ ? num_edges : 0);
  }

  void run_on_host() {
    std::span<merged_slice const> const slices(slices_);
    std::span<hop_sample<Policy, Vertex>> const merged(merged_);
    merge_counts_on_host(slices, merged, [&](std::size_t m, std::int64_t num_edges) {
      auto& [rank, bytes, layout] = messages_[m];
      if (std::exchange(layout.num_edges, num_edges) != num_edges) {
        throw_length(rank, bytes, layout);
      }
    });
    for (std::size_t e = 0; e < sizes_.size(); ++e) {
      auto& offsets = merged_[e].offsets;
      offsets[0] = 0;
      for (std::int64_t i = 0; i < sizes_[e]; ++i) {
        offsets[i + 1] += offsets[i];
      }
      make_room(e, offsets[sizes_[e]]);
    }
    merge_edges_on_host(slices, merged);
  }

  void run_in_parallel(std::int64_t num_edges) {
    auto const ex = policy_.executor();
    counts_.resize(num_rows_);
    offsets_.resize(num_rows_ + 1);
    in_order_.resize(num_rows_);
    slice_table_.resize(std::ssize(slices_));
    copy_in(policy_, host_view<merged_slice const>(slices_), slice_table_.view());
    auto const slices = std::as_const(slice_table_).view();
    relations_.clear();
    std::int64_t first = 0;
    for (std::size_t e = 0; e < sizes_.size(); ++e) {
      relations_.push_back({.counts = in_order_.data() + first, .offsets = merged_[e].offsets.data()});
      first += sizes_[e];
    }
    ex.for_each(num_rows_, merge_counts<space, Vertex>{slices, upload(), counts_.view()});
    ex.exclusive_scan(std::as_const(counts_).view(), offsets_.view());
    first = 0;
    for (std::size_t e = 0; e < sizes_.size(); ++e) {
      ex.exclusive_scan(std::as_const(in_order_).view().subview(first, sizes_[e]), merged_[e].offsets.view());
      first += sizes_[e];
    }
    for (std::size_t e = 0; e < sizes_.size(); ++e) {
      make_room(e, num_edges >= 0 ? num_edges
                                  : read_element(policy_, std::as_const(merged_[e].offsets).view(), sizes_[e]));
      relations_[e].sources = merged_[e].sources.data();
      relations_[e].edge_ids = edge_ids_ ? merged_[e].edge_ids.data() : nullptr;
    }
    ex.for_each(num_rows_, merge_edges<space, Vertex>{slices, upload(), std::as_const(offsets_).view()});
  }

  array_view<space, merged_relation<Vertex> const> upload() {
    relation_table_.resize(std::ssize(relations_));
    copy_in(policy_, host_view<merged_relation<Vertex> const>(relations_), relation_table_.view());
    return std::as_const(relation_table_).view();
  }

  Policy policy_;
  std::vector<merged_slice> slices_;
  std::vector<arrived_message> messages_;
  std::int64_t num_rows_ = 0;
  std::span<std::int64_t const> count_bytes_;
  std::span<std::int64_t const> sizes_;
  bool edge_ids_ = false;
  std::vector<hop_sample<Policy, Vertex>> merged_; // by relation
  std::vector<merged_relation<Vertex>> relations_;
  buffer<Policy, merged_slice> slice_table_; // `slices_` in memory of the executor
  buffer<Policy, merged_relation<Vertex>> relation_table_;
  buffer<Policy, edge_offset> counts_;   // in the order of the slices
  buffer<Policy, edge_offset> offsets_;  // likewise
  buffer<Policy, edge_offset> in_order_; // in the order of the frontiers
};

} // namespace glt::detail
