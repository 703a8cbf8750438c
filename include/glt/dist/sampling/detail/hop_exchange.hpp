// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/ragged_replies.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/sampling/detail/hop_requests.hpp>
#include <glt/dist/sampling/detail/near_draws.hpp>
#include <glt/dist/sampling/detail/relation_draws.hpp>
#include <glt/dist/sampling/detail/reply_layout.hpp>
#include <glt/dist/sampling/detail/reply_merging.hpp>
#include <glt/dist/sampling/detail/reply_packing.hpp>
#include <glt/dist/sampling/detail/requester_draws.hpp>
#include <glt/dist/shared/near_rows.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/rule/rule.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace glt::detail {

/// Draws neighbours over several relations at once, wherever the vertices live: one hop of the protocol, which is what
/// every distributed sampler is made of.
///
/// Requests travel to the owners while hosts draw for the own vertices, and those of parts that are read in place; the
/// owners draw and send counts and sources back; the draws are put in the order of the frontiers. A vertex travels once,
/// whatever the number of relations that end at its type; a graph without types is one relation. Policies that are not
/// of the host draw for all ranks in one pass, and tell each other the sizes of their replies before they send them.
/// Concurrent calls: none.
template <communicator Comm, device_policy Policy, vertex_id Vertex, class Rule = uniform_rule,
          memory_space GraphSpace = Policy::space>
class hop_exchange {
  static constexpr memory_space space = Policy::space;
  using requests_type = hop_requests<Comm, Policy, typename Rule::query_type>;
  using draws_type = requester_draws<Policy, Vertex, Rule, GraphSpace>;
  static constexpr bool own_apart = requests_type::own_apart;

public:
  using relation_type = typename draws_type::relation_type;
  using frontier_type = array_view<space, Vertex const>;
  using queries_type = typename requests_type::queries_type;
  using rule_source = typename draws_type::rule_source;

  /// True if the draws of a row depend on nothing but the graph, so that whoever reads it can draw.
  static constexpr bool draws_in_place = std::is_empty_v<Rule> && !has_query<Rule>;

  hop_exchange(Comm comm, Policy policy)
      : near_(make_near(policy)), draws_(policy), packing_(policy), messages_(policy), replies_("neighbours", policy),
        merging_(policy), requests_(std::move(comm), policy) {}

  /// Says how the vertices of all types are divided; needed before the first `draw`.
  ///
  /// @shape  books [T], one per node type, of as many parts as there are ranks
  /// @throws precondition_error  if a part has more vertices of all types than a `local_id` can number
  void set_books(std::vector<partition_book> books) { requests_.set_books(std::move(books)); }

  /// Samples rows of other ranks in place from now on, where there are views of them and the rule allows it.
  ///
  /// @comm   none
  /// @throws precondition_error  if there is not one entry per rank, with the own one, or a view has not the rows and
  ///                             columns of its part
  void read_in_place(partition_book const& book,
                     node_views<dist::part_view<space, Vertex>> neighborhood) requires host_policy<Policy> {
    near_.set(book, std::move(neighborhood), requests_.rank(), requests_.size(), draws_in_place);
  }

  /// Why rows of some ranks are not sampled in place; empty if those of all are.
  [[nodiscard]] std::string const& why_not_in_place() const noexcept {
    if constexpr (host_policy<Policy>) {
      return near_.rows().reason();
    } else {
      return near_;
    }
  }
  /// Rows sampled so far.
  [[nodiscard]] dist::read_counts counts() const noexcept { return counts_; }

  /// Takes part in the first message of a hop only to report a failure; never returns.
  ///
  /// @throws collective_error  on every rank
  [[noreturn]] void refuse(call_site site, std::string const& failure) { requests_.refuse(site, failure); }

