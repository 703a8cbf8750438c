// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/core/detail/bytes.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/reply_exchange.hpp>
#include <glt/dist/detail/exchange/set_request.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/sampling/detail/sample_reply.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/detail/batch/draw.hpp>
#include <glt/sample/detail/batch/known_edges.hpp>
#include <glt/sample/detail/batch/numbering.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt::dist {

/// Selects the edges into some vertices of a set that come from the set, wherever the vertices live.
///
/// The set travels to the owners of these vertices, who select from their rows and send back only what belongs
/// to it: neither messages nor memory grow with the degrees.
///
/// @comm   per call one header exchange and, where a rank asks another one, two payload exchanges: to each
///         owner of such vertices 4 bytes a vertex of the set and 4 a part; back 4 bytes for each of them and,
///         per edge of the result, 4 bytes and 8 for an edge id if asked for
template <communicator Comm, device_policy Policy, vertex_id Vertex>
class known_edges_exchange {
  static_assert(host_accessible(Policy::space),
                "known_edges_exchange packs messages on the host: use a host-accessible policy");
  static constexpr memory_space space = Policy::space;

public:
  known_edges_exchange(Comm comm, Policy policy) : comm_(std::move(comm)), selector_(std::move(policy)) {}

  /// The edges into the vertices of the set from place `first` on, in that order; valid until the next call.
  ///
  /// @shape  set [N], distinct global ids → offsets [N − first + 1], with sources and, if asked for, edge ids
  /// @units  sources of the result are places in the set
  /// @comm   collective
  /// @throws collective_error  on every rank, if a rank has a vertex outside [0, V) in its set
  hop_sample<Policy, local_id> const& select(call_site site, graph<Policy, Vertex> const& graph,
                                             array_view<space, Vertex const> set, std::int64_t first, bool edge_ids) {
    auto const failure = failure_of([&] { set_.fill(graph.book(), set, first); });
    auto const ranks = static_cast<std::size_t>(comm_.size());
    counts_.assign(ranks, 0);
    for (std::size_t rank = 0; rank < ranks && failure.empty(); ++rank) {
      bool const asked = static_cast<int>(rank) != comm_.rank() && !set_.wanted_places(rank).empty();
      counts_[rank] = asked ? std::ssize(set_.words()) : 0;
    }
    start(site, failure);
    std::exception_ptr failed;
    try {
      own_reply_.clear();
      serve(graph, set_.words(), edge_ids, own_reply_);
    } catch (...) {
      failed = std::current_exception();
    }
    if (travelling_) {
      travelling_->wait();
      travelling_.reset();
      answer(graph, edge_ids);
    }
    if (failed) {
      std::rethrow_exception(failed);
    }
    stitch(set.size() - first, edge_ids);
    return stitched_;
  }

private:
  using request = decltype(std::declval<Comm&>().start_all_to_all_v(outgoing{}, incoming{}));

  // Agrees with the other ranks on this call and starts to send the set.
  void start(call_site site, std::string const& failure) {
    headers_.resize(counts_.size());
    exchange_headers(comm_, site, counts_, 0, failure, headers_);
    bool anything = false;
    sizes_.clear();
    for (auto const& header : headers_) {
      sizes_.push_back(header.count);
      anything = anything || header.total > 0;
    }
    if (anything) {
      received_bytes_.set(sizes_, sizeof(wire_row));
      received_.resize(static_cast<std::size_t>(received_bytes_.total()) / sizeof(wire_row));
      set_bytes_.set(counts_, sizeof(wire_row));
      auto out = set_bytes_.out(set_.words().data());
      same_place_.assign(counts_.size(), 0); // all ranks get the same words
      out.offsets = same_place_;
      travelling_.emplace(comm_.start_all_to_all_v(out, received_bytes_.in(received_.data())));
    }
  }

  // Appends the answer to one set: how many edges each wanted vertex has, and from which places they come.
  void serve(graph<Policy, Vertex> const& graph, std::span<wire_row const> words, bool edge_ids,
             std::vector<std::byte>& reply) {
    numbering_.clear();
    members_.clear();
    wanted_.clear();
    read_set_request(words, graph.book(), graph.part(), [&](global_id vertex, bool wanted) {
      numbering_.number(static_cast<Vertex>(vertex));
      members_.push_back(static_cast<Vertex>(vertex));
      if (wanted) {
        wanted_.push_back(static_cast<local_id>(vertex - graph.book().begin(graph.part())));
      }
    });
    selector_.select(graph.local(), array_view<space, local_id const>(wanted_.data(), std::ssize(wanted_)),
                     array_view<space, Vertex const>(members_.data(), std::ssize(members_)), position_in{&numbering_},
                     edge_ids, served_);
    sample_reply_layout<local_id> const layout(-1, edge_ids);
    auto const before = reply.size();
    reply.resize(before + static_cast<std::size_t>(layout.bytes(std::ssize(wanted_), served_.sources.size())));
    layout.pack({served_.offsets.data(), wanted_.size() + 1}, served_.sources.data(), served_.edge_ids.data(),
                reply.data() + before);
  }

