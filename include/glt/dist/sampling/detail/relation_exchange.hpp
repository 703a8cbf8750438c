// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/reply_exchange.hpp>
#include <glt/dist/detail/exchange/requests.hpp>
#include <glt/dist/sampling/detail/relation_draws.hpp>
#include <glt/dist/sampling/detail/relation_stitch.hpp>
#include <glt/dist/sampling/detail/sample_reply.hpp>
#include <glt/dist/sampling/detail/typed_rows.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/rule/rule.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt::dist {

/// Draws neighbours over several relations at once, wherever the vertices live: one hop of the protocol for
/// heterogeneous graphs.
///
/// As `sample_exchange`; a vertex travels once, whatever the number of relations that end at its type.
template <communicator Comm, device_policy Policy, vertex_id Vertex, class Rule = uniform_rule>
class relation_exchange {
  static_assert(host_accessible(Policy::space),
                "relation_exchange packs messages on the host: use a host-accessible policy");
  static constexpr memory_space space = Policy::space;

public:
  using query_type = typename Rule::query_type;
  using relation_type = relation_request<space, Vertex, Rule>;
  using frontier_type = array_view<space, Vertex const>;
  using queries_type = array_view<space, query_type const>;

  relation_exchange(Comm comm, Policy policy) : requests_(std::move(comm)), drawer_(std::move(policy)) {}

  /// Says how the vertices of all types are numbered together; needed before the first `draw`.
  void set_rows(typed_rows rows) { typed_ = std::move(rows); }

  /// Takes part in the first message of a hop only to report a failure; always throws.
  ///
  /// @throws collective_error  on every rank
  void refuse(call_site site, std::string const& failure) { requests_.refuse(site, failure); }

