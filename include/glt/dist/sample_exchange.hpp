// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/comm/exchange.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/core/bytes.hpp>
#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/agree.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/near_rows.hpp>
#include <glt/dist/requests.hpp>
#include <glt/dist/sample_reply.hpp>
#include <glt/dist/shared_graph.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/draw.hpp>
#include <glt/sample/neighbors.hpp>
#include <glt/sample/rule.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace glt::dist {

/// The rule by which the requests of a rank are served; empty if one rule serves all.
template <class Rule>
using rule_source = std::function<Rule(int rank)>;

/// Draws the neighbours of one frontier, wherever its vertices live: one hop of the protocol.
///
/// Requests travel to the owners while the own vertices are sampled, and those of parts that are read in place; the
/// owners draw and send counts and sources back; the draws are put in the order of the frontier.
template <communicator Comm, device_policy Policy, vertex_id Vertex, class Rule = uniform_rule>
class sample_exchange {
  static_assert(host_accessible(Policy::space),
                "sample_exchange packs messages on the host: use a host-accessible policy");
  static constexpr memory_space space = Policy::space;

public:
  using request_type = hop_request<space, Vertex, Rule>;

  sample_exchange(Comm comm, Policy policy) : requests_(std::move(comm)), drawer_(std::move(policy)) {}

  /// True if the draws of a row depend on nothing but the graph, so that whoever reads it can draw.
  static constexpr bool draws_in_place = std::is_empty_v<Rule> && !has_query<Rule>;

  /// Samples rows of other ranks in place from now on, where there are views of them and the rule allows it.
  ///
  /// @comm   none
  /// @throws precondition_error  if there is not one entry per rank, with the own one, or a view has not the rows and
  ///                             columns of its part
  void read_in_place(partition_book const& book, node_views<part_view<space, Vertex>> neighborhood) {
    near_rows near(neighborhood, requests_.comm().rank(), requests_.comm().size());
    for (std::size_t part = 0; part < neighborhood.of_rank.size(); ++part) {
      if (neighborhood.of_rank[part]) {
        check(book, static_cast<int>(part), *neighborhood.of_rank[part]);
      }
    }
    if (!draws_in_place) {
      neighborhood = {.of_rank = {}, .reason = "the rule looks at more of a row than its edges", .keeper = {}};
      neighborhood.of_rank.resize(static_cast<std::size_t>(requests_.comm().size()));
      neighborhood.of_rank[static_cast<std::size_t>(requests_.comm().rank())].emplace();
      near = near_rows(neighborhood, requests_.comm().rank(), requests_.comm().size());
    }
    neighborhood_ = std::move(neighborhood);
    near_drawn_.resize(neighborhood_.of_rank.size());
    near_ = std::move(near);
  }

  /// Why rows of some ranks are not sampled in place; empty if those of all are.
  [[nodiscard]] std::string const& why_not_in_place() const noexcept { return near_.reason(); }
  /// Rows sampled so far.
  [[nodiscard]] read_counts counts() const noexcept { return counts_; }

  /// Takes part in the first message of a hop only to report a failure; always throws.
  ///
  /// @throws collective_error  on every rank
  void refuse(call_site site, std::string const& failure) {
    requests_.refuse(site, failure);
  }

