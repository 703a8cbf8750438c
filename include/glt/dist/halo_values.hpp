// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/requests.hpp>
#include <glt/dist/graph.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/detail/batch/numbering.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace glt::dist {

/// Gives every edge of this rank's rows the value that the owner of its source holds for it, such as a time.
///
/// Ranks ask for every vertex of their halo once.
///
/// @shape  rows [book.size(rank)] with E edges, sources are global ids · of_own [book.size(rank)] → [E], by
///         position
/// @where  memory of `Policy`, which the host must reach
/// @comm   collective; one header exchange and, if any rank has a halo, two payload exchanges: 4 bytes out
///         and 8 back for a halo vertex
/// @throws collective_error  on every rank, if the book of a rank has not a part per rank, or its rows or
///                           values are not one per vertex of its part, or a source is not in [0, V)
/// @cost   O(E); beside the result some 100 bytes a halo vertex, and 12 a vertex that another rank asks for
template <device_policy Policy = device::cpu, communicator Comm, vertex_id Vertex>
  requires(host_accessible(Policy::space))
[[nodiscard]] buffer<Policy, std::int64_t>
make_source_values(Comm comm, partition_book const& book, csr_view<Policy::space, Vertex> rows,
                   array_view<Policy::space, std::int64_t const> of_own, Policy policy = {}) {
  call_site const site{.what = operation::make_source_values};
  auto const own_size = of_own.size();
  requests<Comm> halo(comm);
  buffer<Policy, std::int64_t> values; // first where a value lies: in of_own, or behind it in that of the halo
  std::vector<std::int64_t> of_halo;
  std::vector<std::int64_t> received;
  auto const failure = failure_of([&] {
    if (book.num_parts() != comm.size()) {
      throw precondition_error(detail::message("partition of ", book.num_parts(), " parts on ", comm.size(),
                                               " ranks; use the communicator that the graph was made with"));
    }
    if (own_size != book.size(comm.rank()) || rows.num_rows() != own_size) {
      throw precondition_error(detail::message(own_size, " values for ", rows.num_rows(), " rows, but the part has ",
                                               book.size(comm.rank()), " vertices; give one value per vertex"));
    }
    auto const first = book.begin(comm.rank());
    first_seen_numbering<Vertex> numbering;
    std::vector<Vertex> vertices;
    values = buffer<Policy, std::int64_t>(rows.num_edges(), std::move(policy));
    for (edge_offset e = 0; e < rows.num_edges(); ++e) {
      auto const source = rows.source(e);
      if (source >= first && source < first + own_size) {
        values[e] = source - first;
        continue;
      }
      auto const [place, first_time] = numbering.number(source);
      if (first_time) {
        vertices.push_back(source);
      }
      values[e] = own_size + place;
    }
    halo.route(book, host_view<Vertex const>(vertices));
    of_halo.resize(vertices.size());
    received.resize(vertices.size());
  });
  if (!failure.empty()) {
    halo.refuse(site, failure);
  }
  halo.start(site, 0, {});
  halo.finish();
  if (halo.anything()) {
    std::vector<std::int64_t> asked;
    asked.reserve(halo.received().size());
    for (auto const row : halo.received()) {
      asked.push_back(of_own[row_of(row)]);
    }
    detail::exchange_rows(halo.comm(), host_view<std::int64_t const>(asked), halo.received_counts(),
                  host_view<std::int64_t>(received), halo.asked_counts());
    for (std::size_t i = 0; i < received.size(); ++i) {
      of_halo[static_cast<std::size_t>(halo.asked_places()[i])] = received[i];
    }
  }
  for (auto& value : values) {
    value = value < own_size ? of_own[value] : of_halo[static_cast<std::size_t>(value - own_size)];
  }
  return values;
}

/// The original id of the source of every edge of this rank's part: what `labor_rule` needs to know.
///
/// @shape  graph.local() with E edges → [E], by position
/// @comm   collective; as `make_source_values`
/// @throws collective_error  on every rank, if the graph of a rank was made with another communicator
/// @cost   as `make_source_values`
template <communicator Comm, device_policy Policy, vertex_id Vertex>
[[nodiscard]] buffer<Policy, global_id> make_source_originals(Comm comm, graph<Policy, Vertex> const& graph,
                                                              Policy policy = {}) {
  if (graph.part() != comm.rank()) {
    requests<Comm>(comm).refuse({.what = operation::make_source_values},
                                detail::message("part ", graph.part(), " on rank ", comm.rank(), " of ", comm.size(),
                                                "; use the communicator that the graph was made with"));
  }
  return make_source_values(std::move(comm), graph.book(), graph.local(), graph.original(), std::move(policy));
}

} // namespace glt::dist
