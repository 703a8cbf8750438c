// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/lost_rank.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/ragged_replies.hpp>
#include <glt/dist/detail/exchange/set_request.hpp>
#include <glt/dist/detail/exchange/slice_exchange.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/sampling/detail/known_edges_reply.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/copy.hpp>
#include <glt/memory/detail/adopt_policy.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/detail/batch/batch_numbering.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/known_edges.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

namespace glt::detail {

/// Selects the edges of rows whose sources belong to a set of distinct vertices, on any policy; reusable.
template <device_policy Policy, vertex_id Vertex>
class set_selector {
  static constexpr memory_space space = Policy::space;

public:
  explicit set_selector(Policy policy = {}) : selector_(policy), numbering_(policy) {}

  /// @shape  rows [S] · set [N] · out.offsets [S + 1], written, with sources and, if asked for, edge ids
  /// @units  sources are places in the set
  void select(csr_view<space, Vertex> graph, array_view<space, local_id const> rows,
              array_view<space, Vertex const> set, bool edge_ids, hop_sample<Policy, local_id>& out) {
    numbering_.enter(set);
    selector_.select(graph, rows, set, numbering_.look_up(set), edge_ids, out);
  }

private:
  known_edges<Policy, Vertex> selector_;
  batch_numbering<Policy, Vertex> numbering_;
};

/// Selects the edges into some vertices of a set that come from the set, wherever the vertices live.
///
/// The set travels to the owners of these vertices, who select from their rows and send back only what belongs
/// to it: neither messages nor memory grow with the degrees.
///
/// @comm   per call one header exchange and, where a rank asks another one, two payload exchanges: to each
///         owner of such vertices 4 bytes a vertex of the set and 4 a part; back 4 bytes for each of them and,
///         per edge of the result, 4 bytes and 8 for an edge id if asked for; one header exchange more on policies
///         that are not of the host
template <communicator Comm, device_policy Policy, vertex_id Vertex>
class known_edges_exchange {
  static constexpr memory_space space = Policy::space;

public:
  /// @comm   none, or one reduction; see `device_comm`
  known_edges_exchange(Comm comm, Policy policy)
      : policy_(policy), set_(policy), received_set_(policy), selector_(policy), own_(policy), messages_(policy),
        replies_("edges", policy), of_replies_(0, policy), of_all_(0, policy), begins_(0, policy),
        same_place_(static_cast<std::size_t>(comm.size()), 0), received_(make_message_buffer<local_id>(policy)),
        exchange_(std::move(comm), policy) {}

  /// The edges into the vertices of the set from place `first` on, in that order; valid until the next call.
  ///
  /// @shape  set [N], distinct global ids → offsets [N − first + 1], with sources and, if asked for, edge ids
  /// @units  sources of the result are places in the set
  /// @comm   collective
  /// @throws collective_error  on every rank, if a rank has a vertex outside [0, V) in its set
  hop_sample<Policy, local_id> const& select(call_site site, dist::graph<Policy, Vertex> const& graph,
                                             array_view<space, Vertex const> set, std::int64_t first, bool edge_ids) {
    auto const failure = failure_of([&] { set_.fill(graph.book(), set, first); });
    if (!failure.empty()) {
      exchange_.refuse(site, failure);
    }
    start(site);
    std::exception_ptr failed;
    try {
      own_.clear();
      serve(graph, set_.words(), edge_ids, own_);
    } catch (...) {
      failed = std::current_exception();
    }
    if (exchange_.anything()) {
      exchange_.wait();
      replies_.run(exchange_.comm(), site, counts_, exchange_.received_counts(), messages_,
                   [&] { serve_others(graph, edge_ids); });
    }
    if (failed) {
      std::rethrow_exception(failed);
    }
    merge(set.size() - first, first, edge_ids);
    return merged_;
  }

private:
  // Agrees with the other ranks on this call and starts to send the set.
  void start(call_site site) {
    counts_.assign(same_place_.size(), 0);
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
      bool const asked = static_cast<int>(rank) != exchange_.rank() && !set_.wanted_places(rank).empty();
      counts_[rank] = asked ? set_.words().size() : 0;
    }
    exchange_.exchange_counts(site, counts_);
    committed(exchange_.host(), [&] {
      received_.clear();
      received_.resize(exchange_.received_offsets().back());
      exchange_.start_from(same_place_, set_.words(), received_.view());
    });
  }