  /// The draws of every relation for every vertex of the frontier of its node type, in its order; valid until
  /// the next call.
  ///
  /// A rank that cannot draw for itself still answers the others, so that nobody waits for it, and throws
  /// afterwards.
  ///
  /// @shape  frontiers [T], global ids, empty where no relation draws · queries [T], one per vertex, or [0]
  ///         if the rule has none · relations, and what is returned, [relations]
  /// @comm   collective; one header exchange and, where a rank asks anything, two payload exchanges: 4 bytes
  ///         a vertex and sizeof(query_type) if there are queries, and per relation as `sample_exchange` back
  /// @throws collective_error  on every rank, if a rank has a vertex in a frontier that its type has not, or
  ///                           calls with another `value`
  std::span<hop_sample<Policy, Vertex> const> draw(call_site site, std::int64_t value,
                                                   std::span<frontier_type const> frontiers,
                                                   std::span<queries_type const> queries,
                                                   std::span<relation_type const> relations, bool edge_ids) {
    auto const misrouted = failure_of([&] { route(frontiers, queries); });
    if (!misrouted.empty()) {
      requests_.refuse(site, misrouted);
    }
    requests_.start(site, value, {});
    std::exception_ptr failure;
    try {
      std::array<std::int64_t, 2> const one_asker{0, std::ssize(requests_.own())};
      own_.draw(drawer_, typed_, requests_.comm().rank(), requests_.own(), one_asker, own_queries(), relations,
                edge_ids);
    } catch (...) {
      failure = std::current_exception();
    }
    requests_.finish();
    if (requests_.anything()) {
      answer(relations, edge_ids);
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
    stitch_.begin(requests_, first_place_, [&](std::size_t rank) { return replies_.from(rank); });
    stitched_.resize(std::max(stitched_.size(), relations.size())); // those that rest keep their memory
    for (std::size_t e = 0; e < relations.size(); ++e) {
      auto const type = relations[e].node_type;
      stitch_.add(type, layout_of(relations[e], edge_ids), own_.offsets(e, type, 0), own_.of_relation(e), edge_ids,
                  stitched_[e]);
    }
    return std::span(stitched_).first(relations.size());
  }

private:
  static sample_reply_layout<Vertex> layout_of(relation_type const& relation, bool edge_ids) {
    return {largest_count<Rule>(relation.options), edge_ids};
  }

  [[nodiscard]] std::span<query_type const> own_queries() const {
    if constexpr (has_query<Rule>) {
      return requests_.template own_items<query_type>();
    } else {
      return {};
    }
  }
  [[nodiscard]] std::span<query_type const> received_queries() const {
    if constexpr (has_query<Rule>) {
      return requests_.template received_items<query_type>();
    } else {
      return {};
    }
  }

  // Sends all frontiers as one list, type after type.
  void route(std::span<frontier_type const> frontiers, std::span<queries_type const> queries) {
    joined_.clear();
    joined_queries_.clear();
    first_place_.assign(1, 0);
    for (std::size_t t = 0; t < frontiers.size(); ++t) {
      for (auto const vertex : frontiers[t]) {
        joined_.push_back(typed_.joined_id(static_cast<int>(t), vertex));
      }
      if constexpr (has_query<Rule>) {
        joined_queries_.insert(joined_queries_.end(), queries[t].begin(), queries[t].end());
      }
      first_place_.push_back(std::ssize(joined_));
    }
    requests_.route(typed_.book(), host_view<global_id const>(joined_));
    if constexpr (has_query<Rule>) {
      requests_.attach(std::span<query_type const>(joined_queries_));
    }
  }

  // Serves what the others asked and receives their answers.
  void answer(std::span<relation_type const> relations, bool edge_ids) {
    replies_.run(requests_.comm(), requests_.asked_counts(), requests_.received_counts(), [&] {
      served_.draw(drawer_, typed_, requests_.comm().rank(), requests_.received(), requests_.received_offsets(),
                   received_queries(), relations, edge_ids);
      reply_sizes_.assign(requests_.received_counts().size(), 0);
      for_each_reply(relations, [&](std::size_t rank, std::size_t e, std::span<edge_offset const> offsets) {
        reply_sizes_[rank] +=
            layout_of(relations[e], edge_ids).bytes(std::ssize(offsets) - 1, offsets.back() - offsets.front());
      });
      reply_bytes_.set(reply_sizes_, 1);
      reply_.resize(reply_bytes_.total());
      std::byte* out = reply_.data();
      for_each_reply(relations, [&](std::size_t, std::size_t e, std::span<edge_offset const> offsets) {
        auto const layout = layout_of(relations[e], edge_ids);
        auto const& drawn = served_.of_relation(e);
        layout.pack(offsets, drawn.sources.data(), drawn.edge_ids.data(), out);
        out += layout.bytes(std::ssize(offsets) - 1, offsets.back() - offsets.front());
      });
      return reply_bytes_.out(reply_.data());
    });
  }

  // f(rank, relation, offsets of its draws) in the order in which they lie in the replies.
  template <class F>
  void for_each_reply(std::span<relation_type const> relations, F f) const {
    for (std::size_t rank = 0; rank < requests_.received_counts().size(); ++rank) {
      for (std::size_t e = 0; e < relations.size(); ++e) {
        if (auto const offsets = served_.offsets(e, relations[e].node_type, rank); offsets.size() > 1) {
          f(rank, e, offsets);
        }
      }
    }
  }

  typed_rows typed_;
  requests<Comm> requests_;
  hop_drawer<Policy> drawer_;
  relation_draws<Policy, Vertex, Rule> own_;
  relation_draws<Policy, Vertex, Rule> served_;
  relation_stitch<Comm, Policy, Vertex> stitch_;
  std::vector<hop_sample<Policy, Vertex>> stitched_; // by relation
  std::vector<global_id> joined_;                    // the frontiers of all types
  std::vector<query_type> joined_queries_;
  std::vector<std::int64_t> first_place_; // of every type in joined_
  std::vector<std::int64_t> reply_sizes_;
  detail::byte_counts reply_bytes_;
  buffer<Policy, std::byte> reply_;
  reply_exchange replies_{"neighbours"};
};

} // namespace glt::dist
