// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/dist/full_batch/detail/boundary.hpp>
#include <glt/dist/full_batch/detail/cover/boundary_cover.hpp>
#include <glt/dist/full_batch/detail/rotation.hpp>
#include <glt/dist/full_batch/detail/shard_rows.hpp>
#include <glt/dist/graph.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>

namespace glt::detail {

template <memory_space Space, vertex_id Vertex>
struct expand_rows {
  csr_view<Space, Vertex> rows;
  array_view<Space, local_id> destinations; // [E]
  array_view<Space, local_id> degrees;      // [V]
  GLT_HOST_DEVICE void operator()(std::int64_t row) const {
    for (auto e = rows.offset(row); e < rows.offset(row + 1); ++e) {
      destinations[e] = static_cast<local_id>(row);
    }
    degrees[row] = static_cast<local_id>(rows.degree(row));
  }
};

/// Largest degrees of a graph, over all ranks.
struct largest_degrees {
  double in = 0;
  double out = 0;
};

} // namespace glt::detail

namespace glt::dist {

template <device_policy Policy, vertex_id Vertex>
class data_set; // defined in a header that a graph alone does not need

/// In-edges of a rank's part, divided by the rank that owns their sources, for full-batch passes.
///
/// A pass visits the ranks one after the other: it receives the source rows that a shard needs, uses them and frees
/// them. Remote rows of depth + 1 shards are in memory at a time. Edges are kept twice, by destination and by source,
/// so that a backward pass fetches nothing again.
///
/// Keeps copies of the communicator. Concurrent calls: none; `shard` and `transposed` may run concurrently.
///
/// @source Mostafa, "Sequential aggregation and rematerialization", MLSys 2022
template <communicator Comm, device_policy Policy>
class sharded_graph {
public:
  using policy_type = Policy;
  static constexpr memory_space space = Policy::space;
  using shard_type = detail::shard_view<space>;          ///< edges of a shard, in one of the orders
  using report_type = glt::detail::full_batch_report;    ///< passes, messages and bytes so far
  using boundary_type = glt::detail::boundary<Policy>;   ///< sources of other ranks, from `find_boundary`
  using cover_type = glt::detail::boundary_cover<space>; ///< rows and partial results that travel, by step
  using largest_degrees = detail::largest_degrees;       ///< over all ranks: `in` and `out`

  /// Divides the edges of a rank's part; the graph is not needed afterwards.
  ///
  /// @comm   collective; one header exchange, one exchange of 4 bytes for every remote source, and depth − 1
  ///         `duplicate`; for a cover, three more header exchanges, and 4 bytes for each of its sources and 8 for each
  ///         other edge between ranks
  /// @throws collective_error  on every rank, if the graph of a rank was made with another communicator, its part has
  ///                           2³¹ edges or more, or a rank passes a negative depth, a cover for the memory of a
  ///                           device, or other options than rank 0
  /// @cost   O(E log R) work; 16 bytes an edge and 24 a row of every shard stay
  template <vertex_id Vertex>
  sharded_graph(Comm comm, graph<Policy, Vertex> const& graph, sharding_options options = {}, Policy policy = {})
      : sharded_graph(
            comm, graph.local(),
            glt::detail::find_boundary(comm, graph.book(), graph.local(), graph.local().num_rows(), options, policy),
            options, policy) {}
  /// Divides the edges of a data set without types.
  template <vertex_id Vertex>
  sharded_graph(Comm comm, data_set<Policy, Vertex> const& data, sharding_options options = {}, Policy policy = {})
      : sharded_graph(std::move(comm), data.graph(), options, std::move(policy)) {}

  [[nodiscard]] int rank() const noexcept { return passes_.rank(); }
  [[nodiscard]] int size() const noexcept { return passes_.size(); }
  [[nodiscard]] Policy const& policy() const noexcept { return passes_.policy(); }

  /// Makes the graph from the result of `find_boundary`, changed or not. Local sources have slots from 0 on; the first
  /// of them are the destinations, the rows.
  template <vertex_id Vertex>
  sharded_graph(Comm comm, csr_view<space, Vertex> rows, boundary_type boundary, sharding_options options,
                Policy const& policy)
      : slot_begins_(std::move(boundary.slot_begins)), sent_begins_(std::move(boundary.sent_begins)),
        sent_(std::move(boundary.sent)), num_edges_(rows.num_edges()), in_degrees_(rows.num_rows(), policy),
        destinations_(rows.num_edges(), policy), slots_(std::move(boundary.slots)),
        begins_on_device_(make_buffer<Policy>(slot_begins_, policy)),
        forward_(policy, number_ends(rows, policy), slot_begins_, rows.num_rows()),
        backward_(policy, ends(), slot_begins_, rows.num_rows()), passes_(std::move(comm), options.depth, policy) {
    destinations_ = buffer<Policy, local_id>(0, policy);
    slots_ = buffer<Policy, local_id>(0, policy);
    for (std::size_t k = 1; k + 1 < slot_begins_.size(); ++k) {
      most_received_ = std::max(most_received_, slot_begins_[k + 1] - slot_begins_[k]);
      most_sent_ = std::max(most_sent_, sent_begins_[k + 1] - sent_begins_[k]);
    }
    if constexpr (host_policy<Policy>) {
      if (options.cover && size() > 1) {
        cover_.emplace(*this);
      }
    }
  }

