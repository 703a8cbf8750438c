// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/request_reply.hpp>
#include <glt/dist/detail/part_halo.hpp>
#include <glt/dist/graph.hpp>
#include <glt/graph/csr.hpp>

namespace glt::detail {

template <memory_space Space>
struct value_of_slot {
  array_view<Space, std::int64_t const> of_own;
  array_view<Space, std::int64_t const> of_halo;
  array_view<Space, std::int64_t> values; // slots at first
  GLT_HOST_DEVICE void operator()(std::int64_t e) const {
    auto const slot = values[e];
    values[e] = slot < of_own.size() ? of_own[slot] : of_halo[slot - of_own.size()];
  }
};

} // namespace glt::detail

namespace glt::dist {

/// Returns for every edge of this rank's rows the value of its source, such as a time. The source's owner holds that
/// value.
///
/// Each rank requests every vertex of its halo once.
///
/// @shape  rows [book.size(rank)] with E edges, sources are global ids · of_own [book.size(rank)] → [E], by
///         position
/// @where  memory of `Policy`
/// @comm   collective; one header exchange and, if any rank has a halo, two payload exchanges: 4 bytes out
///         and 8 back for a halo vertex
/// @throws collective_error  on every rank, if the book of a rank does not have one part per rank, or its rows or
///                           values are not one per vertex of its part, or a source is not in [0, V)
/// @cost   O(E); beside the result some 100 bytes a halo vertex, and 12 a vertex that another rank requests
template <device_policy Policy = device::cpu, communicator Comm, vertex_id Vertex>
[[nodiscard]] buffer<Policy, std::int64_t>
make_source_values(Comm comm, partition_book const& book, csr_view<Policy::space, Vertex> rows,
                   array_view<Policy::space, std::int64_t const> of_own, Policy policy = {}) {
  constexpr auto space = Policy::space;
  auto const own_size = of_own.size();
  glt::detail::request_reply<Comm, Policy, local_id, std::int64_t> look_up(std::move(comm), policy);
  buffer<Policy, std::int64_t> values(0, policy); // at first the place of a value: in of_own, or behind it in of_halo
  buffer<Policy, std::int64_t> of_halo(0, policy);
  auto const failure = detail::failure_of([&] {
    auto const rank = look_up.rank();
    if (book.num_parts() != look_up.size()) {
      throw precondition_error(glt::detail::message("partition of ", book.num_parts(), " parts on ", look_up.size(),
                                                    " ranks; use the communicator that the graph was made with"));
    }
    if (own_size != book.size(rank) || rows.num_rows() != own_size) {
      throw precondition_error(glt::detail::message(own_size, " values for ", rows.num_rows(),
                                                    " rows, but the part has ", book.size(rank),
                                                    " vertices; give one value per vertex"));
    }
    glt::detail::part_halo<Policy, Vertex> halo(policy);
    values.resize(rows.num_edges());
    halo.find(rows, book.begin(rank), book.end(rank), values.view());
    look_up.route(book, halo.vertices(), glt::detail::row_alone{});
    of_halo.resize(halo.size());
  });
  look_up.send({.what = detail::operation::make_source_values}, 0, failure);
  look_up.reply(glt::detail::element_at<space, std::int64_t>{of_own}, of_halo.view());
  policy.executor().for_each(values.size(),
                             glt::detail::value_of_slot<space>{of_own, std::as_const(of_halo).view(), values.view()});
  return values;
}

/// Returns the original id of the source of every edge of this rank's part, for `labor_rule`.
///
/// @shape  graph.local() with E edges → [E], by position
/// @comm   collective; as `make_source_values`
/// @throws collective_error  on every rank, if the graph of a rank was made with another communicator
/// @cost   as `make_source_values`
template <communicator Comm, device_policy Policy, vertex_id Vertex>
[[nodiscard]] buffer<Policy, global_id> make_source_values(Comm comm, graph<Policy, Vertex> const& graph,
                                                           Policy policy = {}) {
  if (graph.part() != comm.rank()) { // other ranks learn of it in their first exchange
    detail::agree(detail::host_comm(comm), {.what = detail::operation::make_source_values},
                  glt::detail::message("part ", graph.part(), " on ", glt::detail::own_rank_text(comm),
                                       "; use the communicator that the graph was made with"));
  }
  return make_source_values(std::move(comm), graph.book(), graph.local(), graph.original(), std::move(policy));
}

} // namespace glt::dist
