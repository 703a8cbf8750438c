// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/full_batch/detail/boundary.hpp>
#include <glt/dist/full_batch/detail/shard_rows.hpp>
#include <glt/dist/full_batch/sharded_graph.hpp>

namespace glt::detail {

// Functor that writes a shard's edges for the owner of their sources: by destination, numbered by place in the rows.
template <memory_space Space>
struct write_pushed_edges {
  shard_view<Space> shard;
  edge_id const* ids; // or null
  edge_id* out_ids;
  local_id* destinations;
  local_id* columns;
  GLT_HOST_DEVICE void operator()(std::int64_t row) const {
    auto const first = shard.offsets[0];
    for (auto e = shard.offsets[row]; e < shard.offsets[row + 1]; ++e) {
      destinations[e - first] = static_cast<local_id>(row);
      columns[e - first] = shard.columns[e];
      if (ids != nullptr) {
        out_ids[e - first] = ids[shard.edges[e]];
      }
    }
  }
};

struct read_pushed_edges {
  edge_id const* ids; // or null
  local_id const* destinations;
  local_id const* columns;
  local_id first_slot;
  edge_id* out_ids;
  local_id* out_destinations;
  local_id* slots;
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    out_destinations[i] = destinations[i];
    slots[i] = first_slot + columns[i];
    if (ids != nullptr) {
      out_ids[i] = ids[i];
    }
  }
};

/// Pairs of ranks between which edges are sent to the owner of their sources.
enum class push_choice {
  useful, ///< fewer than twice as many destinations as sources: else pushing never saves bytes
  all     ///< any pair with edges; these are then used whatever the bytes
};

} // namespace glt::detail

namespace glt::dist {

/// Copies of edges at the ranks that own their sources. With them, a backward pass may run where the sources are.
///
/// Made once for a graph. Concurrent calls: const members may run concurrently.
template <device_policy Policy>
class pushed_edges {
public:
  static constexpr memory_space space = Policy::space;
  using shard_type = detail::shard_view<space>; ///< edges of a shard, in one of the orders
  using push_choice = detail::push_choice;      ///< pairs of ranks that may push: `useful` ones or `all`

  /// @shape  ids [E], by position in the rows of the part; or empty on all ranks, for passes without dropout
  /// @comm   collective; three header exchanges, and a message of 16 bytes an edge (8 without ids) for each pair of
  ///         ranks
  /// @throws collective_error  on every rank, if ids of a rank has another length, only some ranks pass ids, or a rank
  ///                           has another choice than rank 0
  /// @cost   for every edge that this rank receives, 16 bytes stay, and 8 for its id; for every row, 24
  template <communicator Comm>
  explicit pushed_edges(sharded_graph<Comm, Policy>& graph, array_view<space, edge_id const> ids = {},
                        push_choice choice = push_choice::useful)
      : choice_(choice), ids_(0, graph.policy()) {
    auto const size = static_cast<std::size_t>(graph.size());
    offered_.assign(size, 0);
    served_.assign(size, 0);
    std::vector<std::int64_t> counts(size, 0);
    for (std::int64_t k = 1; k < graph.size(); ++k) {
      auto const shard = graph.shard(k);
      if (choice == push_choice::all || shard.rows.size() < 2 * graph.num_received(k)) {
        offered_[static_cast<std::size_t>(k)] = shard.rows.size();
        counts[peer(graph, k)] = shard.num_edges;
      }
    }
    glt::detail::call_site const site{.what = glt::detail::operation::push_edges, .step = graph.passes().next_number()};
    std::vector<glt::detail::call_header> headers;
    agree(graph, site, ids, counts, headers);
    exchange(graph, site, ids, counts, headers);
  }

  [[nodiscard]] push_choice choice() const noexcept { return choice_; }
  /// Returns true if ids were passed, on this rank or on others.
  [[nodiscard]] bool has_ids() const noexcept { return has_ids_; }
  /// Returns the number of local destinations of a step's shard if its edges were sent to the peer; else 0.
  [[nodiscard]] std::int64_t num_offered(std::int64_t step) const { return offered_[static_cast<std::size_t>(step)]; }
  /// Returns the number of destinations of the rank `step` places before this one if it has sent their edges; else 0.
  [[nodiscard]] std::int64_t num_served(std::int64_t step) const { return served_[static_cast<std::size_t>(step)]; }
  /// Returns the edges received from the rank `step` places before this one, by destination. Destinations are numbered
  /// by their place on that rank. Columns are places in `sent_rows`, edges positions in `ids`.
  [[nodiscard]] shard_type shard(std::int64_t step) const { return forward_->shard(step); }
  /// Returns the same edges by source.
  [[nodiscard]] shard_type transposed(std::int64_t step) const { return backward_->shard(step); }
  [[nodiscard]] array_view<space, edge_id const> ids() const noexcept { return ids_.view(); }

private:
  using rows_by_destination = glt::detail::shard_rows<Policy, glt::detail::shard_side::destination>;
  using rows_by_source = glt::detail::shard_rows<Policy, glt::detail::shard_side::source>;

  template <class Graph>
  [[nodiscard]] static std::size_t peer(Graph const& graph, std::int64_t step) {
    return static_cast<std::size_t>(glt::detail::peer_at(graph.rank(), graph.size(), step));
  }

