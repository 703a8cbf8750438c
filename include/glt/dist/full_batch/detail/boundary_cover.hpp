// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/failure.hpp>
#include <glt/core/detail/narrow.hpp>
#include <glt/core/space.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/full_batch/detail/boundary.hpp>
#include <glt/dist/full_batch/detail/listed_edges.hpp>
#include <glt/dist/full_batch/detail/rotation.hpp>
#include <glt/dist/full_batch/detail/vertex_cover.hpp>
#include <glt/dist/full_batch/shard.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace glt::detail {

/// What travels between ranks so that every edge gets its source's row or adds to a partial sum: between the owners of
/// destinations and of sources, edges of some sources are pulled and those of the others pushed.
///
/// At step k, this rank gets from its peer the rows of pulled sources and then the partial sums of some own destinations, and
/// makes such a block for the rank k places before it.
///
/// Concurrent calls: const members may run concurrently.
template <memory_space Space>
class boundary_cover {
public:
  /// @comm   collective; three header exchanges, and for each pair of ranks 4 bytes for every pulled source and 8 for every
  ///         pushed edge
  /// @throws collective_error  on every rank, if one has no memory for it
  template <class Graph>
  explicit boundary_cover(Graph& graph) : num_own_(graph.num_sources()), num_rows_(graph.num_destinations()) {
    auto const size = graph.size();
    steps_.resize(static_cast<std::size_t>(size));
    std::vector<std::int64_t> counts(static_cast<std::size_t>(size), 0); // of numbers for each rank
    std::vector<std::vector<local_id>> blocks(static_cast<std::size_t>(size));
    call_site const site{.what = operation::make_shards, .step = graph.passes().next_number()};
    auto failure = failure_of([&] {
      for (std::int64_t k = 1; k < size; ++k) {
        blocks[static_cast<std::size_t>(k)] =
            divide(graph.shard(k), graph.transposed(k), steps_[static_cast<std::size_t>(k)]);
        counts[static_cast<std::size_t>(peer_at(graph.rank(), size, k))] =
            std::ssize(blocks[static_cast<std::size_t>(k)]);
      }
    });
    std::vector<call_header> headers;
    exchange_headers(graph.host(), site, counts, 0, failure, headers);
    auto const bytes_to = [&](std::int64_t k) {
      return std::ssize(blocks[static_cast<std::size_t>(k)]) * number_bytes;
    };
    auto const bytes_from = [&](std::int64_t k) {
      return headers[static_cast<std::size_t>(peer_at(graph.rank(), size, size - k))].count * number_bytes;
    };
    failure = failure_of([&] {
      std::int64_t most_out = 0;
      std::int64_t most_in = 0;
      for (std::int64_t k = 1; k < size; ++k) {
        most_out = std::max(most_out, bytes_to(k));
        most_in = std::max(most_in, bytes_from(k));
      }
      graph.passes().reserve(most_out, most_in);
    });
    agree(graph.host(), site, failure);
    graph.passes().run(
        row_flow::push, bytes_to, bytes_from,
        [&](std::int64_t k, std::byte* block) {
          if (bytes_to(k) > 0) {
            std::memcpy(block, blocks[static_cast<std::size_t>(k)].data(),
                        static_cast<std::size_t>(bytes_to(k)));
          }
        },
        [&](std::int64_t k, std::byte const* block) {
          failure = failure.empty() ? failure_of([&] { serve(graph.sent_rows(k), block, bytes_from(k), k); })
                                    : failure;
        },
        [] {});
    agree(graph.host(), site, failure);
  }

  /// Edges of pulled sources: own destinations by places in the received block, and the other way round.
  [[nodiscard]] dist::shard_view<Space> pulled(std::int64_t k) const {
    return at(k).pulled.template view<Space>(num_rows_, at(k).num_pulled);
  }
  [[nodiscard]] dist::shard_view<Space> pulled_by_source(std::int64_t k) const {
    return at(k).pulled_by_source.template view<Space>(at(k).num_pulled, num_rows_);
  }
  /// Edges for whose destinations, of the rank k places before, this rank makes partial sums: these by own sources, and the
  /// other way round.
  [[nodiscard]] dist::shard_view<Space> pushed(std::int64_t k) const {
    return at(k).pushed.template view<Space>(at(k).num_served, num_own_);
  }
  [[nodiscard]] dist::shard_view<Space> pushed_by_source(std::int64_t k) const {
    return at(k).pushed_by_source.template view<Space>(num_own_, at(k).num_served);
  }
  /// Sources whose rows come from the peer of step k, and own destinations that get partial sums behind them.
  [[nodiscard]] std::int64_t num_pulled(std::int64_t k) const { return at(k).num_pulled; }
  [[nodiscard]] array_view<Space, local_id const> summed_rows(std::int64_t k) const {
    return {at(k).summed.data(), std::ssize(at(k).summed)};
  }
  /// Own rows that the rank k places before pulls, and how many partial sums it gets.
  [[nodiscard]] array_view<Space, local_id const> sent_rows(std::int64_t k) const {
    return {at(k).sent.data(), std::ssize(at(k).sent)};
  }
  [[nodiscard]] std::int64_t num_served(std::int64_t k) const { return at(k).num_served; }

