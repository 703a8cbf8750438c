// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/measures.hpp>
#include <glt/dist/detail/exchange/ragged_replies.hpp>
#include <glt/dist/sampling/detail/hop_requests.hpp>
#include <glt/dist/sampling/detail/relation_draws.hpp>
#include <glt/dist/sampling/detail/reply_layout.hpp>
#include <glt/dist/sampling/detail/reply_merging.hpp>
#include <glt/dist/sampling/detail/reply_packing.hpp>
#include <glt/dist/sampling/detail/shared_draws.hpp>
#include <glt/dist/sampling/detail/type_places.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/rule/rule.hpp>

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
    for (std::size_t rank = 0; rank < requests.num_owners(); ++rank) {
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
  /// Function that returns the rule for a rank's requests over a relation to a part; nothing if this rank does not know
  /// it. A rule for another part has the data of this part. Empty if the relation's rule is for all ranks.
  using rule_source = std::function<std::optional<Rule>(int rank, std::size_t relation, int part)>;

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
        with_rule_[e].rule = *(*rule_of_)(static_cast<int>(rank), e, static_cast<int>(rank_));
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

  /// Samples rows of other ranks in place from now on, if there are views of rows and rules' data.
  ///
  /// @shape  books [node types] · ends, rules [edge types], of the graph
  /// @param  `allowed`  as for `shared_draws::set`
  /// @comm   none
  /// @throws precondition_error  as `shared_draws::set`
  void read_in_place(std::span<partition_book const> books, std::span<relation_ends const> ends,
                     node_views<part_view<space, Vertex>> neighborhood, std::span<Rule const> rules, bool allowed,
                     std::shared_ptr<hot_edges<Vertex> const> hot)
    requires host_policy<Policy>
  {
    shared_.set(books, ends, std::move(neighborhood), rules, requests_.rank(), requests_.size(), allowed,
                std::move(hot));
    requests_.keep_copied({}); // until the next draw
  }

  /// Returns true if all ranks sample all rows in place. Then `draw` sends nothing and does not wait for other ranks.
  [[nodiscard]] bool sends_nothing() const noexcept { return shared_.parts().everywhere(); }
  [[nodiscard]] bool reads_in_place(int part) const noexcept {
    return shared_.parts().has(static_cast<std::size_t>(part));
  }
  [[nodiscard]] std::string const& why_not_in_place() const noexcept { return shared_.reason(); }
  /// Counts the rows sampled so far.
  [[nodiscard]] read_counts counts() const noexcept { return counts_; }

  /// Reports a failure in the first message of a hop; never returns.
  ///
  /// @throws collective_error    on every rank
  /// @throws precondition_error  on this rank alone, if hops send nothing
  [[noreturn]] void refuse(call_site site, std::string const& failure) {
    if (sends_nothing()) {
      throw precondition_error(failure);
    }
    requests_.refuse(site, failure);
  }

  /// Draws over every relation for the vertices in the frontier of its node type, in order; valid until the next call.
  ///
  /// A rank that cannot draw for itself still answers the other ranks, which wait for it, and throws afterwards.
  ///
  /// @shape  frontiers [T], or the frontiers of fewer batches, global ids, empty if no relation draws · queries [T],
  ///         one per vertex, or [0] if the rule has none · relations, and the result, [relations]
  /// @comm   none if `sends_nothing`; else collective: one header exchange and, if any rank asks another, two payload
  ///         exchanges: out 4 bytes per vertex and sizeof(query_type) if there are queries; back, per relation, at most
  ///         4 bytes per vertex and sizeof(Vertex) per edge, plus 8 for its id. Device policies need one more header
  ///         exchange
  /// @throws collective_error  on every rank, if a frontier of a rank has a vertex outside its type, or a rank calls
  ///                           with another `value`; with a device policy also if a rank cannot serve
  std::span<hop_sample<Policy, Vertex> const> draw(call_site site, std::int64_t value,
                                                   std::span<frontier_type const> frontiers,
                                                   std::span<queries_type const> queries,
                                                   std::span<relation_type const> relations, bool edge_ids,
                                                   rule_source const& rule_of = {}) {
    bool const sends = !sends_nothing();
    auto const misrouted = failure_of([&] {
      replies_.plan(frontiers, relations, edge_ids);
      if constexpr (own_apart) {
        shared_.choose(relations, rule_of);
        requests_.keep(shared_.chosen());
        requests_.keep_copied(shared_.copied_vertices());
      }
      requests_.route(frontiers, queries);
    });
    if (!misrouted.empty()) {
      refuse(site, misrouted);
    }
    if (sends) {
      requests_.start(site, value);
    }
    draws_.begin(requests_.rank(), requests_.first_rows(), relations, edge_ids, rule_of);
    std::exception_ptr failure;
    if constexpr (own_apart) {
      try {
        draws_.draw_own(requests_.here(static_cast<std::size_t>(requests_.rank())));
        if (shared_.parts().any()) {
          shared_.draw(
              edge_ids, [&](std::size_t part) { return requests_.first_rows_of(static_cast<int>(part)); },
              [&](std::size_t part) { return requests_.here(part); });
        }
      } catch (...) {
        failure = std::current_exception();
      }
    }
    if (sends) {
      requests_.finish();
    }
    auto const serve = [&] { draws_.draw_received(requests_.received(), requests_.received_offsets()); };
    bool const asked = sends && requests_.anything();
    if (asked) {
      replies_.exchange(requests_, site, draws_, serve);
    } else if constexpr (!own_apart) {
      serve();
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
    count();
    if (!asked && !shared_.parts().any()) { // all rows are local, in the order of the frontiers
      return draws_.drawn();
    }
    return replies_.merge(
        requests_, [&](std::size_t rank) { return is_self(rank) || is_shared(rank); },
        [&](std::size_t rank, std::size_t e) { return is_shared(rank) ? shared_.of(rank, e) : draws_.of(rank, e); });
  }

private:
  [[nodiscard]] bool is_self(std::size_t rank) const noexcept { return static_cast<int>(rank) == requests_.rank(); }
  [[nodiscard]] bool is_shared(std::size_t rank) const noexcept { return shared_.has_chosen(rank); }

  void count() {
    for (std::size_t rank = 0; rank < requests_.num_owners(); ++rank) {
      (is_self(rank)     ? counts_.own
       : is_shared(rank) ? counts_.in_place
                         : counts_.remote) += requests_.rows_of(rank).size();
    }
  }

  shared_draws<Policy, Vertex, Rule, GraphSpace> shared_;
  draws_type draws_;
  hop_replies<Policy, Vertex> replies_;
  read_counts counts_;
  requests_type requests_; // last: completed before the memory goes
};

} // namespace glt::detail
