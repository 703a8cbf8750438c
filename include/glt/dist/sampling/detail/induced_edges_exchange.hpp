// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/ragged_replies.hpp>
#include <glt/dist/detail/exchange/set_request.hpp>
#include <glt/dist/detail/exchange/slice_exchange.hpp>
#include <glt/dist/graph.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/induced_edges.hpp>

#include <deque>

namespace glt::detail {

/// Loads element i of a list in a message, aligned or not.
template <class T>
[[nodiscard]] GLT_HOST_DEVICE inline T load_element(std::byte const* elements, std::int64_t i) noexcept {
  T value;
  copy_bytes(&value, elements + i * std::int64_t{sizeof(T)}, sizeof(T));
  return value;
}

/// Layout of the edges of some rows in a message: the number of edges of every row, their sources as places in the
/// requester's set, and their ids if requested.
///
/// @shape  counts [n] · sources [E] · edge ids [E] or none
struct induced_edges_layout {
  std::int64_t num_rows = 0;
  bool edge_ids = false;

  [[nodiscard]] std::int64_t bytes(std::int64_t num_edges) const noexcept { return sources() + num_edges * per_edge(); }
  [[nodiscard]] std::int64_t num_edges(std::int64_t bytes) const noexcept { return (bytes - sources()) / per_edge(); }
  /// Returns the offset of the sources in the message.
  [[nodiscard]] std::int64_t sources() const noexcept { return num_rows * std::int64_t{sizeof(local_id)}; }
  [[nodiscard]] std::int64_t ids(std::int64_t num_edges) const noexcept {
    return sources() + num_edges * std::int64_t{sizeof(local_id)};
  }

private:
  [[nodiscard]] std::int64_t per_edge() const noexcept {
    return static_cast<std::int64_t>(sizeof(local_id) + (edge_ids ? sizeof(edge_id) : 0));
  }
};

template <memory_space Space>
struct write_known_counts {
  array_view<Space, edge_offset const> offsets;
  local_id* counts; // in the message
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    counts[i] = static_cast<local_id>(offsets[i + 1] - offsets[i]);
  }
};

/// Reads the counts of one reply, in the order of the reply and in the order of the requested vertices.
template <memory_space Space>
struct read_known_counts {
  std::byte const* reply;
  array_view<Space, std::int64_t const> places; // in the set
  std::int64_t first;                           // first requested place
  array_view<Space, edge_offset> of_reply;
  array_view<Space, edge_offset> of_all;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    of_reply[i] = of_all[places[i] - first] = load_element<local_id>(reply, i);
  }
};

/// Copies the edges of one reply for a set to their places in the result.
template <memory_space Space>
struct merge_induced_edges {
  std::byte const* sources;
  std::byte const* ids;
  array_view<Space, edge_offset const> begins; // of the rows of the reply, among the rows of all replies
  std::int64_t first_row;                      // of this set in the reply
  array_view<Space, std::int64_t const> places;
  std::int64_t first;
  array_view<Space, std::int64_t const> place_in_set; // of the words that travelled
  array_view<Space, edge_offset const> offsets;
  array_view<Space, local_id> out_sources;
  array_view<Space, edge_id> out_ids; // or empty
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    auto const to = offsets[places[i] - first];
    auto const row = first_row + i;
    auto const from = begins[row] - begins[0];
    auto const count = begins[row + 1] - begins[row];
    for (std::int64_t e = 0; e < count; ++e) {
      out_sources[to + e] = static_cast<local_id>(place_in_set[load_element<local_id>(sources, from + e)]);
      if (!out_ids.empty()) {
        out_ids[to + e] = load_element<edge_id>(ids, from + e);
      }
    }
  }
};

/// A set of distinct vertices; edges into its vertices from `first` on are requested.
///
/// @shape  vertices [N], global ids
template <memory_space Space, vertex_id Vertex>
struct asked_set {
  array_view<Space, Vertex const> vertices;
  std::int64_t first = 0;
};

/// Exchange that selects, on all ranks, edges into some vertices of sets whose sources are in the same set.
///
/// A set travels to the owners of these vertices. The owners select from their rows and send back only edges within the
/// set. So messages and memory do not grow with the degrees. Several sets travel together, to the owners of vertices of
/// any of them.
///
/// @comm   per call one header exchange and, if a rank asks another, two payload exchanges: to each owner of such
///         vertices 4 bytes per vertex of the set and 4 per part; back 4 bytes for each of these vertices and, per edge
///         of the result, 4 bytes, plus 8 for a requested edge id; device policies need one more header exchange
template <communicator Comm, device_policy Policy, vertex_id Vertex>
class induced_edges_exchange {
  static constexpr memory_space space = Policy::space;

public:
  /// @comm   none, or one reduction; see `device_comm`
  induced_edges_exchange(Comm comm, Policy policy)
      : policy_(policy), joined_(0, policy), received_set_(policy), selector_(policy), own_(policy), messages_(policy),
        replies_("edges", policy), of_replies_(0, policy), of_all_(0, policy), begins_(0, policy),
        same_place_(static_cast<std::size_t>(comm.size()), 0), received_(make_message_buffer<local_id>(policy)),
        exchange_(std::move(comm), policy) {}