  // Tells all ranks the numbers of edges to expect, and whether ids are sent with them.
  template <class Graph>
  void agree(Graph& graph, glt::detail::call_site site, array_view<space, edge_id const> ids,
             std::vector<std::int64_t> const& counts, std::vector<glt::detail::call_header>& headers) {
    auto const failure = glt::detail::failure_of([&] {
      if (ids.size() != 0 && ids.size() != graph.num_edges()) {
        throw precondition_error(
            glt::detail::message(ids.size(), " ids of ", graph.num_edges(), " edges; pass one for each, or none"));
      }
    });
    std::int64_t const kind = graph.num_edges() == 0 ? 0 : ids.empty() ? 1 : 2;
    exchange_headers(graph.host(), site, counts, static_cast<std::int64_t>(choice_) * 4 + kind, failure, headers);
    std::int64_t first_kind = 0;
    for (std::size_t rank = 0; rank < headers.size(); ++rank) {
      auto const value = headers[rank].value;
      auto const throw_difference = [&](auto what) {
        throw glt::detail::agreed(graph.host(), static_cast<int>(rank), what);
      };
      if (value / 4 != headers[0].value / 4) {
        throw_difference(glt::detail::name_first_rank(
            graph.host(), "chooses the edges to push otherwise than rank 0; make the same calls on all ranks"));
      }
      first_kind = first_kind == 0 ? value % 4 : first_kind;
      if (value % 4 != 0 && value % 4 != first_kind) {
        throw_difference("passes ids of edges while others do not, or does not while others do; "
                         "do so on all ranks or on none");
      }
    }
    has_ids_ = first_kind == 2;
  }

  // Exchanges blocks: the ids, the destinations and the columns of edges.
  template <class Graph>
  void exchange(Graph& graph, glt::detail::call_site site, array_view<space, edge_id const> ids,
                std::vector<std::int64_t> const& counts, std::vector<glt::detail::call_header> const& headers) {
    auto const policy = graph.policy();
    auto const size = graph.size();
    std::int64_t const id_bytes = has_ids_ ? 8 : 0;
    std::int64_t const edge_bytes = id_bytes + 8;
    std::vector<std::int64_t> begins(static_cast<std::size_t>(size) + 1, 0);      // of edges, by step
    std::vector<std::int64_t> slot_begins(static_cast<std::size_t>(size) + 1, 0); // of sources, by step
    std::int64_t most_out = 0;
    std::int64_t most_in = 0;
    for (std::int64_t k = 1; k < size; ++k) {
      auto const i = static_cast<std::size_t>(k);
      auto const arriving = headers[peer(graph, size - k)].count;
      begins[i + 1] = begins[i] + arriving;
      slot_begins[i + 1] = slot_begins[i] + graph.sent_rows(k).size();
      most_out = std::max(most_out, counts[peer(graph, k)] * edge_bytes);
      most_in = std::max(most_in, arriving * edge_bytes);
    }
    buffer<Policy, local_id> destinations(0, policy);
    buffer<Policy, local_id> slots(0, policy);
    auto failure = glt::detail::failure_of([&] {
      static_cast<void>(glt::detail::narrow<local_id>(begins.back(), "number of edges that a rank is told of"));
      static_cast<void>(glt::detail::narrow<local_id>(slot_begins.back(), "number of rows that a rank sends"));
      destinations.resize(begins.back());
      slots.resize(begins.back());
      ids_.resize(has_ids_ ? begins.back() : 0);
      graph.passes().reserve(most_out, most_in);
    });
    glt::detail::agree(graph.host(), site, failure);
    auto const ex = policy.executor();
    graph.passes().run(
        glt::detail::row_flow::push, [&](std::int64_t k) { return counts[peer(graph, k)] * edge_bytes; },
        [&](std::int64_t k) { return headers[peer(graph, size - k)].count * edge_bytes; },
        [&](std::int64_t k, std::byte* block) {
          auto const count = counts[peer(graph, k)];
          auto* const ends = reinterpret_cast<local_id*>(block + count * id_bytes);
          ex.for_each(count == 0 ? 0 : graph.shard(k).rows.size(),
                      glt::detail::write_pushed_edges<space>{graph.shard(k), has_ids_ ? ids.data() : nullptr,
                                                             reinterpret_cast<edge_id*>(block), ends, ends + count});
        },
        [&](std::int64_t k, std::byte const* block) {
          auto const begin = begins[static_cast<std::size_t>(k)];
          auto const count = begins[static_cast<std::size_t>(k) + 1] - begin;
          auto const* const ends = reinterpret_cast<local_id const*>(block + count * id_bytes);
          ex.for_each(count,
                      glt::detail::read_pushed_edges{
                          has_ids_ ? reinterpret_cast<edge_id const*>(block) : nullptr, ends, ends + count,
                          static_cast<local_id>(slot_begins[static_cast<std::size_t>(k)]),
                          ids_.data() + (has_ids_ ? begin : 0), destinations.data() + begin, slots.data() + begin});
        },
        [] {});
    failure = glt::detail::failure_of([&] {
      std::int64_t most = 0;
      for (std::size_t k = 1; k < served_.size(); ++k) { // destinations ascend
        if (auto const last = begins[k + 1] - 1; last >= begins[k]) {
          served_[k] = std::int64_t{glt::detail::read_element(policy, std::as_const(destinations).view(), last)} + 1;
        }
        most = std::max(most, served_[k]);
      }
      auto const on_device = make_buffer<Policy>(slot_begins, policy);
      glt::detail::shard_ends<space> const ends{destinations.view(), slots.view(), on_device.view()};
      forward_.emplace(policy, ends, slot_begins, most);
      backward_.emplace(policy, ends, slot_begins, most);
    });
    glt::detail::agree(graph.host(), site, failure);
  }

  push_choice choice_;
  bool has_ids_ = false;
  std::vector<std::int64_t> offered_; // [R], by step
  std::vector<std::int64_t> served_;  // [R], by step
  buffer<Policy, edge_id> ids_;
  std::optional<rows_by_destination> forward_;
  std::optional<rows_by_source> backward_;
};

} // namespace glt::dist
