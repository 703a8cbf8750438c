// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/agreement.hpp>
#include <glt/dist/detail/exchange/ragged_replies.hpp>
#include <glt/dist/sampling/detail/relation_draws.hpp>
#include <glt/dist/sampling/detail/reply_layout.hpp>
#include <glt/dist/sampling/detail/reply_merging.hpp>
#include <glt/dist/sampling/detail/reply_packing.hpp>
#include <glt/dist/sampling/detail/type_places.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/rule/rule.hpp>

#include <span>
#include <vector>

namespace glt::detail {

/// Exchange of a hop's draws: sends them to requesters, and merges local and received draws in frontier order;
/// reusable.
///
/// Call `plan`; then `exchange` if any rank asks another; then `merge`.
template <device_policy Policy, vertex_id Vertex>
class hop_replies {
  static constexpr memory_space space = Policy::space;

public:
  explicit hop_replies(Policy policy)
      : packing_(policy), messages_(policy), replies_("neighbours", policy), merging_(policy) {}

  /// Plans the draws of a hop.
  ///
  /// @shape  frontiers [T] · relations [relations]
  template <class Rule, memory_space GraphSpace>
  void plan(std::span<array_view<space, Vertex const> const> frontiers,
            std::span<relation_request<GraphSpace, Vertex, Rule> const> relations, bool edge_ids) {
    edge_ids_ = edge_ids;
    relations_.clear();
    sizes_.clear();
    count_bytes_.clear();
    for (auto const& relation : relations) {
      auto const fanout = largest_count<Rule>(relation.options);
      relations_.push_back({static_cast<std::size_t>(relation.node_type), fanout});
      sizes_.push_back(frontiers[relations_.back().type].size());
      count_bytes_.push_back(count_bytes_of(fanout));
    }
  }

  /// Calls serve() to answer the other ranks' requests, sends the replies, and receives replies.
  ///
  /// @comm   collective; see `ragged_replies`
  template <class Requests, class Draws, class Serve>
  void exchange(Requests& requests, call_site site, Draws const& draws, Serve serve) {
    replies_.run(requests.comm(), site, requests.counts(), requests.received_counts(), messages_, [&] {
      serve();
      packing_.pack(
          requests.size(), requests.rank(), count_bytes_, edge_ids_,
          [&](std::size_t rank, std::size_t e) { return draws.of(rank, e); }, messages_);
      if constexpr (!host_policy<Policy>) {
        replies_.reserve(likely_bytes());
      }
    });
  }

  /// Returns the draws of every relation, in the order of its frontier; valid until the next call.
  ///
  /// If is_here(rank), the rows of this rank were drawn here, and drawn_of(rank, relation) returns their draws.
  ///
  /// @throws error  if a rank could not serve, or its reply is malformed
  template <class Requests, class IsHere, class DrawnOf>
  std::span<hop_sample<Policy, Vertex> const> merge(Requests const& requests, IsHere is_here, DrawnOf drawn_of) {
    merging_.begin(count_bytes_, sizes_, edge_ids_);
    std::int64_t num_edges = 0;
    for (std::size_t rank = 0; rank < requests.counts().size(); ++rank) {
      auto const places_of = [&](std::size_t e) { return requests.places_of(rank, relations_[e].type); };
      if (is_here(rank)) {
        for (std::size_t e = 0; e < relations_.size(); ++e) {
          auto const drawn = drawn_of(rank, e);
          merging_.add_own(e, places_of(e), drawn);
          num_edges += drawn.num_edges;
        }
      } else if (requests.counts()[rank] > 0) {
        num_edges += add_message(rank, places_of);
      }
    }
    return merging_.run(relations_.size() == 1 ? num_edges : -1);
  }

private:
  struct planned_relation {
    std::size_t type;
    std::int64_t fanout; // the most edges of a row, or −1
  };

  // Adds the reply of a rank; returns its number of edges.
  template <class PlacesOf>
  std::int64_t add_message(std::size_t rank, PlacesOf places_of) {
    std::int64_t count_bytes = 0;
    for (std::size_t e = 0; e < relations_.size(); ++e) {
      count_bytes += places_of(e).size * count_bytes_[e];
    }
    auto const reply = replies_.from(rank);
    auto const layout = reply_layout<Policy, Vertex>::of_size(reply.size(), count_bytes, edge_ids_);
    merging_.add_message(rank, reply.data(), reply.size(), layout, places_of);
    return layout.num_edges;
  }

  // Returns an upper bound on the bytes of the replies, if fanouts give one that is not too large; else 0. So a lack of
  // memory is noticed before other ranks send.
  [[nodiscard]] std::int64_t likely_bytes() const {
    constexpr std::int64_t most_edges = std::int64_t{1} << 24;
    std::int64_t bytes = 0;
    for (std::size_t e = 0; e < relations_.size(); ++e) {
      auto const fanout = relations_[e].fanout;
      auto const rows = sizes_[e];
      if (fanout < 0 || (rows > 0 && fanout > most_edges / rows)) {
        return 0;
      }
      bytes += reply_layout<Policy, Vertex>{rows * count_bytes_[e], rows * fanout, edge_ids_}.bytes();
    }
    return bytes;
  }

  reply_packing<Policy, Vertex> packing_;
  rank_messages<Policy> messages_;
  ragged_replies<Policy> replies_;
  reply_merging<Policy, Vertex> merging_;
  std::vector<planned_relation> relations_;
  std::vector<std::int64_t> sizes_;       // [relations], sizes of their frontiers
  std::vector<std::int64_t> count_bytes_; // [relations], of a row in a message
  bool edge_ids_ = false;
};

} // namespace glt::detail