  /// The draws of every relation for every vertex of the frontier of its node type, in its order; valid until
  /// the next call.
  ///
  /// `rule_of` is for one relation. A rank that cannot draw for itself still answers the others, so that nobody
  /// waits for it, and throws afterwards.
  ///
  /// @shape  frontiers [T], global ids, empty where no relation draws · queries [T], one per vertex, or [0]
  ///         if the rule has none · relations, and what is returned, [relations]
  /// @comm   collective; one header exchange and, where any rank asks another, two payload exchanges: 4 bytes
  ///         a vertex and sizeof(query_type) if there are queries; and back, per relation, at most 4 bytes a vertex and
  ///         sizeof(Vertex) an edge, and 8 for its id. Policies that are not of the host need one header exchange more
  /// @throws collective_error  on every rank, if a rank has a vertex in a frontier that its type has not, or
  ///                           calls with another `value`; if not on a host also if one cannot serve
  std::span<hop_sample<Policy, Vertex> const> draw(call_site site, std::int64_t value,
                                                   std::span<frontier_type const> frontiers,
                                                   std::span<queries_type const> queries,
                                                   std::span<relation_type const> relations, bool edge_ids,
                                                   rule_source const& rule_of = {}) {
    auto const misrouted = dist::failure_of([&] {
      plan(frontiers, relations);
      requests_.route(frontiers, queries, in_place());
    });
    if (!misrouted.empty()) {
      requests_.refuse(site, misrouted);
    }
    requests_.start(site, value);
    draws_.begin(requests_.rank(), requests_.first_rows(), relations, edge_ids, rule_of);
    std::exception_ptr failure;
    if constexpr (own_apart) {
      try {
        draws_.draw_own(requests_.own());
        if (in_place() != nullptr) {
          near_.draw(relations[0], edge_ids);
        }
      } catch (...) {
        failure = std::current_exception();
      }
    }
    requests_.finish();
    if (requests_.anything()) {
      exchange_replies(site, relations, edge_ids);
    } else if constexpr (!own_apart) {
      serve();
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
    count();
    if (!requests_.anything() && in_place() == nullptr) { // all rows are own ones, in the order of the frontiers
      return draws_.drawn();
    }
    return merge(edge_ids);
  }

  /// The same over the only relation of a graph without types.
  ///
  /// @shape  request.rows [S] global ids of any part; its `original` is not looked at
  template <device_policy GraphPolicy>
    requires(GraphPolicy::space == GraphSpace)
  hop_sample<Policy, Vertex>
  const& draw(call_site site, dist::graph<GraphPolicy, Vertex> const& graph,
              hop_request<space, Vertex, Rule> const& request, bool edge_ids, rule_source const& rule_of = {}) {
    auto const failure = dist::failure_of([&] {
      if (!requests_.is_divided_as(graph.book())) {
        set_books({graph.book()});
      }
    });
    if (!failure.empty()) {
      refuse(site, failure);
    }
    relation_type const relation{.node_type = 0,
                                 .local = graph.local(),
                                 .original = graph.original(),
                                 .options = request.options,
                                 .key = request.key,
                                 .rule = request.rule};
    return draw(site, static_cast<std::int64_t>(request.key.bits()), std::span(&request.rows, 1),
                std::span(&request.queries, 1), std::span(&relation, 1), edge_ids, rule_of)[0];
  }

private:
  // What is read in place, or why nothing is.
  using near_type = std::conditional_t<host_policy<Policy>, near_draws<Policy, Vertex, Rule>, std::string>;

  static near_type make_near([[maybe_unused]] Policy const& policy) {
    if constexpr (host_policy<Policy>) {
      return near_type(policy);
    } else {
      return "rows of other ranks are sampled in place by policies of the host";
    }
  }
  // The rows of other ranks that are read in place; null if none are.
  [[nodiscard]] dist::near_rows* in_place() noexcept {
    if constexpr (host_policy<Policy>) {
      return near_.rows().any() ? &near_.rows() : nullptr;
    } else {
      return nullptr;
    }
  }
  [[nodiscard]] bool is_self(std::size_t rank) const noexcept { return static_cast<int>(rank) == requests_.rank(); }

  void plan(std::span<frontier_type const> frontiers, std::span<relation_type const> relations) {
    sizes_.clear();
    types_.clear();
    count_bytes_.clear();
    for (auto const& relation : relations) {
      types_.push_back(static_cast<std::size_t>(relation.node_type));
      sizes_.push_back(frontiers[types_.back()].size());
      count_bytes_.push_back(count_bytes_of(largest_count<Rule>(relation.options)));
    }
  }

  void serve() { draws_.draw_received(requests_.received(), requests_.received_offsets()); }

  // Serves what the others asked and receives their replies.
  void exchange_replies(call_site site, std::span<relation_type const> relations, bool edge_ids) {
    replies_.run(requests_.comm(), site, requests_.counts(), requests_.received_counts(), messages_, [&] {
      serve();
      packing_.pack(
          requests_.size(), requests_.rank(), count_bytes_, edge_ids,
          [&](std::size_t rank, std::size_t e) { return draws_.of(rank, e); }, messages_);
      if constexpr (!host_policy<Policy>) {
        replies_.reserve(likely_bytes(relations, edge_ids));
      }
    });
  }

  // The most that the others may send, if the fanouts tell and that is not much: memory that is lacking is best
  // noticed before they are told to send.
  [[nodiscard]] std::int64_t likely_bytes(std::span<relation_type const> relations, bool edge_ids) const {
    constexpr std::int64_t most_edges = std::int64_t{1} << 24;
    std::int64_t bytes = 0;
    for (std::size_t e = 0; e < relations.size(); ++e) {
      auto const fanout = largest_count<Rule>(relations[e].options);
      auto const rows = sizes_[e];
      if (fanout < 0 || (rows > 0 && fanout > most_edges / rows)) {
        return 0;
      }
      bytes += reply_layout<Policy, Vertex>{rows * count_bytes_[e], rows * fanout, edge_ids}.bytes();
    }
    return bytes;
  }

  void count() {
    if constexpr (host_policy<Policy>) {
      auto const& near = near_.rows();
      for (std::size_t part = 0; part < near.num_parts(); ++part) {
        (is_self(part) ? counts_.own : counts_.in_place) += std::ssize(near.rows_of(part));
      }
    }
    counts_.own += requests_.count(requests_.rank());
    counts_.remote += requests_.num_remote();
  }

  std::span<hop_sample<Policy, Vertex> const> merge(bool edge_ids) {
    merging_.begin(count_bytes_, sizes_, edge_ids);
    if constexpr (host_policy<Policy>) {
      near_.for_each_drawn([&](std::span<std::int64_t const> places, drawn_rows<Vertex> const& drawn) {
        merging_.add_own(0, {places.data(), std::ssize(places), 0}, drawn);
      });
    }
    std::int64_t num_edges = 0;
    for (std::size_t rank = 0; rank < requests_.counts().size(); ++rank) {
      if (is_self(rank)) {
        for (std::size_t e = 0; e < types_.size(); ++e) {
          auto const drawn = draws_.of(rank, e);
          merging_.add_own(e, requests_.places_of(rank, types_[e]), drawn);
          num_edges += drawn.num_edges;
        }
      } else if (requests_.counts()[rank] > 0) {
        num_edges += add_message(rank, edge_ids);
      }
    }
    return merging_.run(types_.size() == 1 ? num_edges : -1);
  }

  // Returns how many edges it has.
  std::int64_t add_message(std::size_t rank, bool edge_ids) {
    auto const places_of = [&](std::size_t e) { return requests_.places_of(rank, types_[e]); };
    std::int64_t count_bytes = 0;
    for (std::size_t e = 0; e < types_.size(); ++e) {
      count_bytes += places_of(e).size * count_bytes_[e];
    }
    auto const reply = replies_.from(rank);
    auto const layout = reply_layout<Policy, Vertex>::of_size(reply.size(), count_bytes, edge_ids);
    merging_.add_message(rank, reply.data(), reply.size(), layout, places_of);
    return layout.num_edges;
  }

  near_type near_;
  draws_type draws_;
  reply_packing<Policy, Vertex> packing_;
  rank_messages<Policy> messages_;
  ragged_replies<Policy> replies_;
  reply_merging<Policy, Vertex> merging_;
  dist::read_counts counts_;
  std::vector<std::size_t> types_;        // [relations]
  std::vector<std::int64_t> sizes_;       // [relations], of their frontiers
  std::vector<std::int64_t> count_bytes_; // [relations]
  requests_type requests_;                // last: completed before the memory goes
};

} // namespace glt::detail
