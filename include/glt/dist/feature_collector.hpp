// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/comm/exchange.hpp>
#include <glt/core/bytes.hpp>
#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/agree.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/requests.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/validate.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace glt::dist {

/// Rows that a batch needs; reusable.
///
/// @shape  features [N · F], row-major, in the order of the vertices · labels [M] of the first M vertices
template <device_policy Policy, bytes_copyable T>
struct collected_rows {
  buffer<Policy, T> features;
  buffer<Policy, label_type> labels;
};

/// Fetches features and labels of vertices, wherever they live.
///
/// @comm   per call one header exchange and, where a rank needs remote rows, two payload exchanges: 4 bytes a
///         remote vertex out, F · sizeof(T) bytes and 8 for a label back; features and labels of an owner
///         come in one message
template <communicator Comm, device_policy Policy, bytes_copyable T>
class feature_collector {
  static_assert(host_accessible(Policy::space), "feature_collector packs messages on the host: use a host-accessible policy");
  static constexpr memory_space space = Policy::space;

public:
  /// Borrows the store, which must outlive the collector.
  ///
  /// @comm   none
  /// @throws precondition_error  if the store was not made for this rank of as many ranks
  feature_collector(Comm comm, feature_store<Policy, T> const& store) : store_(&store), requests_(std::move(comm)) {
    auto const& own = requests_.comm();
    auto const& book = store.book();
    if (book.num_parts() != own.size() || book.size(own.rank()) != store.local().num_vertices()) {
      throw precondition_error(detail::message("features of ", book.num_parts(), " parts collected by rank ", own.rank(),
                                               " of ", own.size(), "; use the communicator that the store was made with"));
    }
  }

  /// Writes the features of all vertices and the labels of the first `num_labels` of them.
  ///
  /// @shape  vertices [N] global ids; distinct ones save bytes but need not be
  /// @comm   collective; `step` is the same on all ranks
  /// @throws collective_error  on every rank, if a rank passes a vertex outside [0, V), asks for labels that
  ///                           do not exist, or for more than it has vertices; `out` is unchanged then
  /// @cost   O(N · F); allocates only while the batch is larger than any before
  template <vertex_id Vertex>
  void collect(array_view<space, Vertex const> vertices, std::int64_t num_labels, std::int64_t step,
               collected_rows<Policy, T>& out) {
    call_site const site{.what = operation::collect, .step = step};
    // Whatever may fail comes before the header exchange: afterwards the other ranks wait for this one's
    // rows.
    auto const failure = failure_of([&] {
      check(vertices, num_labels);
      requests_.route(store_->book(), vertices, num_labels);
      sizes_.resize(requests_.asked_counts().size());
      for (std::size_t rank = 0; rank < sizes_.size(); ++rank) {
        sizes_[rank] = bytes_of(requests_.asked_of(rank));
      }
      received_bytes_.set(sizes_, 1);
      received_.resize(static_cast<std::size_t>(received_bytes_.total()));
      out.features.reserve(vertices.size() * store_->num_columns());
      out.labels.reserve(num_labels);
    });
    if (!failure.empty()) {
      requests_.refuse(site, failure);
    }
    requests_.start(site, 0, {});
    auto const rows = store_->local();
    auto const columns = rows.num_columns();
    out.features.resize(vertices.size() * columns);
    out.labels.resize(num_labels);
    for (std::size_t i = 0; i < requests_.own().size(); ++i) {
      auto const row = requests_.own()[i];
      auto const place = requests_.own_places()[i];
      detail::copy_bytes(out.features.data() + place * columns, rows.features.data() + row * columns, row_bytes());
      if (place < num_labels) {
        out.labels[place] = rows.labels[row];
      }
    }
    requests_.finish();
    if (requests_.anything()) {
      exchange_rows();
      unpack(out);
    }
  }

private:
  [[nodiscard]] std::int64_t row_bytes() const {
    return store_->num_columns() * static_cast<std::int64_t>(sizeof(T));
  }

  template <class Vertex>
  void check(array_view<space, Vertex const> vertices, std::int64_t num_labels) const {
    validate_vertices("vertex", vertices, store_->book().num_vertices());
    if (num_labels < 0 || num_labels > vertices.size()) {
      throw precondition_error(detail::message(num_labels, " labels of ", vertices.size(),
                                               " vertices; ask for as many as there are vertices, or fewer"));
    }
    if (num_labels > 0 && !store_->has_labels()) {
      throw precondition_error("labels were asked for, but the feature store has none; give it labels or ask for 0");
    }
  }

  // Bytes that a slice of rows takes: all features, then the labels of the marked ones.
  [[nodiscard]] std::int64_t bytes_of(std::span<wire_row const> rows) const {
    return std::ssize(rows) * row_bytes() +
           std::ranges::count_if(rows, is_marked) * static_cast<std::int64_t>(sizeof(label_type));
  }

  void exchange_rows() {
    for (std::size_t rank = 0; rank < sizes_.size(); ++rank) {
      sizes_[rank] = bytes_of(requests_.received_of(rank));
    }
    sent_bytes_.set(sizes_, 1);
    sent_.resize(static_cast<std::size_t>(sent_bytes_.total()));
    auto const local = store_->local();
    std::byte* out = sent_.data();
    for (std::size_t rank = 0; rank < sizes_.size(); ++rank) {
      for (auto const row : requests_.received_of(rank)) {
        detail::copy_bytes(out, local.features.data() + row_of(row) * local.num_columns(), row_bytes());
        out += row_bytes();
      }
      for (auto const row : requests_.received_of(rank)) {
        if (is_marked(row)) {
          detail::copy_bytes(out, &local.labels[row_of(row)], sizeof(label_type));
          out += sizeof(label_type);
        }
      }
    }
    requests_.comm().all_to_all_v(sent_bytes_.out(sent_.data()), received_bytes_.in(received_.data()));
  }

  void unpack(collected_rows<Policy, T>& out) {
    std::byte const* in = received_.data();
    for (std::size_t rank = 0; rank < sizes_.size(); ++rank) {
      auto const places = requests_.asked_places_of(rank);
      for (auto const place : places) {
        detail::copy_bytes(out.features.data() + place * store_->num_columns(), in, row_bytes());
        in += row_bytes();
      }
      auto const rows = requests_.asked_of(rank);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (is_marked(rows[i])) {
          detail::copy_bytes(&out.labels[places[i]], in, sizeof(label_type));
          in += sizeof(label_type);
        }
      }
    }
  }

  feature_store<Policy, T> const* store_;
  requests<Comm> requests_;
  std::vector<std::int64_t> sizes_; // [R], scratch
  byte_counts sent_bytes_;
  byte_counts received_bytes_;
  std::vector<std::byte> sent_;
  std::vector<std::byte> received_;
};

} // namespace glt::dist
