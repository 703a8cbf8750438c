// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/sampling/detail/hop_replies.hpp>
#include <glt/dist/sampling/detail/hop_requests.hpp>
#include <glt/dist/sampling/detail/relation_draws.hpp>
#include <glt/dist/sampling/detail/requester_draws.hpp>
#include <glt/dist/sampling/detail/shared_draws.hpp>
#include <glt/dist/sampling/read_counts.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/rule/rule.hpp>

#include <exception>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace glt::detail {

/// One hop of the protocol: draws neighbours over several relations at once, on all ranks. Every distributed sampler is
/// built on it.
///
/// Requests travel to the owners; meanwhile host policies draw for local vertices and for parts that are read in place.
/// Owners draw and send counts and sources back; the draws are merged in the order of the frontiers. A vertex travels
/// once, however many relations end at its type; a graph without types is one relation. Device policies draw for all
/// ranks in one pass, and exchange the sizes of replies before the replies. Concurrent calls: none.
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

  /// True if draws of a row depend only on the graph, so that every reader of the row can draw.
  static constexpr bool draws_in_place = std::is_empty_v<Rule> && !has_query<Rule>;

  hop_exchange(Comm comm, Policy policy)
      : shared_(policy), draws_(policy), replies_(policy), requests_(std::move(comm), policy) {}

  /// Sets the partition of every vertex type and the number of batches that draw at once. From now on type t of batch b
  /// is type b · T + t. Needed before the first `draw`.
  ///
  /// @shape  books [T], one per node type, of as many parts as there are ranks
  /// @pre    batches >= 1; not checked
  /// @throws precondition_error  if a part has more vertices of all types and batches than a `local_id` can number
  void set_books(std::span<partition_book const> books, std::int64_t batches = 1) {
    requests_.set_books(books, batches);
  }

  /// Samples rows of other ranks in place from now on, if they have views and the rule allows it.
  ///
  /// @shape  books [node types] · ends [edge types], of the graph
  /// @param  `allowed`  whether draws of the rule depend on the graph alone
  /// @comm   none
  /// @throws precondition_error  as `shared_draws::set`
  void read_in_place(std::span<partition_book const> books, std::span<relation_ends const> ends,
                     node_views<part_view<space, Vertex>> neighborhood, bool allowed = draws_in_place)
    requires host_policy<Policy>
  {
    shared_.set(books, ends, std::move(neighborhood), requests_.rank(), requests_.size(), allowed);
    requests_.keep(shared_.parts().flags());
  }

  /// Returns the reason why rows of some ranks are not sampled in place; empty if all are.
  [[nodiscard]] std::string const& why_not_in_place() const noexcept { return shared_.parts().reason(); }
  /// Counts the rows sampled so far.
  [[nodiscard]] dist::read_counts counts() const noexcept { return counts_; }

  /// Reports a failure in the first message of a hop; never returns.
  ///
  /// @throws collective_error  on every rank
  [[noreturn]] void refuse(call_site site, std::string const& failure) { requests_.refuse(site, failure); }

  /// Draws over every relation for the vertices in the frontier of its node type, in order; valid until the next call.
  ///
  /// A rank that cannot draw for itself still answers the other ranks, which wait for it, and throws afterwards.
  ///
  /// @shape  frontiers [T], or the frontiers of fewer batches, global ids, empty if no relation draws · queries [T],
  ///         one per vertex, or [0] if the rule has none · relations, and the result, [relations]
  /// @comm   collective; one header exchange and, if any rank asks another, two payload exchanges: out 4 bytes per
  ///         vertex and sizeof(query_type) if there are queries; back, per relation, at most 4 bytes per vertex and
  ///         sizeof(Vertex) per edge, plus 8 for its id. Device policies need one more header exchange
  /// @throws collective_error  on every rank, if a frontier of a rank has a vertex outside its type, or a rank calls
  ///                           with another `value`; with a device policy also if a rank cannot serve
  std::span<hop_sample<Policy, Vertex> const> draw(call_site site, std::int64_t value,
                                                   std::span<frontier_type const> frontiers,
                                                   std::span<queries_type const> queries,
                                                   std::span<relation_type const> relations, bool edge_ids,
                                                   rule_source const& rule_of = {}) {
    auto const misrouted = failure_of([&] {
      replies_.plan(frontiers, relations, edge_ids);
      requests_.route(frontiers, queries);
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
        if (shared_.parts().any()) {
          shared_.draw(
              relations, edge_ids, [&](std::size_t part) { return requests_.first_rows_of(static_cast<int>(part)); },
              [&](std::size_t part) { return requests_.rows_of(part); });
        }
      } catch (...) {
        failure = std::current_exception();
      }
    }
    requests_.finish();
    auto const serve = [&] { draws_.draw_received(requests_.received(), requests_.received_offsets()); };
    if (requests_.anything()) {
      replies_.exchange(requests_, site, draws_, serve);
    } else if constexpr (!own_apart) {
      serve();
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
    count();
    if (!requests_.anything() && !shared_.parts().any()) { // all rows are local, in the order of the frontiers
      return draws_.drawn();
    }
    return replies_.merge(
        requests_, [&](std::size_t rank) { return is_self(rank) || is_shared(rank); },
        [&](std::size_t rank, std::size_t e) { return is_shared(rank) ? shared_.of(rank, e) : draws_.of(rank, e); });
  }

private:
  [[nodiscard]] bool is_self(std::size_t rank) const noexcept { return static_cast<int>(rank) == requests_.rank(); }
  [[nodiscard]] bool is_shared(std::size_t rank) const noexcept { return shared_.parts().has(rank); }

  void count() {
    for (std::size_t rank = 0; rank < requests_.counts().size(); ++rank) {
      (is_self(rank)     ? counts_.own
       : is_shared(rank) ? counts_.in_place
                         : counts_.remote) += requests_.rows_of(rank).size();
    }
  }

  shared_draws<Policy, Vertex, Rule, GraphSpace> shared_;
  draws_type draws_;
  hop_replies<Policy, Vertex> replies_;
  dist::read_counts counts_;
  requests_type requests_; // last: completed before the memory goes
};

} // namespace glt::detail
