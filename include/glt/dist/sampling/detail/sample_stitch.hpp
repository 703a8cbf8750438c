// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/bytes.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/sampling/detail/sample_reply.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/detail/batch/draw.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace glt::dist {

/// An answer of another rank.
struct sample_answer {
  int rank;
  std::byte const* reply;
  std::int64_t bytes;
  std::int64_t num_rows;
};

/// Puts draws of this rank and of others in the order of a frontier; reusable.
template <device_policy Policy, vertex_id Vertex>
class sample_stitch {
public:
  /// The draws in the order of the frontier; valid until the next call.
  ///
  /// for_each_drawn(f) calls f(places, drawn) with all that this rank has drawn; for_each_answer(f) calls f(answer) for
  /// every answer that came; place(rank, i) is where row i of that answer belongs.
  ///
  /// @throws error  if an answer is not as long as its counts say
  template <class ForEachDrawn, class ForEachAnswer, class Place>
  hop_sample<Policy, Vertex> const&
  run(std::int64_t frontier_size, bool edge_ids, sample_reply_layout<Vertex> const& layout,
      ForEachDrawn for_each_drawn, ForEachAnswer for_each_answer, Place place) {
    auto& offsets = stitched_.offsets;
    offsets.resize(frontier_size + 1);
    for_each_drawn([&](std::span<std::int64_t const> places, hop_sample<Policy, Vertex> const& drawn) {
      for (std::size_t i = 0; i < places.size(); ++i) {
        auto const row = static_cast<std::int64_t>(i);
        offsets[places[i] + 1] = drawn.offsets[row + 1] - drawn.offsets[row];
      }
    });
    for_each_answer([&](sample_answer const& answer) {
      std::int64_t num_edges = 0;
      for (std::int64_t i = 0; i < answer.num_rows; ++i) {
        auto const count = layout.count(answer.reply, i);
        num_edges += count;
        offsets[place(answer.rank, i) + 1] = count;
      }
      if (answer.bytes != layout.bytes(answer.num_rows, num_edges)) {
        throw error(detail::message("answer of rank ", answer.rank, " has ", answer.bytes,
                                    " bytes instead of ", layout.bytes(answer.num_rows, num_edges)));
      }
    });
    offsets[0] = 0;
    for (std::int64_t i = 0; i < frontier_size; ++i) {
      offsets[i + 1] += offsets[i];
    }
    auto const num_edges = offsets[frontier_size];
    stitched_.sources.resize(num_edges);
    stitched_.edge_ids.resize(edge_ids ? num_edges : 0);
    for_each_drawn([&](std::span<std::int64_t const> places, hop_sample<Policy, Vertex> const& drawn) {
      for (std::size_t i = 0; i < places.size(); ++i) {
        auto const first = drawn.offsets[static_cast<std::int64_t>(i)];
        put(places[i], drawn.sources.data() + first, edge_ids ? drawn.edge_ids.data() + first : nullptr);
      }
    });
    for_each_answer([&](sample_answer const& answer) {
      auto const* sources = answer.reply + answer.num_rows * layout.count_bytes();
      auto const edges = (answer.bytes - answer.num_rows * layout.count_bytes()) / layout.bytes(0, 1);
      auto const* ids = edge_ids ? sources + edges * static_cast<std::int64_t>(sizeof(Vertex)) : nullptr;
      for (std::int64_t i = 0; i < answer.num_rows; ++i) {
        auto const to = place(answer.rank, i);
        put(to, sources, ids);
        auto const count = offsets[to + 1] - offsets[to];
        sources += count * static_cast<std::int64_t>(sizeof(Vertex));
        ids = edge_ids ? ids + count * static_cast<std::int64_t>(sizeof(edge_id)) : nullptr;
      }
    });
    return stitched_;
  }

private:
  // The draws of one frontier vertex, from memory of any alignment.
  void put(std::int64_t to, void const* sources, void const* edge_ids) {
    auto const begin = stitched_.offsets[to];
    auto const count = stitched_.offsets[to + 1] - begin;
    detail::copy_bytes(stitched_.sources.data() + begin, sources,
                       count * static_cast<std::int64_t>(sizeof(Vertex)));
    if (edge_ids != nullptr) {
      detail::copy_bytes(stitched_.edge_ids.data() + begin, edge_ids,
                         count * static_cast<std::int64_t>(sizeof(edge_id)));
    }
  }

  hop_sample<Policy, Vertex> stitched_;
};

} // namespace glt::dist