  // Appends the reply to one set: how many edges each wanted vertex has, and from which places they come.
  void serve(dist::graph<Policy, Vertex> const& graph, array_view<space, local_id const> words, bool edge_ids,
             rank_messages<Policy>& messages) {
    received_set_.read(words, graph.book(), graph.part());
    auto const rows = received_set_.wanted();
    selector_.select(graph.local(), rows, received_set_.members(), edge_ids, served_);
    known_edges_layout const layout{rows.size(), edge_ids};
    auto const num_edges = served_.sources.size();
    auto* const message = messages.append(layout.bytes(num_edges));
    policy_.executor().for_each(rows.size(), write_known_counts<space>{std::as_const(served_.offsets).view(),
                                                                       reinterpret_cast<local_id*>(message)});
    append(served_.sources, message + layout.sources());
    append(served_.edge_ids, message + layout.ids(num_edges));
  }

  template <class T>
  void append(buffer<Policy, T> const& from, std::byte* to) {
    if (!from.empty()) {
      policy_.resource().copy(to, from.data(), static_cast<std::size_t>(from.size()) * sizeof(T));
    }
  }

  void serve_others(dist::graph<Policy, Vertex> const& graph, bool edge_ids) {
    messages_.clear();
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
      if (auto const size = exchange_.received_counts()[rank]; size > 0) {
        serve(graph, std::as_const(received_).view().subview(exchange_.received_offsets()[rank], size), edge_ids,
              messages_);
      } else {
        messages_.append(0);
      }
    }
  }

  [[nodiscard]] array_view<space, std::byte const> reply_of(std::size_t rank) const {
    return static_cast<int>(rank) == exchange_.rank() ? own_.of(0) : replies_.from(rank);
  }

  // Calls f(reply, layout, places in the set, number of the first of them) for every rank that was asked.
  template <class F>
  void for_each_reply(bool edge_ids, F f) const {
    std::int64_t first_row = 0;
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
      if (auto const places = set_.wanted_places(rank); !places.empty()) {
        f(reply_of(rank), known_edges_layout{places.size(), edge_ids}, places, first_row);
        first_row += places.size();
      }
    }
  }

  // The edges of all replies, in the order of the set.
  void merge(std::int64_t num_wanted, std::int64_t first, bool edge_ids) {
    auto const ex = policy_.executor();
    of_replies_.resize(num_wanted);
    of_all_.resize(num_wanted);
    begins_.resize(num_wanted + 1);
    adopt_policy(policy_, merged_.offsets, merged_.sources, merged_.edge_ids);
    merged_.offsets.resize(num_wanted + 1);
    std::int64_t num_edges = 0;
    for_each_reply(edge_ids, [&](auto reply, auto layout, auto places, std::int64_t first_row) {
      ex.for_each(places.size(),
                  read_known_counts<space>{reply.data(), places, first,
                                           of_replies_.view().subview(first_row, places.size()), of_all_.view()});
      num_edges += layout.num_edges(reply.size());
    });
    ex.exclusive_scan(std::as_const(of_replies_).view(), begins_.view());
    ex.exclusive_scan(std::as_const(of_all_).view(), merged_.offsets.view());
    auto const offsets = std::as_const(merged_.offsets).view();
    if (auto const told = read_element(policy_, offsets, num_wanted); told != num_edges) {
      throw error(message("replies have ", num_edges, " edges, but tell of ", told));
    }
    merged_.sources.resize(num_edges);
    merged_.edge_ids.resize(edge_ids ? num_edges : 0);
    for_each_reply(edge_ids, [&](auto reply, auto layout, auto places, std::int64_t first_row) {
      ex.for_each(places.size(),
                  merge_known_edges<space>{
                      reply.data() + layout.sources(), reply.data() + layout.ids(layout.num_edges(reply.size())),
                      std::as_const(begins_).view().subview(first_row, places.size() + 1), places, first, set_.places(),
                      offsets, merged_.sources.view(), merged_.edge_ids.view()});
    });
  }

  Policy policy_;
  set_request<Policy> set_;
  received_set<Policy, Vertex> received_set_;
  set_selector<Policy, Vertex> selector_;
  hop_sample<Policy, local_id> served_;
  hop_sample<Policy, local_id> merged_;
  rank_messages<Policy> own_;
  rank_messages<Policy> messages_;
  ragged_replies<Policy> replies_;
  buffer<Policy, edge_offset> of_replies_; // edges of every row, in the order of the replies
  buffer<Policy, edge_offset> of_all_;     // the same in the order of the set
  buffer<Policy, edge_offset> begins_;
  std::vector<std::int64_t> counts_;     // [R] words for every rank
  std::vector<std::int64_t> same_place_; // [R] 0: all ranks get the same words
  buffer<message_policy<Policy>, local_id> received_;
  slice_exchange<Comm, Policy> exchange_; // last: completed before the memory goes
};

} // namespace glt::detail