  /// Selects the edges into the vertices of every set from place `first` on, in that order; valid until the next call.
  ///
  /// @shape  sets [K], as many on all ranks → [K], of N vertices each: offsets [N − first + 1], with sources and, if
  ///         requested, edge ids
  /// @units  sources of a result are places in its set
  /// @comm   collective; as for one set
  /// @throws collective_error  on every rank, if a rank passes a failure, a set of a rank has a vertex outside [0, V),
  ///                           or a rank has another number of sets
  std::span<hop_sample<Policy, local_id> const> select(call_site site, dist::graph<Policy, Vertex> const& graph,
                                                       std::span<asked_set<space, Vertex> const> sets, bool edge_ids,
                                                       std::string failure = {}) {
    if (failure.empty()) {
      failure = failure_of([&] { fill(graph.book(), sets); });
    }
    if (!failure.empty()) {
      exchange_.refuse(site, failure);
    }
    start(site);
    std::exception_ptr failed;
    try {
      own_.clear();
      serve(graph, words_, edge_ids, own_);
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
    merge(sets, edge_ids);
    return std::span(merged_).first(num_sets_);
  }

private:
  void fill(partition_book const& book, std::span<asked_set<space, Vertex> const> sets) {
    num_sets_ = sets.size();
    while (sets_.size() < num_sets_) {
      sets_.emplace_back(policy_);
      served_.emplace_back();
      merged_.emplace_back();
    }
    std::int64_t size = 0;
    for (std::size_t s = 0; s < num_sets_; ++s) {
      sets_[s].fill(book, sets[s].vertices, sets[s].first);
      size += sets_[s].words().size();
    }
    if (num_sets_ == 1) {
      words_ = sets_[0].words();
      return;
    }
    joined_.clear();
    joined_.resize(size);
    std::int64_t begin = 0;
    for (std::size_t s = 0; s < num_sets_; ++s) {
      auto const words = sets_[s].words();
      policy_.resource().copy(joined_.data() + begin, words.data(),
                              static_cast<std::size_t>(words.size()) * sizeof(local_id));
      begin += words.size();
    }
    words_ = std::as_const(joined_).view();
  }

  // Agrees with the other ranks on this call, then starts to send the sets.
  void start(call_site site) {
    counts_.assign(same_place_.size(), 0);
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
      bool const asked = static_cast<int>(rank) != exchange_.rank() && num_wanted(rank) > 0;
      counts_[rank] = asked ? words_.size() : 0;
    }
    check_same(exchange_.host(), exchange_.exchange_counts(site, counts_, static_cast<std::int64_t>(num_sets_)),
               &call_header::value, [](auto, auto) {
                 return "asks about another number of sets than rank 0; make as many batches together";
               });
    committed(exchange_.host(), [&] {
      received_.clear();
      received_.resize(exchange_.received_offsets().back());
      exchange_.start_from(same_place_, words_, received_.view());
    });
  }

  // Counts the vertices of all sets that are requested from a rank.
  [[nodiscard]] std::int64_t num_wanted(std::size_t rank) const {
    std::int64_t sum = 0;
    for (std::size_t s = 0; s < num_sets_; ++s) {
      sum += sets_[s].wanted_places(rank).size();
    }
    return sum;
  }

  // Appends the reply to the sets of a rank: the number of edges of each requested vertex, and the places of their
  // sources.
  void serve(dist::graph<Policy, Vertex> const& graph, array_view<space, local_id const> words, bool edge_ids,
             rank_messages<Policy>& messages) {
    induced_edges_layout layout{0, edge_ids};
    std::int64_t num_edges = 0;
    for (auto& served : std::span(served_).first(num_sets_)) {
      auto const size = received_set_.read(words, graph.book(), graph.part());
      words = words.subview(size, words.size() - size);
      selector_.select(graph.local(), received_set_.wanted(), received_set_.members(), edge_ids, served);
      layout.num_rows += received_set_.wanted().size();
      num_edges += served.sources.size();
    }
    auto* const message = messages.append(layout.bytes(num_edges));
    auto* counts = reinterpret_cast<local_id*>(message);
    auto* sources = message + layout.sources();
    auto* ids = message + layout.ids(num_edges);
    for (auto const& served : std::span(std::as_const(served_)).first(num_sets_)) {
      auto const num_rows = served.offsets.size() - 1;
      policy_.executor().for_each(num_rows, write_known_counts<space>{served.offsets.view(), counts});
      counts += num_rows;
      sources = append(served.sources, sources);
      ids = append(served.edge_ids, ids);
    }
  }

