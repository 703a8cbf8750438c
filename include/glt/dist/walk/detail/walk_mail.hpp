// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/core/detail/bytes.hpp>
#include <glt/core/types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt::dist {

/// A vertex that a walk has come to, as its home is told.
struct walk_place {
  std::int32_t walk = 0; ///< number of the walk at its home
  std::int32_t step = 0;
};

/// Carries walkers to the owners of what they want to see, and the vertices that they came to to their homes,
/// in one exchange.
///
/// Reusable; the memory is kept.
template <communicator Comm, bytes_copyable Walker, vertex_id Vertex>
class walk_mail {
public:
  walk_mail(Comm comm, bool edge_ids)
      : comm_(std::move(comm)), edge_ids_(edge_ids), boxes_(static_cast<std::size_t>(comm_.size())),
        headers_(boxes_.size()) {
    pack();
  }

  [[nodiscard]] Comm& comm() noexcept { return comm_; }

  /// Forgets what was not sent.
  void clear() noexcept {
    for (auto& box : boxes_) {
      box.clear();
    }
    num_visits_ = 0;
  }

  void add_walker(int rank, Walker const& walker) { boxes_[static_cast<std::size_t>(rank)].walkers.push_back(walker); }

  void add_visit(int rank, walk_place place, Vertex vertex, edge_id edge) {
    auto& box = boxes_[static_cast<std::size_t>(rank)];
    box.places.push_back(place);
    box.vertices.push_back(vertex);
    if (edge_ids_) {
      box.edges.push_back(edge);
    }
    ++num_visits_;
  }

  /// Visits that wait to be sent.
  [[nodiscard]] std::int64_t num_visits() const noexcept { return num_visits_; }

  /// Puts all that was added in one piece, which `send` sends.
  void pack() {
    counts_.resize(boxes_.size());
    for (std::size_t rank = 0; rank < boxes_.size(); ++rank) {
      counts_[rank] = bytes_of(boxes_[rank]);
    }
    sent_bytes_.set(counts_, 1);
    sent_.resize(static_cast<std::size_t>(sent_bytes_.total()));
    for (std::size_t rank = 0; rank < boxes_.size(); ++rank) {
      if (counts_[rank] > 0) {
        auto* to = sent_.data() + sent_bytes_.offset(rank);
        auto const num_walkers = static_cast<std::int64_t>(boxes_[rank].walkers.size());
        write(to, &num_walkers, 1);
        write(to, boxes_[rank].walkers.data(), boxes_[rank].walkers.size());
        write(to, boxes_[rank].places.data(), boxes_[rank].places.size());
        write(to, boxes_[rank].vertices.data(), boxes_[rank].vertices.size());
        write(to, boxes_[rank].edges.data(), boxes_[rank].edges.size());
      }
    }
    clear();
  }

  /// Agrees with the other ranks on this call, and exchanges what they packed.
  ///
  /// @comm   collective; one header exchange and, if any rank has anything for another, one variable exchange:
  ///         per pair of ranks with something to tell 8 bytes, per walker sizeof(Walker), per visit
  ///         8 + sizeof(Vertex) bytes, and 8 for an edge id
  /// @throws collective_error  on every rank, if one reports a failure or is at another call
  void send(call_site site, std::int64_t value, std::string const& failure) {
    if (!failure.empty()) {
      clear();
      pack();
    }
    exchange_headers(comm_, site, counts_, value, failure, headers_);
    received_counts_.resize(headers_.size());
    bool anything = false;
    for (std::size_t rank = 0; rank < headers_.size(); ++rank) {
      received_counts_[rank] = headers_[rank].count;
      anything = anything || headers_[rank].total > 0;
    }
    received_bytes_.set(received_counts_, 1);
    received_.resize(static_cast<std::size_t>(received_bytes_.total()));
    if (anything) {
      comm_.all_to_all_v(sent_bytes_.out(sent_.data()), received_bytes_.in(received_.data()));
    }
  }

  /// What the ranks passed as `value`.
  [[nodiscard]] std::span<call_header const> headers() const noexcept { return headers_; }

  /// Calls walker(w) for what has arrived, and visit(place, vertex, edge), the edge being 0 unless they travel.
  template <class TakeWalker, class TakeVisit>
  void open(TakeWalker walker, TakeVisit visit) const {
    for (std::size_t rank = 0; rank < received_counts_.size(); ++rank) {
      if (received_counts_[rank] == 0) {
        continue;
      }
      auto const* from = received_.data() + received_bytes_.offset(rank);
      auto const num_walkers = element<std::int64_t>(from, 0);
      auto const* const walkers = from + sizeof(std::int64_t);
      auto const* const places = walkers + static_cast<std::size_t>(num_walkers) * sizeof(Walker);
      auto const num_visits = (received_counts_[rank] - (places - from)) / visit_bytes();
      auto const* const vertices = places + static_cast<std::size_t>(num_visits) * sizeof(walk_place);
      auto const* const edges = vertices + static_cast<std::size_t>(num_visits) * sizeof(Vertex);
      for (std::int64_t i = 0; i < num_walkers; ++i) {
        walker(element<Walker>(walkers, i));
      }
      for (std::int64_t i = 0; i < num_visits; ++i) {
        visit(element<walk_place>(places, i), element<Vertex>(vertices, i),
              edge_ids_ ? element<edge_id>(edges, i) : edge_id{0});
      }
    }
  }

private:
  struct outbox {
    std::vector<Walker> walkers;
    std::vector<walk_place> places;
    std::vector<Vertex> vertices;
    std::vector<edge_id> edges;

    void clear() noexcept {
      walkers.clear();
      places.clear();
      vertices.clear();
      edges.clear();
    }
  };

  [[nodiscard]] std::int64_t visit_bytes() const noexcept {
    return static_cast<std::int64_t>(sizeof(walk_place) + sizeof(Vertex) + (edge_ids_ ? sizeof(edge_id) : 0));
  }

  [[nodiscard]] std::int64_t bytes_of(outbox const& box) const noexcept {
    auto const content = static_cast<std::int64_t>(box.walkers.size() * sizeof(Walker)) +
                         static_cast<std::int64_t>(box.places.size()) * visit_bytes();
    return content == 0 ? 0 : content + static_cast<std::int64_t>(sizeof(std::int64_t));
  }

  template <class T>
  static void write(std::byte*& to, T const* elements, std::size_t count) noexcept {
    glt::detail::copy_bytes(to, elements, static_cast<std::int64_t>(count * sizeof(T)));
    to += count * sizeof(T);
  }

  template <class T>
  static T element(std::byte const* from, std::int64_t i) noexcept {
    T value;
    glt::detail::copy_bytes(&value, from + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
    return value;
  }

  Comm comm_;
  bool edge_ids_;
  std::vector<outbox> boxes_;
  std::int64_t num_visits_ = 0;
  std::vector<std::byte> sent_;
  std::vector<std::byte> received_;
  std::vector<std::int64_t> counts_;
  std::vector<std::int64_t> received_counts_;
  detail::byte_counts sent_bytes_;
  detail::byte_counts received_bytes_;
  std::vector<call_header> headers_;
};

} // namespace glt::dist