  // Serves one requester after the other and receives the answers.
  void answer(graph<Policy, Vertex> const& graph, bool edge_ids) {
    replies_.run(comm_, counts_, sizes_, [&] {
      reply_.clear();
      std::span<wire_row const> words(received_);
      for (std::size_t rank = 0; rank < sizes_.size(); ++rank) {
        auto const before = reply_.size();
        auto const count = static_cast<std::size_t>(sizes_[rank]);
        if (count > 0) {
          serve(graph, words.first(count), edge_ids, reply_);
          words = words.subspan(count);
        }
        sizes_[rank] = static_cast<std::int64_t>(reply_.size() - before);
      }
      reply_bytes_.set(sizes_, 1);
      return reply_bytes_.out(reply_.data());
    });
  }

  [[nodiscard]] std::span<std::byte const> reply_of(std::size_t rank) const {
    if (static_cast<int>(rank) == comm_.rank()) {
      return own_reply_;
    }
    return counts_[rank] > 0 ? replies_.from(rank) : std::span<std::byte const>();
  }

  // The edges of all replies, in the order of the set.
  void stitch(std::int64_t num_wanted, bool edge_ids) {
    sample_reply_layout<local_id> const layout(-1, edge_ids);
    auto& offsets = stitched_.offsets;
    offsets.resize(num_wanted + 1);
    offsets[0] = 0;
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
      auto const places = set_.wanted_places(rank);
      auto const reply = reply_of(rank);
      std::int64_t num_edges = 0;
      for (std::size_t i = 0; i < places.size(); ++i) {
        auto const count = layout.count(reply.data(), static_cast<std::int64_t>(i));
        offsets[places[i] + 1] = count;
        num_edges += count;
      }
      if (std::ssize(reply) != layout.bytes(std::ssize(places), num_edges)) {
        throw error(detail::message("answer of rank ", rank, " has ", reply.size(), " bytes instead of ",
                                    layout.bytes(std::ssize(places), num_edges)));
      }
    }
    for (std::int64_t i = 0; i < num_wanted; ++i) {
      offsets[i + 1] += offsets[i];
    }
    stitched_.sources.resize(offsets[num_wanted]);
    stitched_.edge_ids.resize(edge_ids ? offsets[num_wanted] : 0);
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
      auto const places = set_.wanted_places(rank);
      auto const reply = reply_of(rank);
      auto const num_edges = (std::ssize(reply) - layout.bytes(std::ssize(places), 0)) / layout.bytes(0, 1);
      auto const* sources = reply.data() + layout.bytes(std::ssize(places), 0);
      auto const* ids = sources + num_edges * std::int64_t{sizeof(local_id)};
      for (auto const place : places) {
        auto const count = offsets[place + 1] - offsets[place];
        auto* const out = stitched_.sources.data() + offsets[place];
        detail::copy_bytes(out, sources, count * std::int64_t{sizeof(local_id)});
        sources += count * std::int64_t{sizeof(local_id)};
        for (std::int64_t e = 0; e < count; ++e) {
          out[e] = set_.place(out[e]);
        }
        if (edge_ids) {
          detail::copy_bytes(stitched_.edge_ids.data() + offsets[place], ids, count * std::int64_t{sizeof(edge_id)});
          ids += count * std::int64_t{sizeof(edge_id)};
        }
      }
    }
  }

  Comm comm_;
  set_request set_;
  known_edges<Policy, Vertex> selector_;
  first_seen_numbering<Vertex> numbering_;
  std::vector<Vertex> members_;
  std::vector<local_id> wanted_;
  hop_sample<Policy, local_id> served_;
  hop_sample<Policy, local_id> stitched_;
  std::vector<std::int64_t> counts_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::int64_t> same_place_;
  std::vector<call_header> headers_;
  std::vector<wire_row> received_;
  detail::byte_counts set_bytes_;
  detail::byte_counts received_bytes_;
  detail::byte_counts reply_bytes_;
  std::vector<std::byte> own_reply_;
  std::vector<std::byte> reply_;
  reply_exchange replies_{"edges"};
  std::optional<request> travelling_; // last: completed before the memory goes
};

} // namespace glt::dist