  template <class T>
  std::byte* append(buffer<Policy, T> const& from, std::byte* to) {
    auto const bytes = static_cast<std::size_t>(from.size()) * sizeof(T);
    if (bytes > 0) {
      policy_.resource().copy(to, from.data(), bytes);
    }
    return to + bytes;
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

  // Part of a rank's reply that belongs to one set.
  struct reply_part {
    array_view<space, std::byte const> reply;
    induced_edges_layout layout;
    array_view<space, std::int64_t const> places; // in the set
    std::int64_t first_row;                       // of the reply among the rows of all replies
    std::int64_t row;                             // first row of the set in the reply
  };

  // Calls f(set, part) for every rank with requests, set after set.
  template <class F>
  void for_each_part(bool edge_ids, F f) const {
    std::int64_t first_row = 0;
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
      if (auto const num_rows = num_wanted(rank); num_rows > 0) {
        std::int64_t row = 0;
        for (std::size_t s = 0; s < num_sets_; ++s) {
          auto const places = sets_[s].wanted_places(rank);
          f(s, reply_part{reply_of(rank), {num_rows, edge_ids}, places, first_row, row});
          row += places.size();
        }
        first_row += num_rows;
      }
    }
  }

  // Merges the edges of all replies in the order of the sets.
  void merge(std::span<asked_set<space, Vertex> const> sets, bool edge_ids) {
    auto const ex = policy_.executor();
    of_sets_.clear();
    std::int64_t num_rows = 0;
    for (auto const& [vertices, first] : sets) {
      num_rows += vertices.size() - first;
    }
    of_replies_.resize(num_rows);
    of_all_.resize(num_rows);
    begins_.resize(num_rows + 1);
    num_rows = 0;
    for (auto const& [vertices, first] : sets) {
      of_sets_.push_back(of_all_.view().subview(num_rows, vertices.size() - first));
      num_rows += vertices.size() - first;
    }
    std::int64_t num_edges = 0;
    for_each_part(edge_ids, [&](std::size_t s, reply_part const& of) {
      ex.for_each(
          of.places.size(),
          read_known_counts<space>{of.reply.data() + of.row * std::int64_t{sizeof(local_id)}, of.places, sets[s].first,
                                   of_replies_.view().subview(of.first_row + of.row, of.places.size()), of_sets_[s]});
      num_edges += s == 0 ? of.layout.num_edges(of.reply.size()) : 0;
    });
    ex.exclusive_scan(std::as_const(of_replies_).view(), begins_.view());
    std::int64_t told = 0;
    for (std::size_t s = 0; s < num_sets_; ++s) {
      auto& merged = merged_[s];
      adopt_policy(policy_, merged.offsets, merged.sources, merged.edge_ids);
      merged.offsets.resize(of_sets_[s].size() + 1);
      ex.exclusive_scan(array_view<space, edge_offset const>(of_sets_[s]), merged.offsets.view());
      auto const of_set = read_element(policy_, std::as_const(merged.offsets).view(), of_sets_[s].size());
      merged.sources.resize(of_set);
      merged.edge_ids.resize(edge_ids ? of_set : 0);
      told += of_set;
    }
    if (told != num_edges) {
      throw error(message("replies have ", num_edges, " edges, but tell of ", told));
    }
    for_each_part(edge_ids, [&](std::size_t s, reply_part const& of) {
      auto& merged = merged_[s];
      ex.for_each(of.places.size(),
                  merge_induced_edges<space>{
                      of.reply.data() + of.layout.sources(),
                      of.reply.data() + of.layout.ids(of.layout.num_edges(of.reply.size())),
                      std::as_const(begins_).view().subview(of.first_row, of.layout.num_rows + 1), of.row, of.places,
                      sets[s].first, sets_[s].places(), std::as_const(merged.offsets).view(), merged.sources.view(),
                      merged.edge_ids.view()});
    });
  }

  Policy policy_;
  std::size_t num_sets_ = 0;
  std::deque<set_request<Policy>> sets_;    // a deque: elements never move
  array_view<space, local_id const> words_; // of all sets
  buffer<Policy, local_id> joined_;         // the same, if there are several
  received_set<Policy, Vertex> received_set_;
  set_selector<Policy, Vertex> selector_;
  std::vector<hop_sample<Policy, local_id>> served_; // by set
  std::vector<hop_sample<Policy, local_id>> merged_; // by set
  rank_messages<Policy> own_;
  rank_messages<Policy> messages_;
  ragged_replies<Policy> replies_;
  buffer<Policy, edge_offset> of_replies_;              // edges of every row, in the order of the replies
  buffer<Policy, edge_offset> of_all_;                  // the same in the order of the sets
  std::vector<array_view<space, edge_offset>> of_sets_; // the same of every set
  buffer<Policy, edge_offset> begins_;
  std::vector<std::int64_t> counts_;     // [R] words for every rank
  std::vector<std::int64_t> same_place_; // [R] 0: all ranks get the same words
  buffer<message_policy<Policy>, local_id> received_;
  slice_exchange<Comm, Policy> exchange_; // last: completed before the memory goes
};

} // namespace glt::detail
