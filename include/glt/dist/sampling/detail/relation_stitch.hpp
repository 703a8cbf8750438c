// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/detail/bytes.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/detail/exchange/requests.hpp>
#include <glt/dist/sampling/detail/sample_reply.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/detail/batch/draw.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glt::dist {

/// Puts own and received draws in the order of the frontiers, relation by relation; reusable.
///
/// Frontiers were routed as one list, type after type, so that the vertices of a type which a rank was asked
/// for are a range; an answer has the relations one after the other.
template <communicator Comm, device_policy Policy, vertex_id Vertex>
class relation_stitch {
public:
  /// Starts with the answers to one list of requests: answer_of(rank) is the bytes that a rank which was asked has
  /// sent. All of them must outlive the last `add`.
  ///
  /// @shape  first_place [T + 1], where each type begins in the routed list, and its length
  /// @throws what `answer_of` throws
  /// @cost   O(R · T log S)
  template <class AnswerOf>
  void begin(requests<Comm> const& requests, std::span<std::int64_t const> first_place, AnswerOf const& answer_of) {
    requests_ = &requests;
    first_place_ = first_place;
    auto const ranks = requests.asked_counts().size();
    cursors_.assign(ranks, {});
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (requests.asked_counts()[rank] > 0) {
        std::span<std::byte const> const answer = answer_of(rank);
        cursors_[rank] = {answer.data(), answer.data() + answer.size()};
      }
    }
  }

  /// Writes the draws of the next relation for all vertices of its type.
  ///
  /// @shape  own_offsets [own rows of the type + 1]
  /// @throws error  if an answer is shorter than it should be
  /// @cost   O(frontier + edges)
  void add(int node_type, sample_reply_layout<Vertex> const& layout, std::span<edge_offset const> own_offsets,
           hop_sample<Policy, Vertex> const& own, bool edge_ids, hop_sample<Policy, Vertex>& out) {
    auto const t = static_cast<std::size_t>(node_type);
    auto const first = first_place_[t];
    auto const size = first_place_[t + 1] - first;
    auto const own_places = of_type(requests_->own_places(), t);
    out.offsets.resize(size + 1);
    out.offsets[0] = 0;
    for (std::size_t i = 0; i < own_places.size(); ++i) {
      out.offsets[own_places[i] - first + 1] = own_offsets[i + 1] - own_offsets[i];
    }
    for (std::size_t rank = 0; rank < cursors_.size(); ++rank) {
      auto const places = of_type(requests_->asked_places_of(rank), t);
      check_room(rank, layout.bytes(std::ssize(places), 0));
      for (std::size_t i = 0; i < places.size(); ++i) {
        out.offsets[places[i] - first + 1] = layout.count(cursors_[rank].next, static_cast<std::int64_t>(i));
      }
    }
    for (std::int64_t i = 0; i < size; ++i) {
      out.offsets[i + 1] += out.offsets[i];
    }
    out.sources.resize(out.offsets[size]);
    out.edge_ids.resize(edge_ids ? out.offsets[size] : 0);
    copy_rows(own_places, first, own.sources.data(), edge_ids ? own.edge_ids.data() : nullptr, out);
    for (std::size_t rank = 0; rank < cursors_.size(); ++rank) {
      auto const places = of_type(requests_->asked_places_of(rank), t);
      std::int64_t num_edges = 0;
      for (auto const place : places) {
        num_edges += out.offsets[place - first + 1] - out.offsets[place - first];
      }
      auto const bytes = layout.bytes(std::ssize(places), num_edges);
      check_room(rank, bytes);
      if (bytes > 0) {
        auto const* const sources = cursors_[rank].next + layout.bytes(std::ssize(places), 0);
        auto const* const ids = sources + num_edges * static_cast<std::int64_t>(sizeof(Vertex));
        copy_rows(places, first, sources, edge_ids ? ids : nullptr, out);
        cursors_[rank].next += bytes;
      }
    }
  }

private:
  struct cursor {
    std::byte const* next = nullptr;
    std::byte const* end = nullptr;
  };

  // Ascending places of the routed list, cut to those of a type.
  [[nodiscard]] std::span<std::int64_t const> of_type(std::span<std::int64_t const> places, std::size_t type) const {
    auto const begin = std::ranges::lower_bound(places, first_place_[type]);
    auto const end = std::ranges::lower_bound(begin, places.end(), first_place_[type + 1]);
    return {begin, end};
  }

  void check_room(std::size_t rank, std::int64_t bytes) const {
    if (bytes > cursors_[rank].end - cursors_[rank].next) {
      throw error(detail::message("answer of rank ", rank, " ends ", bytes - (cursors_[rank].end - cursors_[rank].next),
                                  " bytes too early"));
    }
  }

  // Rows that lie one after the other, in memory of any alignment, to their places.
  static void copy_rows(std::span<std::int64_t const> places, std::int64_t first, void const* sources, void const* ids,
                        hop_sample<Policy, Vertex>& out) {
    auto const* next_source = static_cast<std::byte const*>(sources);
    auto const* next_id = static_cast<std::byte const*>(ids);
    for (auto const place : places) {
      auto const begin = out.offsets[place - first];
      auto const count = out.offsets[place - first + 1] - begin;
      auto const source_bytes = count * static_cast<std::int64_t>(sizeof(Vertex));
      detail::copy_bytes(out.sources.data() + begin, next_source, source_bytes);
      next_source += source_bytes;
      if (ids != nullptr) {
        auto const id_bytes = count * static_cast<std::int64_t>(sizeof(edge_id));
        detail::copy_bytes(out.edge_ids.data() + begin, next_id, id_bytes);
        next_id += id_bytes;
      }
    }
  }

  requests<Comm> const* requests_ = nullptr;
  std::span<std::int64_t const> first_place_;
  std::vector<cursor> cursors_; // by rank, into its answer
};

} // namespace glt::dist
