// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/reply_exchange.hpp>
#include <glt/dist/detail/exchange/requests.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/sampling/detail/near_draws.hpp>
#include <glt/dist/sampling/detail/sample_reply.hpp>
#include <glt/dist/sampling/detail/sample_serving.hpp>
#include <glt/dist/sampling/detail/sample_stitch.hpp>
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

namespace glt::dist {

/// Draws the neighbours of one frontier, wherever its vertices live: one hop of the protocol.
///
/// Requests travel to the owners while the own vertices are sampled, and those of parts that are read in place; the
/// owners draw and send counts and sources back; the draws are put in the order of the frontier.
template <communicator Comm, device_policy Policy, vertex_id Vertex, class Rule = uniform_rule>
class sample_exchange {
  static_assert(host_policy<Policy>,
                "sample_exchange packs messages on the host: use a policy of the host, or parallel_sample_exchange");
  static constexpr memory_space space = Policy::space;

public:
  using request_type = hop_request<space, Vertex, Rule>;

  sample_exchange(Comm comm, Policy policy) : requests_(std::move(comm)), serving_(std::move(policy)) {}

  /// True if the draws of a row depend on nothing but the graph, so that whoever reads it can draw.
  static constexpr bool draws_in_place = std::is_empty_v<Rule> && !has_query<Rule>;

  /// Samples rows of other ranks in place from now on, where there are views of them and the rule allows it.
  ///
  /// @comm   none
  /// @throws precondition_error  if there is not one entry per rank, with the own one, or a view has not the rows and
  ///                             columns of its part
  void read_in_place(partition_book const& book, node_views<part_view<space, Vertex>> neighborhood) {
    near_.set(book, std::move(neighborhood), requests_.comm().rank(), requests_.comm().size(), draws_in_place);
  }

  /// Why rows of some ranks are not sampled in place; empty if those of all are.
  [[nodiscard]] std::string const& why_not_in_place() const noexcept { return near_.rows().reason(); }
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
      serving_.draw({graph.local(), graph.original()}, request, rule, requests_.own(), own_queries(), edge_ids, own_);
      near_.draw([&](auto const& part, std::span<local_id const> rows, auto& drawn) {
        serving_.draw(part, request, rule, rows, {}, edge_ids, drawn);
      });
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
    count();
    return stitch_.run(
        request.rows.size(), edge_ids, layout, [this](auto f) { for_each_drawn(f); },
        [this](auto f) { for_each_answer(f); }, [this](int rank, std::int64_t i) { return place(rank, i); });
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

  // With parts that are read in place, the own one among them, only the rest is routed.
  template <class Rows>
  void route(partition_book const& book, Rows rows) {
    if (!near_.rows().any()) {
      requests_.route(book, rows);
      return;
    }
    near_.rows().divide(book, rows);
    requests_.route(book, host_view<global_id const>(near_.rows().rest()));
  }

  void count() {
    auto const& near = near_.rows();
    for (std::size_t part = 0; part < near.num_parts(); ++part) {
      bool const is_own = static_cast<int>(part) == requests_.comm().rank();
      (is_own ? counts_.own : counts_.in_place) += std::ssize(near.rows_of(part));
    }
    counts_.own += std::ssize(requests_.own());
    counts_.remote += requests_.num_asked();
  }

  // Serves what the others asked and receives their answers.
  void answer(graph<Policy, Vertex> const& graph, request_type const& request, bool edge_ids,
              sample_reply_layout<Vertex> const& layout, rule_source<Rule> const& rule_of) {
    replies_.run(requests_.comm(), requests_.asked_counts(), requests_.received_counts(), [&] {
      serving_.serve({graph.local(), graph.original()}, request, requests_, edge_ids, layout, rule_of);
      return serving_.replies();
    });
  }

  // What this rank has drawn for itself, with the places of that in the frontier.
  template <class F>
  void for_each_drawn(F f) const {
    if (!near_.rows().any()) {
      f(requests_.own_places(), own_);
    }
    near_.for_each_drawn(f);
  }

  template <class F>
  void for_each_answer(F f) const {
    for (std::size_t rank = 0; requests_.anything() && rank < requests_.asked_counts().size(); ++rank) {
      auto const num_rows = requests_.asked_counts()[rank];
      if (num_rows > 0) {
        auto const answer = replies_.from(rank);
        f(sample_answer{static_cast<int>(rank), answer.data(), std::ssize(answer), num_rows});
      }
    }
  }

  [[nodiscard]] std::int64_t place(int rank, std::int64_t i) const {
    auto const first = requests_.routed_offsets()[static_cast<std::size_t>(rank)];
    auto const routed = requests_.places()[static_cast<std::size_t>(first + i)];
    return near_.rows().any() ? near_.rows().rest_places()[static_cast<std::size_t>(routed)] : routed;
  }

  requests<Comm> requests_;
  near_draws<Policy, Vertex> near_;
  read_counts counts_;
  sample_serving<Policy, Vertex, Rule> serving_;
  hop_sample<Policy, Vertex> own_;
  sample_stitch<Policy, Vertex> stitch_;
  reply_exchange replies_{"neighbours"};
};

} // namespace glt::dist