  /// Returns the number of local vertices whose rows a pass combines; in the whole graph, all vertices of the part.
  [[nodiscard]] std::int64_t num_sources() const noexcept { return slot_begins_[1]; }
  /// Returns the number of local vertices for which a pass makes rows, the first of the sources; in the whole graph,
  /// all vertices of the part.
  [[nodiscard]] std::int64_t num_destinations() const noexcept { return in_degrees_.size(); }
  [[nodiscard]] std::int64_t num_edges() const noexcept { return num_edges_; }
  /// Returns H, the number of vertices of other ranks that the edges of this part touch.
  [[nodiscard]] std::int64_t num_boundary() const noexcept { return slot_begins_.back() - slot_begins_[1]; }
  /// Returns the number of rows that this rank sends in a forward pass.
  [[nodiscard]] std::int64_t num_sent() const noexcept { return sent_begins_.back(); }
  /// @shape  [num_destinations()]
  [[nodiscard]] array_view<space, local_id const> in_degrees() const noexcept { return in_degrees_.view(); }
  /// Returns the result of `make_out_degrees`, on all ranks or on none.
  [[nodiscard]] std::optional<largest_degrees> const& known_degrees() const noexcept { return known_degrees_; }
  void set_known_degrees(largest_degrees degrees) noexcept { known_degrees_ = degrees; }
  /// Returns the cost of passes so far; assign {} to start again.
  [[nodiscard]] report_type& report() noexcept { return passes_.report(); }

  /// Returns the edges whose sources the peer of a step owns, by destination; step 0 has the edges within this rank.
  [[nodiscard]] shard_type shard(std::int64_t step) const { return forward_.shard(step); }
  /// Returns the same edges by source.
  [[nodiscard]] shard_type transposed(std::int64_t step) const { return backward_.shard(step); }
  /// Returns the local rows that the rank `step` places before this one needs.
  [[nodiscard]] array_view<space, local_id const> sent_rows(std::int64_t step) const {
    auto const k = static_cast<std::size_t>(step);
    return sent_.view().subview(sent_begins_[k], sent_begins_[k + 1] - sent_begins_[k]);
  }
  /// Returns the number of rows that the peer of a step sends.
  [[nodiscard]] std::int64_t num_received(std::int64_t step) const {
    auto const k = static_cast<std::size_t>(step);
    return slot_begins_[k + 1] - slot_begins_[k];
  }
  /// Returns the cover, which travels instead of whole shards; empty unless it was chosen.
  [[nodiscard]] std::optional<cover_type> const& cover() const noexcept { return cover_; }
  [[nodiscard]] std::int64_t most_sent() const noexcept { return most_sent_; }
  [[nodiscard]] std::int64_t most_received() const noexcept { return most_received_; }

  /// Return the communicator for ordinary memory, and the passes over all shards.
  [[nodiscard]] auto& host() noexcept { return passes_.host(); }
  [[nodiscard]] auto& passes() noexcept { return passes_; }

private:
  [[nodiscard]] glt::detail::shard_ends<space> ends() const {
    return {destinations_.view(), slots_.view(), begins_on_device_.view()};
  }
  template <vertex_id Vertex>
  [[nodiscard]] glt::detail::shard_ends<space> number_ends(csr_view<space, Vertex> rows, Policy const& policy) {
    policy.executor().for_each(rows.num_rows(),
                               glt::detail::expand_rows<space, Vertex>{rows, destinations_.view(), in_degrees_.view()});
    return ends();
  }

  std::vector<std::int64_t> slot_begins_; // [R + 1], by step
  std::vector<std::int64_t> sent_begins_; // [R + 1], by step
  buffer<Policy, local_id> sent_;
  std::int64_t num_edges_;
  std::int64_t most_sent_ = 0;
  std::int64_t most_received_ = 0;
  buffer<Policy, local_id> in_degrees_;
  buffer<Policy, local_id> destinations_; // empty after construction
  buffer<Policy, local_id> slots_;        // likewise
  buffer<Policy, std::int64_t> begins_on_device_;
  glt::detail::shard_rows<Policy, glt::detail::shard_side::destination> forward_;
  glt::detail::shard_rows<Policy, glt::detail::shard_side::source> backward_;
  std::optional<detail::largest_degrees> known_degrees_;
  std::optional<glt::detail::boundary_cover<space>> cover_;
  glt::detail::rotation<Comm, Policy> passes_;
};

} // namespace glt::dist
