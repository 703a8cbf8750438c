// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/agree.hpp>
#include <glt/dist/collected_rows.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/requests.hpp>
#include <glt/dist/row_exchange.hpp>
#include <glt/dist/stopwatch.hpp>
#include <glt/feature/copy_rows.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/validate.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

namespace glt::dist {

/// Fetches features and labels of vertices, wherever they live.
///
/// @comm   per call one header exchange and, where a rank needs remote rows, one exchange of their numbers and
///         one of rows for every `default_round_bytes`: 4 bytes a remote vertex out, F · sizeof(T) bytes and 8
///         for a label back; features and labels of an owner come in one message
template <communicator Comm, device_policy Policy, bytes_copyable T>
class feature_collector {
  static_assert(host_accessible(Policy::space),
                "feature_collector packs messages on the host: use a host-accessible policy");
  static constexpr memory_space space = Policy::space;

public:
  /// Borrows the store, which must outlive the collector; rows are copied by the policy's executor.
  ///
  /// @comm   none
  /// @throws precondition_error  if the store was not made for this rank of as many ranks
  feature_collector(Comm comm, feature_store<Policy, T> const& store, Policy policy = {})
      : store_(&store), policy_(policy),
        exchange_(store.num_columns(), std::move(policy), default_round_bytes(comm.size())),
        requests_(std::move(comm)) {
    auto const& own = requests_.comm();
    auto const& book = store.book();
    if (book.num_parts() != own.size() || book.size(own.rank()) != store.local().num_vertices()) {
      throw precondition_error(detail::message("features of ", book.num_parts(), " parts collected by rank ",
                                               own.rank(), " of ", own.size(),
                                               "; use the communicator that the store was made with"));
    }
  }

  /// Time that this collector has spent so far.
  [[nodiscard]] collector_seconds seconds() const noexcept { return seconds_; }

  /// Writes the features of all vertices and the labels of the first `num_labels` of them.
  ///
  /// @shape  vertices [N] global ids; distinct ones save bytes but need not be
  /// @comm   collective; `step` is the same on all ranks
  /// @throws collective_error  on every rank, if a rank passes a vertex outside [0, V), asks for labels that
  ///                           do not exist, or for more than it has vertices, or has no memory for the rows;
  ///                           `out` is unchanged then
  /// @cost   O(N · F); allocates only while the batch is larger than any before
  template <vertex_id Vertex>
  void collect(array_view<space, Vertex const> vertices, std::int64_t num_labels, std::int64_t step,
               collected_rows<Policy, T>& out) {
    stopwatch watch;
    call_site const site{.what = operation::collect, .step = step};
    // Whatever may fail comes before the header exchange: afterwards the other ranks wait for this one's
    // rows.
    auto const failure = failure_of([&] {
      check(vertices, num_labels);
      requests_.route(store_->book(), vertices, num_labels);
      exchange_.reserve(requests_.comm().size());
      out.features.reserve(vertices.size() * store_->num_columns());
      out.labels.reserve(num_labels);
    });
    if (!failure.empty()) {
      requests_.refuse(site, failure);
    }
    requests_.start(site, 0, {});
    watch.lap(seconds_.requesting);
    out.features.resize(vertices.size() * store_->num_columns());
    out.labels.resize(num_labels);
    copy_own(out);
    watch.lap(seconds_.own_rows);
    requests_.finish();
    watch.lap(seconds_.requesting);
    exchange_.run(requests_, store_->local(), out, seconds_);
  }

private:
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

  void copy_own(collected_rows<Policy, T>& out) const {
    using listed_to_listed =
        detail::copy_rows<detail::rows_listed<local_id>, detail::rows_listed<std::int64_t>, detail::streamed_writes>;
    auto const local = store_->local();
    auto const rows = requests_.own();
    auto const places = requests_.own_places();
    policy_.executor().for_ranges(
        std::ssize(rows), detail::copied_rows_per_range,
        listed_to_listed{.in = reinterpret_cast<std::byte const*>(local.features.data()),
                         .out = reinterpret_cast<std::byte*>(out.features.data()),
                         .row_bytes = local.num_columns() * static_cast<std::int64_t>(sizeof(T)),
                         .from = {rows.data()},
                         .to = {places.data()}});
    for (std::size_t i = 0; i < places.size() && places[i] < out.labels.size(); ++i) { // places ascend
      out.labels[places[i]] = local.labels[rows[i]];
    }
  }

  feature_store<Policy, T> const* store_;
  Policy policy_;
  row_exchange<Comm, Policy, T> exchange_;
  requests<Comm> requests_;
  collector_seconds seconds_;
};

} // namespace glt::dist