  /// Rows and sums in the blocks of step k: what comes from the peer, and what goes to the rank k places before.
  [[nodiscard]] std::int64_t num_received(std::int64_t k) const {
    return num_pulled(k) + summed_rows(k).size();
  }
  [[nodiscard]] std::int64_t num_sent(std::int64_t k) const { return sent_rows(k).size() + num_served(k); }

private:
  static constexpr std::int64_t number_bytes = sizeof(local_id);

  struct step {
    listed_edges pulled, pulled_by_source, pushed, pushed_by_source;
    std::int64_t num_pulled = 0;
    std::int64_t num_served = 0;
    std::vector<local_id> summed;
    std::vector<local_id> sent;
  };
  [[nodiscard]] step const& at(std::int64_t k) const { return steps_[static_cast<std::size_t>(k)]; }

  // What the owner of the sources is told: how many it sends, their places in its list, and the ends of pushed edges.
  [[nodiscard]] static std::vector<local_id> divide(dist::shard_view<Space> const& shard,
                                                    dist::shard_view<Space> const& transposed, step& own) {
    std::vector<local_id> told;
    if (shard.rows.size() == 0) {
      return told;
    }
    auto const chosen = choose_sources(shard, transposed);
    std::vector<local_id> place_in_block(chosen.size(), 0);
    told.push_back(0);
    for (std::size_t source = 0; source < chosen.size(); ++source) {
      if (chosen[source] != 0) {
        place_in_block[source] = static_cast<local_id>(own.num_pulled++);
        told.push_back(static_cast<local_id>(source));
      }
    }
    told.front() = static_cast<local_id>(own.num_pulled);
    std::vector<std::pair<local_id, local_id>> edges;
    for (std::int64_t i = 0; i < shard.rows.size(); ++i) {
      for (auto e = shard.offsets[i]; e < shard.offsets[i + 1]; ++e) {
        auto const source = shard.columns[e];
        if (chosen[static_cast<std::size_t>(source)] != 0) {
          edges.emplace_back(shard.rows[i], place_in_block[static_cast<std::size_t>(source)]);
          continue;
        }
        if (own.summed.empty() || own.summed.back() != shard.rows[i]) {
          own.summed.push_back(shard.rows[i]);
        }
        told.push_back(static_cast<local_id>(own.summed.size() - 1));
        told.push_back(source);
      }
    }
    own.pulled_by_source = listed_edges(swapped(edges));
    own.pulled = listed_edges(std::move(edges));
    return told;
  }

  void serve(array_view<Space, local_id const> rows, std::byte const* block, std::int64_t bytes,
             std::int64_t k) {
    auto& own = steps_[static_cast<std::size_t>(k)];
    std::vector<local_id> told(static_cast<std::size_t>(bytes / number_bytes));
    if (told.empty()) {
      return;
    }
    std::memcpy(told.data(), block, static_cast<std::size_t>(bytes));
    auto const first_edge = 1 + static_cast<std::size_t>(told[0]);
    for (std::size_t i = 1; i < first_edge; ++i) {
      own.sent.push_back(rows[told[i]]);
    }
    std::vector<std::pair<local_id, local_id>> edges;
    for (auto i = first_edge; i + 1 < told.size(); i += 2) {
      own.num_served = told[i] + 1; // they ascend
      edges.emplace_back(told[i], rows[told[i + 1]]);
    }
    own.pushed_by_source = listed_edges(swapped(edges));
    own.pushed = listed_edges(std::move(edges));
  }

  [[nodiscard]] static std::vector<std::pair<local_id, local_id>>
  swapped(std::vector<std::pair<local_id, local_id>> edges) {
    for (auto& [row, column] : edges) {
      std::swap(row, column);
    }
    return edges;
  }

  std::int64_t num_own_;
  std::int64_t num_rows_;
  std::vector<step> steps_; // [R]
};

} // namespace glt::detail