  /// The draws for every vertex of the frontier, in its order; valid until the next call.
  ///
  /// `rule_of` says by which rule a rank's requests are served, the own ones included; if it is empty, by that of
  /// the request. A rank that cannot sample for itself still answers the others, so that nobody waits for it, and
  /// throws afterwards.
  ///
  /// @shape  request.rows [S] global ids of any part; its `original` is not looked at
  /// @comm   collective; see `neighbor_sampler`
  /// @throws collective_error  on every rank, if a rank has a vertex outside [0, V) in its frontier
  hop_sample<Policy, Vertex> const& draw(call_site site, graph<Policy, Vertex> const& graph, request_type request,
                                         bool edge_ids, rule_source<Rule> const& rule_of = {}) {
    auto const misrouted = failure_of([&] {
      route(graph.book(), request.rows);
      if constexpr (has_query<Rule>) {
        auto const num_rows = static_cast<std::size_t>(request.rows.size());
        requests_.attach(std::span<query_type const>(request.queries.data(), num_rows));
      }
    });
    if (!misrouted.empty()) {
      requests_.refuse(site, misrouted);
    }
    requests_.start(site, static_cast<std::int64_t>(request.key.bits()), {});
    std::exception_ptr failure;
    try {
      auto const rule = rule_of ? rule_of(requests_.comm().rank()) : request.rule;
      draw_rows({graph.local(), graph.original()}, request, rule, requests_.own(), own_queries(), edge_ids, own_);
      draw_near(request, rule, edge_ids);
    } catch (...) {
      failure = std::current_exception();
    }
    requests_.finish();
    sample_reply_layout<Vertex> const layout(largest_count<Rule>(request.options), edge_ids);
    if (requests_.anything()) {
      answer(graph, request, edge_ids, layout, rule_of);
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
    stitch(request.rows.size(), edge_ids, layout);
    count();
    return stitched_;
  }

private:
  using query_type = typename Rule::query_type;

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

  static void check(partition_book const& book, int part, part_view<space, Vertex> const& view) {
    auto const rows = view.graph.num_rows();
    if (rows != book.size(part) || view.original.size() != rows || view.graph.num_columns() != book.num_vertices()) {
      throw precondition_error(detail::message("view of ", rows, " rows and ", view.graph.num_columns(),
                                               " columns with ", view.original.size(), " original ids for part ", part,
                                               " of ", book.size(part), " of ", book.num_vertices(),
                                               " vertices; share the parts that the graphs were made of"));
    }
  }

  // With parts that are read in place, the own one among them, only the rest is routed.
  template <class Rows>
  void route(partition_book const& book, Rows rows) {
    if (!near_.any()) {
      requests_.route(book, rows);
      return;
    }
    near_.divide(book, rows);
    requests_.route(book, host_view<global_id const>(near_.rest()));
  }

  void draw_near(request_type const& request, Rule const& rule, bool edge_ids) {
    for (std::size_t part = 0; part < near_.num_parts(); ++part) {
      if (near_.is_near(part)) {
        draw_rows(*neighborhood_.of_rank[part], request, rule, near_.rows_of(part), {}, edge_ids, near_drawn_[part]);
      }
    }
  }

  void count() {
    for (std::size_t part = 0; part < near_.num_parts(); ++part) {
      bool const is_own = static_cast<int>(part) == requests_.comm().rank();
      (is_own ? counts_.own : counts_.in_place) += std::ssize(near_.rows_of(part));
    }
    counts_.own += std::ssize(requests_.own());
    counts_.remote += std::ssize(requests_.asked());
  }

  void draw_rows(part_view<space, Vertex> const& part, request_type const& request, Rule const& rule,
                 std::span<local_id const> rows, std::span<query_type const> queries, bool edge_ids,
                 hop_sample<Policy, Vertex>& out) {
    hop_request<space, local_id, Rule> const of_rows{
        .rows = {rows.data(), std::ssize(rows)},
        .original = part.original,
        .options = request.options,
        .key = request.key,
        .rule = rule,
        .queries = {queries.data(), std::ssize(queries)}};
    drawer_.draw(part.graph, of_rows, edge_ids, out);
  }

  // Draws for the other ranks: all at once, or rank by rank where their rules differ.
  void serve(graph<Policy, Vertex> const& graph, request_type const& request, bool edge_ids,
             rule_source<Rule> const& rule_of) {
    auto const ranks = requests_.received_counts().size();
    served_.resize(rule_of ? ranks : 1);
    if (!rule_of) {
      draw_rows({graph.local(), graph.original()}, request, request.rule, requests_.received(), received_queries(),
                edge_ids, served_[0]);
      return;
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      auto const first = static_cast<std::size_t>(requests_.received_offsets()[rank]);
      auto const rows = requests_.received_of(rank);
      auto const queries = has_query<Rule> ? received_queries().subspan(first, rows.size()) : received_queries();
      draw_rows({graph.local(), graph.original()}, request, rule_of(static_cast<int>(rank)), rows, queries, edge_ids,
                served_[rank]);
    }
  }

  // The offsets of what was drawn for a rank, into the sources of `served_for(rank)`.
  [[nodiscard]] std::span<edge_offset const> served_offsets(std::size_t rank) const {
    auto const first = served_.size() == 1 ? requests_.received_offsets()[rank] : 0;
    return {served_for(rank).offsets.data() + first, static_cast<std::size_t>(requests_.received_counts()[rank]) + 1};
  }
  [[nodiscard]] hop_sample<Policy, Vertex> const& served_for(std::size_t rank) const {
    return served_[served_.size() == 1 ? 0 : rank];
  }

  // Serves what the others asked and receives their answers. A rank that cannot serve still answers, with
  // nothing, so that nobody waits for it; its error then leaves here, and the requesters' too.
  void answer(graph<Policy, Vertex> const& graph, request_type const& request, bool edge_ids,
              sample_reply_layout<Vertex> const& layout, rule_source<Rule> const& rule_of) {
    auto const ranks = requests_.received_counts().size();
    std::exception_ptr failure;
    try {
      serve(graph, request, edge_ids, rule_of);
      reply_sizes_.assign(ranks, 0);
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        auto const offsets = served_offsets(rank);
        reply_sizes_[rank] = layout.bytes(requests_.received_counts()[rank], offsets.back() - offsets.front());
      }
      reply_bytes_.set(reply_sizes_, 1);
      reply_.resize(reply_bytes_.total());
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        auto const& drawn = served_for(rank);
        layout.pack(served_offsets(rank), drawn.sources.data(), drawn.edge_ids.data(),
                    reply_.data() + reply_bytes_.offset(rank));
      }
    } catch (...) {
      failure = std::current_exception();
      reply_sizes_.assign(ranks, 0);
      reply_bytes_.set(reply_sizes_, 1);
    }
    asked_.assign(ranks, 0);
    answering_.assign(ranks, 0);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      asked_[rank] = requests_.asked_counts()[rank] > 0 ? 1 : 0;
      answering_[rank] = requests_.received_counts()[rank] > 0 ? 1 : 0;
    }
    requests_.comm().all_to_all_replies(reply_bytes_.out(reply_.data()), asked_, answering_, answers_);
    if (failure) {
      std::rethrow_exception(failure);
    }
  }

  // Draws of this rank, those in place and received ones, in the order of the frontier.
  void stitch(std::int64_t frontier_size, bool edge_ids, sample_reply_layout<Vertex> const& layout) {
    auto& offsets = stitched_.offsets;
    offsets.resize(frontier_size + 1);
    for_each_drawn([&](std::span<std::int64_t const> places, hop_sample<Policy, Vertex> const& drawn) {
      for (std::size_t i = 0; i < places.size(); ++i) {
        auto const row = static_cast<std::int64_t>(i);
        offsets[places[i] + 1] = drawn.offsets[row + 1] - drawn.offsets[row];
      }
    });
    auto const first = requests_.asked_offsets();
    for_each_answer([&](int rank, std::byte const* reply, std::int64_t num_rows) {
      std::int64_t num_edges = 0;
      for (std::int64_t i = 0; i < num_rows; ++i) {
        auto const count = layout.count(reply, i);
        num_edges += count;
        offsets[place(first, rank, i) + 1] = count;
      }
      if (answers_.sizes[static_cast<std::size_t>(rank)] != layout.bytes(num_rows, num_edges)) {
        throw error(detail::message("answer of rank ", rank, " has ", answers_.sizes[static_cast<std::size_t>(rank)],
                                    " bytes instead of ", layout.bytes(num_rows, num_edges)));
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
        auto const first_edge = drawn.offsets[static_cast<std::int64_t>(i)];
        put(places[i], drawn.sources.data() + first_edge, edge_ids ? drawn.edge_ids.data() + first_edge : nullptr);
      }
    });
    for_each_answer([&](int rank, std::byte const* reply, std::int64_t num_rows) {
      auto const* sources = reply + num_rows * layout.count_bytes();
      auto const bytes = answers_.sizes[static_cast<std::size_t>(rank)] - num_rows * layout.count_bytes();
      auto const per_edge = layout.bytes(0, 1);
      auto const* ids = edge_ids ? sources + bytes / per_edge * static_cast<std::int64_t>(sizeof(Vertex)) : nullptr;
      for (std::int64_t i = 0; i < num_rows; ++i) {
        auto const to = place(first, rank, i);
        put(to, sources, ids);
        auto const count = offsets[to + 1] - offsets[to];
        sources += count * static_cast<std::int64_t>(sizeof(Vertex));
        ids = edge_ids ? ids + count * static_cast<std::int64_t>(sizeof(edge_id)) : nullptr;
      }
    });
  }

  // What this rank has drawn for itself, with the places of that in the frontier.
  template <class F>
  void for_each_drawn(F f) const {
    if (!near_.any()) {
      f(requests_.own_places(), own_);
    }
    for (std::size_t part = 0; part < near_.num_parts(); ++part) {
      if (near_.is_near(part)) {
        f(near_.places_of(part), near_drawn_[part]);
      }
    }
  }

  template <class F>
  void for_each_answer(F f) {
    if (!requests_.anything()) {
      return;
    }
    for (std::size_t rank = 0; rank < requests_.asked_counts().size(); ++rank) {
      auto const num_rows = requests_.asked_counts()[rank];
      if (num_rows == 0) {
        continue;
      }
      if (answers_.sizes[rank] == 0) {
        throw error(detail::message("rank ", rank,
                                    " could not answer a request for neighbours; its own error says why"));
      }
      f(static_cast<int>(rank), answers_.data.data() + answers_.offsets[rank], num_rows);
    }
  }

  [[nodiscard]] std::int64_t place(std::span<std::int64_t const> first, int rank, std::int64_t i) const {
    auto const routed = requests_.asked_places()[static_cast<std::size_t>(first[static_cast<std::size_t>(rank)] + i)];
    return near_.any() ? near_.rest_places()[static_cast<std::size_t>(routed)] : routed;
  }

  // The draws of one frontier vertex, from memory of any alignment.
  void put(std::int64_t to, void const* sources, void const* edge_ids) {
    auto const begin = stitched_.offsets[to];
    auto const count = stitched_.offsets[to + 1] - begin;
    detail::copy_bytes(stitched_.sources.data() + begin, sources, count * static_cast<std::int64_t>(sizeof(Vertex)));
    if (edge_ids != nullptr) {
      detail::copy_bytes(stitched_.edge_ids.data() + begin, edge_ids, count * static_cast<std::int64_t>(sizeof(edge_id)));
    }
  }

  requests<Comm> requests_;
  hop_drawer<Policy> drawer_;
  near_rows near_;
  node_views<part_view<space, Vertex>> neighborhood_;
  read_counts counts_;
  hop_sample<Policy, Vertex> own_;
  std::vector<hop_sample<Policy, Vertex>> near_drawn_; // [P], of parts that are read in place
  std::vector<hop_sample<Policy, Vertex>> served_; // one for all requesters, or one for each
  hop_sample<Policy, Vertex> stitched_;
  std::vector<std::int64_t> reply_sizes_;
  byte_counts reply_bytes_;
  buffer<Policy, std::byte> reply_;
  std::vector<char> asked_;
  std::vector<char> answering_;
  reply_buffer answers_;
};

} // namespace glt::dist
