// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/ragged_replies.hpp>
#include <glt/dist/detail/exchange/routed_list.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/sampling/detail/near_draws.hpp>
#include <glt/dist/sampling/detail/relation_draws.hpp>
#include <glt/dist/sampling/detail/reply_layout.hpp>
#include <glt/dist/sampling/detail/reply_merging.hpp>
#include <glt/dist/sampling/detail/reply_packing.hpp>
#include <glt/dist/sampling/detail/typed_rows.hpp>
#include <glt/dist/shared/near_rows.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/memory/policy.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/rule/rule.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace glt::detail {

// Where the places of a type begin among those of a rank.
struct place_search {
  std::int64_t const* places = nullptr;
  std::int64_t size = 0;
  std::int64_t wanted = 0;
  std::int64_t found = 0;
};

template <memory_space Space>
struct find_places {
  array_view<Space, place_search> searches;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto& search = searches[i];
    std::int64_t first = 0;
    for (auto last = search.size; first < last;) {
      auto const middle = first + (last - first) / 2;
      if (search.places[middle] < search.wanted) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    search.found = first;
  }
};

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
  using routed = routed_list<Comm, Policy>;
  using draws = relation_draws<Policy, Vertex, Rule, GraphSpace>;

public:
  using query_type = typename Rule::query_type;
  using relation_type = relation_request<GraphSpace, Vertex, Rule>;
  using frontier_type = array_view<space, Vertex const>;
  using queries_type = array_view<space, query_type const>;
  /// The rule by which the requests of a rank are served; empty if that of the relation serves all.
  using rule_source = std::function<Rule(int rank)>;

  /// True if the draws of a row depend on nothing but the graph, so that whoever reads it can draw.
  static constexpr bool draws_in_place = std::is_empty_v<Rule> && !has_query<Rule>;

  hop_exchange(Comm comm, Policy policy)
      : policy_(policy), own_(policy), near_(make_near(policy)), packing_(policy), messages_(policy),
        replies_("neighbours", policy), merging_(policy), joined_queries_(0, policy), search_table_(0, policy),
        routed_(std::move(comm), policy) {}

  /// Says how the vertices of all types are divided; needed before the first `draw`.
  ///
  /// @shape  books [T], one per node type, of as many parts as there are ranks
  /// @throws precondition_error  if a part has more vertices of all types than a `local_id` can number
  void set_books(std::vector<partition_book> books) { rows_.emplace(std::move(books), routed_.size(), policy_); }

  /// Samples rows of other ranks in place from now on, where there are views of them and the rule allows it.
  ///
  /// @comm   none
  /// @throws precondition_error  if there is not one entry per rank, with the own one, or a view has not the rows and
  ///                             columns of its part
  void read_in_place(partition_book const& book,
                     node_views<part_view<space, Vertex>> neighborhood) requires host_policy<Policy> {
    near_.set(book, std::move(neighborhood), routed_.rank(), routed_.size(), draws_in_place);
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
  [[noreturn]] void refuse(call_site site, std::string const& failure) { routed_.refuse(site, failure); }

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
    auto const misrouted = dist::failure_of([&] { route(frontiers, queries, relations); });
    if (!misrouted.empty()) {
      routed_.refuse(site, misrouted);
    }
    routed_.start(site, value, {});
    std::exception_ptr failure;
    if constexpr (routed::own_apart) {
      try {
        draw_own(relations, edge_ids, rule_of);
      } catch (...) {
        failure = std::current_exception();
      }
    }
    routed_.finish();
    if (routed_.anything()) {
      exchange_replies(site, relations, edge_ids, rule_of);
    } else if constexpr (!routed::own_apart) {
      serve(relations, edge_ids, rule_of);
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
    count();
    if (!routed_.anything() && !any_near()) { // all rows are own ones, in the order of the frontiers
      return own_draws(static_cast<bool>(rule_of)).drawn();
    }
    return merge(edge_ids, static_cast<bool>(rule_of));
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
      if (!rows_ || !(rows_->book() == graph.book())) {
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
  [[nodiscard]] bool any_near() const noexcept {
    if constexpr (host_policy<Policy>) {
      return near_.rows().any();
    } else {
      return false;
    }
  }
  [[nodiscard]] bool is_self(std::size_t rank) const noexcept { return static_cast<int>(rank) == routed_.rank(); }
  [[nodiscard]] std::size_t num_ranks() const noexcept { return static_cast<std::size_t>(routed_.size()); }
  [[nodiscard]] std::size_t num_types() const noexcept { return static_cast<std::size_t>(rows_->num_types()); }

  template <class T>
  static array_view<space, T const> as_view(typename routed::template list<T> list) {
    return {list.data(), static_cast<std::int64_t>(list.size())};
  }
  [[nodiscard]] queries_type items_of(bool own) const {
    if constexpr (has_query<Rule>) {
      return as_view<query_type>(own ? routed_.template own_items<query_type>()
                                     : routed_.template received_items<query_type>());
    } else {
      return {};
    }
  }

  // Sends all frontiers as one list, type after type.
  void route(std::span<frontier_type const> frontiers, std::span<queries_type const> queries,
             std::span<relation_type const> relations) {
    first_place_.assign(1, 0);
    for (auto const& frontier : frontiers) {
      first_place_.push_back(first_place_.back() + frontier.size());
    }
    sizes_.clear();
    types_.clear();
    count_bytes_.clear();
    for (auto const& relation : relations) {
      types_.push_back(static_cast<std::size_t>(relation.node_type));
      sizes_.push_back(frontiers[types_.back()].size());
      count_bytes_.push_back(count_bytes_of(largest_count<Rule>(relation.options)));
    }
    if (num_types() == 1) {
      route_one_type(frontiers[0]);
    } else {
      try {
        routed_.route(rows_->book(), rows_->join(frontiers, std::span<std::int64_t const>(first_place_)));
      } catch (precondition_error const&) {
        rows_->check(frontiers); // throws
        throw;
      }
      find_types();
    }
    if constexpr (has_query<Rule>) {
      routed_.attach(joined(queries));
    }
  }

  // With parts that are read in place, the own one among them, only the rest is routed.
  void route_one_type(frontier_type frontier) {
    if constexpr (host_policy<Policy>) {
      if (any_near()) {
        auto& near = near_.rows();
        near.divide(rows_->book(), frontier);
        routed_.route(rows_->book(), host_view<global_id const>(near.rest()));
        places_.clear();
        for (auto const place : routed_.places()) {
          places_.push_back(near.rest_places()[static_cast<std::size_t>(place)]);
        }
        return;
      }
    }
    routed_.route(rows_->book(), frontier);
  }

  [[nodiscard]] queries_type joined(std::span<queries_type const> queries) {
    if (queries.size() == 1) {
      return queries[0];
    }
    joined_queries_.clear();
    joined_queries_.resize(first_place_.back());
    for (std::size_t t = 0; t < queries.size(); ++t) {
      if (!queries[t].empty()) {
        policy_.resource().copy(joined_queries_.data() + first_place_[t], queries[t].data(),
                                static_cast<std::size_t>(queries[t].size()) * sizeof(query_type));
      }
    }
    return std::as_const(joined_queries_).view();
  }

  // Where each type begins among what is asked of every rank.
  void find_types() {
    searches_.clear();
    for (std::size_t rank = 0; rank < num_ranks(); ++rank) {
      for (auto const first : first_place_) {
        searches_.push_back({.places = routed_.places().data() + routed_.routed_offsets()[rank],
                             .size = routed_.num_routed(static_cast<int>(rank)),
                             .wanted = first});
      }
    }
    search_table_.resize(std::ssize(searches_));
    copy_in(policy_, host_view<place_search const>(searches_), search_table_.view());
    policy_.executor().for_each(search_table_.size(), find_places<space>{search_table_.view()});
    copy_out(policy_, search_table_.view(), host_view<place_search>(searches_));
  }

  // The places of the rows of a type that a rank is asked for, the own one included.
  [[nodiscard]] frontier_places rows_of(std::size_t rank, std::size_t type) const {
    auto const* const all = any_near() ? places_.data() : routed_.places().data();
    auto const* const places = all + routed_.routed_offsets()[rank];
    if (num_types() == 1) {
      return {places, routed_.num_routed(static_cast<int>(rank)), 0};
    }
    auto const i = rank * first_place_.size() + type;
    return {places + searches_[i].found, searches_[i + 1].found - searches_[i].found, first_place_[type]};
  }

  void draw_own(std::span<relation_type const> relations, bool edge_ids, rule_source const& rule_of) {
    drawing_.assign(relations.begin(), relations.end());
    if (rule_of) {
      drawing_[0].rule = rule_of(routed_.rank());
    }
    std::array<std::int64_t, 2> const ends{0, routed_.num_routed(routed_.rank())};
    own_.draw(rows_->first_rows(routed_.rank()), as_view<local_id>(routed_.own()), ends, items_of(true), drawing_,
              edge_ids);
    if constexpr (host_policy<Policy>) {
      if (any_near()) {
        near_.draw(drawing_[0], edge_ids);
      }
    }
  }

  // Draws for the other ranks, all at once or rank by rank where their rules differ, and packs what they get.
  void serve(std::span<relation_type const> relations, bool edge_ids, rule_source const& rule_of) {
    auto const received = as_view<local_id>(routed_.received());
    auto const queries = items_of(false);
    auto const offsets = routed_.received_offsets();
    while (served_.size() < (rule_of ? num_ranks() : 1)) {
      served_.emplace_back(policy_);
    }
    if (!rule_of) {
      served_[0].draw(rows_->first_rows(routed_.rank()), received, offsets, queries, relations, edge_ids);
      return;
    }
    for (std::size_t rank = 0; rank < num_ranks(); ++rank) {
      auto const count = offsets[rank + 1] - offsets[rank];
      std::array<std::int64_t, 2> const ends{0, count};
      drawing_.assign(relations.begin(), relations.end());
      drawing_[0].rule = rule_of(static_cast<int>(rank));
      served_[rank].draw(rows_->first_rows(routed_.rank()), received.subview(offsets[rank], count), ends,
                         has_query<Rule> ? queries.subview(offsets[rank], count) : queries, drawing_, edge_ids);
    }
  }

  // Serves what the others asked and receives their replies.
  void exchange_replies(call_site site, std::span<relation_type const> relations, bool edge_ids,
                        rule_source const& rule_of) {
    replies_.run(routed_.comm(), site, routed_.asked_counts(), routed_.received_counts(), messages_, [&] {
      serve(relations, edge_ids, rule_of);
      packing_.pack(
          routed_.size(), routed_.rank(), count_bytes_, edge_ids,
          [&](std::size_t rank, std::size_t e) { return rule_of ? served_[rank].of(e, 0) : served_[0].of(e, rank); },
          messages_);
      if constexpr (!host_policy<Policy>) {
        replies_.reserve(likely_bytes(relations, edge_ids));
      }
    });
  }

  [[nodiscard]] std::int64_t count_bytes_from(std::size_t rank) const {
    std::int64_t bytes = 0;
    for (std::size_t e = 0; e < types_.size(); ++e) {
      bytes += rows_of(rank, types_[e]).size * count_bytes_[e];
    }
    return bytes;
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
    counts_.own += routed_.num_routed(routed_.rank());
    counts_.remote += routed_.num_asked();
  }

  // What this rank has drawn for itself, and for which requester that is.
  [[nodiscard]] draws const& own_draws(bool by_rank) const {
    return routed::own_apart ? own_ : served_[by_rank ? static_cast<std::size_t>(routed_.rank()) : 0];
  }

  std::span<hop_sample<Policy, Vertex> const> merge(bool edge_ids, bool by_rank) {
    merging_.begin(count_bytes_, sizes_, edge_ids);
    if constexpr (host_policy<Policy>) {
      near_.for_each_drawn([&](std::span<std::int64_t const> places, drawn_rows<Vertex> const& drawn) {
        merging_.add_own(0, {places.data(), std::ssize(places), 0}, drawn);
      });
    }
    std::int64_t num_edges = 0;
    for (std::size_t rank = 0; rank < num_ranks(); ++rank) {
      if (is_self(rank)) {
        for (std::size_t e = 0; e < types_.size(); ++e) {
          auto const drawn = own_draws(by_rank).of(e, routed::own_apart || by_rank ? 0 : rank);
          merging_.add_own(e, rows_of(rank, types_[e]), drawn);
          num_edges += drawn.num_edges;
        }
      } else if (routed_.asked_counts()[rank] > 0) {
        num_edges += add_message(rank, edge_ids);
      }
    }
    return merging_.run(types_.size() == 1 ? num_edges : -1);
  }

  // Returns how many edges it has.
  std::int64_t add_message(std::size_t rank, bool edge_ids) {
    auto const reply = replies_.from(rank);
    auto const layout = reply_layout<Policy, Vertex>::of_size(reply.size(), count_bytes_from(rank), edge_ids);
    merging_.add_message(rank, reply.data(), reply.size(), layout,
                         [&](std::size_t e) { return rows_of(rank, types_[e]); });
    return layout.num_edges;
  }

  Policy policy_;
  std::optional<typed_rows<Policy>> rows_;
  draws own_;
  std::vector<draws> served_; // one for all requesters, or one for each
  near_type near_;
  reply_packing<Policy, Vertex> packing_;
  rank_messages<Policy> messages_;
  ragged_replies<Policy> replies_;
  reply_merging<Policy, Vertex> merging_;
  dist::read_counts counts_;
  std::vector<relation_type> drawing_;
  std::vector<std::size_t> types_;        // [relations]
  std::vector<std::int64_t> sizes_;       // [relations], of their frontiers
  std::vector<std::int64_t> count_bytes_; // [relations]
  std::vector<std::int64_t> first_place_; // [T + 1], of every type in the routed list
  std::vector<std::int64_t> places_;      // of the routed list in the frontier, where parts are read in place
  buffer<Policy, query_type> joined_queries_;
  std::vector<place_search> searches_; // [R, T + 1]
  buffer<Policy, place_search> search_table_;
  routed routed_; // last: completed before the memory goes
};

} // namespace glt::detail
