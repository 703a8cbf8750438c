// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/sampling/detail/hop_requests.hpp>
#include <glt/dist/sampling/detail/relation_draws.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/batch/draw.hpp>

#include <array>
#include <functional>
#include <span>
#include <vector>

namespace glt::detail {

/// Draws of a rank in a hop for every requester: in one pass, or one by one if their rules differ. Host policies draw
/// for this rank separately. Reusable.
template <device_policy Policy, vertex_id Vertex, class Rule, memory_space GraphSpace>
class requester_draws {
  static constexpr memory_space space = Policy::space;
  static constexpr bool own_apart = host_policy<Policy>;
  using query_type = typename Rule::query_type;
  using draws = relation_draws<Policy, Vertex, Rule, GraphSpace>;

public:
  using relation_type = relation_request<GraphSpace, Vertex, Rule>;
  using rows_type = requested_rows<space, query_type>;
  /// Function that returns the rule for a rank's requests over a relation; empty if the relation's rule is for all
  /// ranks.
  using rule_source = std::function<Rule(int rank, std::size_t relation)>;

  explicit requester_draws(Policy policy) : policy_(policy), own_(policy) {}

  /// Borrows relations and options of the draws until the next call.
  ///
  /// @shape  first_rows [T + 1], of every type in the part
  void begin(int rank, std::span<std::int64_t const> first_rows, std::span<relation_type const> relations,
             bool edge_ids, rule_source const& rule_of) {
    rank_ = static_cast<std::size_t>(rank);
    first_rows_ = first_rows;
    relations_ = relations;
    edge_ids_ = edge_ids;
    rule_of_ = rule_of ? &rule_of : nullptr;
  }

  /// Draws for the requests of this rank, if they are separate.
  void draw_own(rows_type const& requests) { draw_for(rank_, own_, requests); }

  /// Draws for all other requests.
  ///
  /// @shape  offsets [R + 1], of the requests of each rank
  void draw_received(rows_type const& requests, std::span<std::int64_t const> offsets) {
    while (served_.size() < (rule_of_ != nullptr ? offsets.size() - 1 : 1)) {
      served_.emplace_back(policy_);
    }
    if (rule_of_ == nullptr) {
      served_[0].draw(first_rows_, requests.rows, offsets, requests.queries, relations_, edge_ids_);
      return;
    }
    for (std::size_t rank = 0; rank + 1 < offsets.size(); ++rank) {
      auto const count = offsets[rank + 1] - offsets[rank];
      draw_for(rank, served_[rank],
               {requests.rows.subview(offsets[rank], count),
                has_query<Rule> ? requests.queries.subview(offsets[rank], count) : requests.queries});
    }
  }

  /// Returns the draws over a relation for a rank, also for this rank.
  [[nodiscard]] drawn_rows<Vertex> of(std::size_t rank, std::size_t relation) const {
    return own_apart && rank == rank_ ? own_.of(relation, 0)
           : rule_of_ != nullptr      ? served_[rank].of(relation, 0)
                                      : served_[0].of(relation, rank);
  }
  /// Returns the draws for this rank, if no other rank sent requests.
  [[nodiscard]] std::span<hop_sample<Policy, Vertex> const> drawn() const noexcept {
    return (own_apart ? own_ : served_[rule_of_ != nullptr ? rank_ : 0]).drawn();
  }

private:
  void draw_for(std::size_t rank, draws& to, rows_type const& requests) {
    with_rule_.assign(relations_.begin(), relations_.end());
    if (rule_of_ != nullptr) {
      for (std::size_t e = 0; e < with_rule_.size(); ++e) {
        with_rule_[e].rule = (*rule_of_)(static_cast<int>(rank), e);
      }
    }
    std::array<std::int64_t, 2> const ends{0, requests.rows.size()};
    to.draw(first_rows_, requests.rows, ends, requests.queries, with_rule_, edge_ids_);
  }

  Policy policy_;
  draws own_;
  std::vector<draws> served_; // one for all requesters, or one for each
  std::vector<relation_type> with_rule_;
  std::size_t rank_ = 0;
  std::span<std::int64_t const> first_rows_;
  std::span<relation_type const> relations_;
  bool edge_ids_ = false;
  rule_source const* rule_of_ = nullptr;
};

} // namespace glt::detail
