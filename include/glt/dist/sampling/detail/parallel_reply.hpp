// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/config.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/sampling/detail/reply_slices.hpp>

#include <cstddef>
#include <cstdint>

namespace glt::dist {

/// Writes the number of edges of served row i to the message of who asked; nothing for the own rank.
///
/// @shape  slices [R + 1], rows and edges as they were served · offsets [n + 1]
template <memory_space Space, vertex_id Vertex>
struct put_reply_counts {
  array_view<Space, reply_slice const> slices;
  aligned_reply_layout<Vertex> layout;
  array_view<Space, edge_offset const> offsets;
  std::byte* messages;
  std::int64_t self;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const rank = slice_of_row(slices, i);
    if (rank != self) {
      auto const& slice = slices[rank];
      layout.put_count(messages + slice.message, slices[rank + 1].first_edge - slice.first_edge,
                       i - slice.first_row, offsets[i + 1] - offsets[i]);
    }
  }
};

/// Writes served edge e to the message of who asked for its row; nothing for the own rank.
///
/// @shape  slices [R + 1], rows and edges as they were served · sources [E] · edge_ids [E] or empty
template <memory_space Space, vertex_id Vertex>
struct put_reply_edges {
  array_view<Space, reply_slice const> slices;
  aligned_reply_layout<Vertex> layout;
  array_view<Space, Vertex const> sources;
  array_view<Space, edge_id const> edge_ids;
  std::byte* messages;
  std::int64_t self;

  GLT_HOST_DEVICE void operator()(std::int64_t e) const {
    auto const rank = slice_of_edge(slices, e);
    if (rank != self) {
      auto const& slice = slices[rank];
      auto const place = e - slice.first_edge;
      auto* const message = messages + slice.message;
      layout.sources(message, slices[rank + 1].first_edge - slice.first_edge)[place] = sources[e];
      if (!edge_ids.empty()) {
        layout.edge_ids(message)[place] = edge_ids[e];
      }
    }
  }
};

/// What was drawn for the rows that a rank asked for, in the order in which it asked: its own draws and the messages of
/// the others.
///
/// @shape  slices [R + 1], rows and edges in the order of asking · offsets, sources, edge_ids as this rank has drawn
template <memory_space Space, vertex_id Vertex>
struct answers_view {
  array_view<Space, reply_slice const> slices;
  aligned_reply_layout<Vertex> layout;
  std::byte const* messages = nullptr;
  array_view<Space, edge_offset const> offsets;
  Vertex const* sources = nullptr;
  edge_id const* edge_ids = nullptr; ///< null if not asked for
  std::int64_t self = 0;
  std::int64_t first_own_row = 0;  ///< of the rows drawn, the first for this rank itself
  std::int64_t first_own_edge = 0; ///< and its first edge

  [[nodiscard]] GLT_HOST_DEVICE std::int64_t num_edges_of(std::int64_t rank) const noexcept {
    return slices[rank + 1].first_edge - slices[rank].first_edge;
  }
  [[nodiscard]] GLT_HOST_DEVICE std::int64_t count(std::int64_t i) const noexcept {
    auto const rank = slice_of_row(slices, i);
    auto const row = i - slices[rank].first_row;
    if (rank == self) {
      return offsets[first_own_row + row + 1] - offsets[first_own_row + row];
    }
    return layout.count(messages + slices[rank].message, num_edges_of(rank), row);
  }
};

/// Reads how many edges came for asked row i, and writes that down in the order of asking and in that of the list.
///
/// @shape  places [n], of the asked rows in the list · by_owner, in_order [n], written
template <memory_space Space, vertex_id Vertex>
struct take_reply_counts {
  answers_view<Space, Vertex> answers;
  array_view<Space, std::int64_t const> places;
  array_view<Space, edge_offset> by_owner;
  array_view<Space, edge_offset> in_order;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const count = answers.count(i);
    by_owner[i] = count;
    in_order[places[i]] = count;
  }
};

/// Copies the edges of asked row i to their place in the order of the list.
///
/// @shape  places [n] · first_edges [n + 1], of the rows in the order of asking · offsets [n + 1], in that of the list
///         · sources, edge_ids [E], written
template <memory_space Space, vertex_id Vertex>
struct take_reply_edges {
  answers_view<Space, Vertex> answers;
  array_view<Space, std::int64_t const> places;
  array_view<Space, edge_offset const> first_edges;
  array_view<Space, edge_offset const> offsets;
  array_view<Space, Vertex> sources;
  array_view<Space, edge_id> edge_ids;

  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const rank = slice_of_row(answers.slices, i);
    auto const& slice = answers.slices[rank];
    auto const* const message = answers.messages + (rank == answers.self ? 0 : slice.message);
    auto const first = first_edges[i] - slice.first_edge;
    auto const count = first_edges[i + 1] - first_edges[i];
    auto const to = offsets[places[i]];
    auto const* const from = rank == answers.self
                                 ? answers.sources + answers.first_own_edge + first
                                 : answers.layout.sources(message, answers.num_edges_of(rank)) + first;
    for (std::int64_t j = 0; j < count; ++j) {
      sources[to + j] = from[j];
    }
    if (!edge_ids.empty()) {
      auto const* const ids = rank == answers.self ? answers.edge_ids + answers.first_own_edge + first
                                                   : answers.layout.edge_ids(message) + first;
      for (std::int64_t j = 0; j < count; ++j) {
        edge_ids[to + j] = ids[j];
      }
    }
  }
};

} // namespace glt::dist
