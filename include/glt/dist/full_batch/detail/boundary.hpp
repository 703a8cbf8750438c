// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/routed_list.hpp>
#include <glt/dist/detail/part_halo.hpp>
#include <glt/dist/full_batch/aggregation.hpp>
#include <glt/graph/csr.hpp>

namespace glt::detail {

/// Returns the peer of a rank at a step of a rotation: rank r visits r, r + 1, …, R − 1, 0, …, r − 1.
[[nodiscard]] constexpr int peer_at(int rank, int size, std::int64_t step) noexcept {
  return static_cast<int>((rank + step) % size);
}

// Functor that numbers the halo by the step at which its owner is visited: the list by owner, rotated by `first`.
template <memory_space Space>
struct turn_halo {
  array_view<Space, std::int64_t const> places; // of the routed list in the halo
  std::int64_t first;                           // place of the first vertex of ranks above this one
  array_view<Space, local_id> turned;           // [halo], written
  GLT_HOST_DEVICE void operator()(std::int64_t i) const {
    turned[places[i]] = static_cast<local_id>(i >= first ? i - first : i + places.size() - first);
  }
};

template <memory_space Space>
struct turn_slot {
  array_view<Space, std::int64_t const> known; // [E], by `part_halo`
  array_view<Space, local_id const> turned;
  std::int64_t num_own;
  array_view<Space, local_id> slots; // [E], written
  GLT_HOST_DEVICE void operator()(std::int64_t e) const {
    auto const slot = known[e];
    slots[e] = static_cast<local_id>(slot < num_own ? slot : num_own + turned[slot - num_own]);
  }
};

/// Boundary of a rank: for every edge the slot of its source, and for every peer the local rows that it needs.
template <device_policy Policy>
struct boundary {
  buffer<Policy, local_id> slots;        ///< [E]: local vertices first, then the vertices of the peer of each step
  std::vector<std::int64_t> slot_begins; ///< [R + 1], by step
  buffer<Policy, local_id> sent;         ///< local rows that others need, by the step at which they visit this rank
  std::vector<std::int64_t> sent_begins; ///< [R + 1], by step; none for step 0
};

/// Finds the boundary of some rows of every rank's part of `num_own` vertices, for passes.
///
/// @comm   collective; one header exchange and, if any rank has a halo, one variable exchange of 4 bytes a halo vertex
/// @throws collective_error  on every rank, if the book of a rank does not have one part per rank, a rank has 2³¹ or
///                           more edges or vertices with its halo, or its options are invalid or differ from rank 0
template <communicator Comm, device_policy Policy, vertex_id Vertex>
[[nodiscard]] boundary<Policy> find_boundary(Comm comm, partition_book const& book,
                                             csr_view<Policy::space, Vertex> rows, std::int64_t num_own,
                                             dist::sharding_options const& options, Policy policy) {
  constexpr auto space = Policy::space;
  auto const rank = comm.rank();
  auto const size = comm.size();
  auto const own = own_rank_text(comm);
  routed_list<Comm, Policy, local_id> wanted(std::move(comm), policy, own_rows::apart);
  boundary<Policy> found{buffer<Policy, local_id>(0, policy), {}, buffer<Policy, local_id>(0, policy), {}};
  std::int64_t halo_size = 0;
  auto const failure = failure_of([&] {
    if (book.num_parts() != size || num_own != book.size(rank)) {
      throw precondition_error(message("part of ", num_own, " rows of a partition of ", book.num_parts(), " parts on ",
                                       own, "; use the communicator that the graph was made with"));
    }
    if (options.depth < 0) {
      throw precondition_error(message("sharded graph of depth ", options.depth, "; pass 0 or more"));
    }
    if (options.cover && !host_policy<Policy>) {
      throw precondition_error(
          "cover of the boundary in the memory of a device; leave cover out, or keep the graph on hosts");
    }
    static_cast<void>(narrow<local_id>(rows.num_edges(), "number of edges of a rank"));
    part_halo<Policy, Vertex> halo(policy);
    buffer<Policy, std::int64_t> known(rows.num_edges(), policy);
    halo.find(rows, book.begin(rank), book.end(rank), known.view());
    halo_size = halo.size();
    static_cast<void>(narrow<local_id>(num_own + halo_size, "number of vertices that a rank knows"));
    wanted.route(book, halo.vertices(), row_alone{});
    auto const first = wanted.offsets()[static_cast<std::size_t>(rank) + 1];
    buffer<Policy, local_id> turned(halo_size, policy);
    found.slots.resize(rows.num_edges());
    auto const ex = policy.executor();
    ex.for_each(halo_size, turn_halo<space>{wanted.places(), first, turned.view()});
    ex.for_each(rows.num_edges(), turn_slot<space>{std::as_const(known).view(), std::as_const(turned).view(), num_own,
                                                   found.slots.view()});
    found.slot_begins.assign(static_cast<std::size_t>(size) + 1, num_own);
    found.slot_begins.front() = 0;
    found.sent_begins.assign(static_cast<std::size_t>(size) + 1, 0);
  });
  auto const headers =
      wanted.send({.what = operation::make_shards}, options.depth * 2 + (options.cover ? 1 : 0), failure);
  check_same(wanted.exchange().host(), headers, &call_header::value, [](std::int64_t value, std::int64_t first) {
    auto const to_string = [](std::int64_t v) { return message("depth ", v / 2, v % 2 != 0 ? " and a cover" : ""); };
    return message("asks for ", to_string(value), " while rank 0 asks for ", to_string(first),
                   "; pass the same on all ranks");
  });
  found.sent.resize(wanted.received().size());
  for (int step = 1; step < size; ++step) {
    auto const k = static_cast<std::size_t>(step);
    auto const asked = wanted.counts()[static_cast<std::size_t>(peer_at(rank, size, step))];
    found.slot_begins[k + 1] = found.slot_begins[k] + asked;
    // at step k, this rank is the peer of rank − k
    auto const rows_of_asker = wanted.received_of(peer_at(rank, size, size - step));
    found.sent_begins[k + 1] = found.sent_begins[k] + rows_of_asker.size();
    if (!rows_of_asker.empty()) {
      policy.resource().copy(found.sent.data() + found.sent_begins[k], rows_of_asker.data(),
                             static_cast<std::size_t>(rows_of_asker.size()) * sizeof(local_id));
    }
  }
  return found;
}

} // namespace glt::detail
