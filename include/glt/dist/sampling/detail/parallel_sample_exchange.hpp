// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/routed_vertices.hpp>
#include <glt/dist/detail/exchange/view_exchange.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/sampling/detail/parallel_serving.hpp>
#include <glt/dist/sampling/detail/parallel_stitch.hpp>
#include <glt/dist/sampling/detail/reply_slices.hpp>
#include <glt/dist/sampling/detail/rule_by_requester.hpp>
#include <glt/dist/sampling/detail/sample_serving.hpp>
#include <glt/dist/shared/near_rows.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/rule/rule.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace glt::dist {

/// `sample_exchange` for policies whose memory the host does not work on: the same draws for a frontier, made by
/// nothing but the calls of the policy's executor.
///
/// Rows of this rank and those that others ask for are drawn in one pass. The host learns sizes, twice a hop: how many
/// vertices go to every rank, and how many edges.
template <communicator Comm, device_policy Policy, vertex_id Vertex, class Rule = uniform_rule>
class parallel_sample_exchange {
  static constexpr memory_space space = Policy::space;

public:
  using request_type = hop_request<space, Vertex, Rule>;

  parallel_sample_exchange(Comm comm, Policy policy)
      : routed_(std::move(comm), policy), served_queries_(0, policy), rules_(policy), serving_(policy), stitch_(policy) {}

  /// Rows sampled so far.
  [[nodiscard]] read_counts counts() const noexcept { return counts_; }

  /// Why rows of some ranks are not sampled in place; empty if those of all are.
  [[nodiscard]] std::string const& why_not_in_place() const noexcept { return why_not_in_place_; }

  /// Takes part in the first message of a hop only to report a failure; always throws.
  ///
  /// @throws collective_error  on every rank
  void refuse(call_site site, std::string const& failure) { routed_.refuse(site, failure); }

  /// The draws for every vertex of the frontier, in its order; valid until the next call.
  ///
  /// `rule_of` says by which rule a rank's requests are served, the own ones included; if it is empty, by that of
  /// the request.
  ///
  /// @shape  request.rows [S] global ids of any part; its `original` is not looked at
  /// @comm   collective; one header exchange; where any rank asks another one exchange of 4 bytes a remote vertex (and
  ///         one of its queries), one header exchange with the numbers of edges, and one of the draws
  /// @throws collective_error  on every rank, if a rank has a vertex outside [0, V) in its frontier, or cannot serve
  template <device_policy GraphPolicy>
  hop_sample<Policy, Vertex> const& draw(call_site site, graph<GraphPolicy, Vertex> const& graph,
                                         request_type const& request, bool edge_ids,
                                         rule_source<Rule> const& rule_of = {}) {
    auto const misrouted = failure_of([&] { routed_.route(graph.book(), request.rows); });
    if (!misrouted.empty()) {
      refuse(site, misrouted);
    }
    for (auto const headers = routed_.send(site, static_cast<std::int64_t>(request.key.bits()));
         auto const& header : headers) {
      if (header.value != headers[0].value) {
        throw collective_error(static_cast<int>(&header - headers.data()),
                               "calls with another key than rank 0; pass the "
                               "same seed, epoch and step on all ranks");
      }
    }
    if constexpr (has_query<Rule>) {
      routed_.send_items(request.queries, served_queries_);
    }
    counts_.own += routed_.num_routed(routed_.rank());
    counts_.remote += request.rows.size() - routed_.num_routed(routed_.rank());
    if constexpr (!has_query<Rule> && !std::is_empty_v<Rule>) {
      if (rule_of) {
        rules_.set(rule_of, routed_.received_offsets());
        return draw_received(site, graph, request, rules_.rule(), rules_.queries(), edge_ids);
      }
    }
    return draw_received(site, graph, request, request.rule, std::as_const(served_queries_).view(), edge_ids);
  }

private:
  template <class Graph, class ServedRule, class Queries>
  hop_sample<Policy, Vertex> const& draw_received(call_site site, Graph const& graph, request_type const& request,
                                                  ServedRule rule, Queries queries, bool edge_ids) {
    hop_request<space, local_id, ServedRule, Graph::space> const of_rows{.rows = routed_.received(),
                                                                         .original = graph.original(),
                                                                         .options = request.options,
                                                                         .key = request.key,
                                                                         .rule = rule,
                                                                         .queries = queries};
    if (!routed_.anything()) { // all rows are own ones, in the order of the frontier
      return serving_.draw(graph.local(), of_rows, edge_ids);
    }
    aligned_reply_layout<Vertex> const layout(largest_count<Rule>(of_rows.options), edge_ids);
    answer(site, graph, of_rows, edge_ids, layout);
    return stitch_.run(routed_.places(), serving_, routed_.rank(), edge_ids, layout);
  }

  // Draws, tells every rank how many edges it gets, and exchanges them. A rank that cannot do so tells the others
  // instead.
  template <class Graph, class Request>
  void answer(call_site site, Graph const& graph, Request const& of_rows, bool edge_ids,
              aligned_reply_layout<Vertex> const& layout) {
    auto const self = routed_.rank();
    edges_.assign(static_cast<std::size_t>(routed_.size()), 0);
    auto const failure = failure_of([&] {
      serving_.serve(graph.local(), of_rows, routed_.received_offsets(), self, edge_ids, layout);
      edges_.assign(serving_.edges().begin(), serving_.edges().end());
      stitch_.reserve(routed_.places().size(), likely_bytes(of_rows.options, layout));
    });
    headers_.resize(edges_.size());
    exchange_headers(routed_.exchange().host(), site, edges_, 0, failure, headers_);
    for (std::size_t rank = 0; rank < headers_.size(); ++rank) {
      edges_[rank] = headers_[rank].count;
    }
    stitch_.expect(routed_.routed_offsets(), edges_, self, layout);
    routed_.exchange().start_slices(serving_.messages(), serving_.message_offsets(), stitch_.messages(),
                                    stitch_.message_offsets());
    routed_.exchange().wait();
  }

  // The most that the others may send, if the fanout tells and that is not much: memory that is lacking is best
  // noticed before they are told to send.
  [[nodiscard]] std::int64_t likely_bytes(hop_options options,
                                          aligned_reply_layout<Vertex> const& layout) const {
    constexpr std::int64_t most_edges = std::int64_t{1} << 24;
    auto const rows = routed_.places().size() - routed_.num_routed(routed_.rank());
    auto const fanout = largest_count<Rule>(options);
    bool const is_known = fanout >= 0 && rows > 0 && fanout <= most_edges / rows;
    return is_known ? layout.bytes(rows, rows * fanout) + routed_.size() * layout.alignment : 0;
  }

  routed_vertices<Comm, Policy> routed_;
  buffer<Policy, typename Rule::query_type> served_queries_;
  glt::detail::requester_rules<Policy, Rule> rules_;
  parallel_serving<Policy, Vertex> serving_;
  parallel_stitch<Policy, Vertex> stitch_;
  std::vector<std::int64_t> edges_;  // [R]
  std::vector<call_header> headers_; // [R]
  read_counts counts_;
  std::string why_not_in_place_ = "rows of other ranks are sampled in place by policies of the host";
};

} // namespace glt::dist
