// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/core/types.hpp>
#include <glt/dist/detail/exchange/requests.hpp>
#include <glt/dist/sampling/detail/sample_reply.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/rule/rule.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace glt::dist {

/// The rule by which the requests of a rank are served; empty if one rule serves all.
template <class Rule>
using rule_source = std::function<Rule(int rank)>;

/// Draws rows of a part, by request, and packs answers for other ranks; reusable.
template <device_policy Policy, vertex_id Vertex, class Rule>
class sample_serving {
  static constexpr memory_space space = Policy::space;
  using query_type = typename Rule::query_type;

public:
  explicit sample_serving(Policy policy) : drawer_(std::move(policy)) {}

  /// Draws for rows of a part, with the options and key of a request.
  ///
  /// @shape  rows [n] · queries [n], or empty if the rule has none
  template <class Request>
  void draw(part_view<space, Vertex> const& part, Request const& request, Rule const& rule,
            std::span<local_id const> rows, std::span<query_type const> queries, bool edge_ids,
            hop_sample<Policy, Vertex>& out) {
    hop_request<space, local_id, Rule> const of_rows{.rows = {rows.data(), std::ssize(rows)},
                                                     .original = part.original,
                                                     .options = request.options,
                                                     .key = request.key,
                                                     .rule = rule,
                                                     .queries = {queries.data(), std::ssize(queries)}};
    drawer_.draw(part.graph, of_rows, edge_ids, out);
  }

  /// Draws for the other ranks, all at once or rank by rank where their rules differ, and packs what they get.
  template <communicator Comm, class Request>
  void serve(part_view<space, Vertex> const& own, Request const& request, requests<Comm> const& asked,
             bool edge_ids, sample_reply_layout<Vertex> const& layout, rule_source<Rule> const& rule_of) {
    auto const ranks = asked.received_counts().size();
    served_.resize(rule_of ? ranks : 1);
    auto const queries = queries_of(asked);
    if (!rule_of) {
      draw(own, request, request.rule, asked.received(), queries, edge_ids, served_[0]);
    }
    for (std::size_t rank = 0; rule_of && rank < ranks; ++rank) {
      auto const first = static_cast<std::size_t>(asked.received_offsets()[rank]);
      auto const rows = asked.received_of(rank);
      draw(own, request, rule_of(static_cast<int>(rank)), rows,
           has_query<Rule> ? queries.subspan(first, rows.size()) : queries, edge_ids, served_[rank]);
    }
    pack(asked, layout);
  }

  /// What goes to the other ranks.
  [[nodiscard]] outgoing replies() const noexcept { return bytes_.out(packed_.data()); }

private:
  template <class Requests>
  static std::span<query_type const> queries_of(Requests const& asked) {
    if constexpr (has_query<Rule>) {
      return asked.template received_items<query_type>();
    } else {
      return {};
    }
  }

  template <class Requests>
  void pack(Requests const& asked, sample_reply_layout<Vertex> const& layout) {
    auto const ranks = asked.received_counts().size();
    // The offsets of what was drawn for a rank, into the sources of `drawn_for(rank)`.
    auto const offsets_of = [&](std::size_t rank) -> std::span<edge_offset const> {
      auto const first = served_.size() == 1 ? asked.received_offsets()[rank] : 0;
      return {drawn_for(rank).offsets.data() + first,
              static_cast<std::size_t>(asked.received_counts()[rank]) + 1};
    };
    sizes_.assign(ranks, 0);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      auto const offsets = offsets_of(rank);
      sizes_[rank] = layout.bytes(asked.received_counts()[rank], offsets.back() - offsets.front());
    }
    bytes_.set(sizes_, 1);
    packed_.resize(bytes_.total());
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      auto const& drawn = drawn_for(rank);
      layout.pack(offsets_of(rank), drawn.sources.data(), drawn.edge_ids.data(),
                  packed_.data() + bytes_.offset(rank));
    }
  }

  [[nodiscard]] hop_sample<Policy, Vertex> const& drawn_for(std::size_t rank) const {
    return served_[served_.size() == 1 ? 0 : rank];
  }

  hop_drawer<Policy> drawer_;
  std::vector<hop_sample<Policy, Vertex>> served_; // one for all requesters, or one for each
  std::vector<std::int64_t> sizes_;
  detail::byte_counts bytes_;
  buffer<Policy, std::byte> packed_;
};

} // namespace glt::dist
