// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/hotness/detail/hot_edges.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/graph/csr.hpp>
#include <glt/partition/split.hpp>

namespace glt::dist {

/// Graph of which every rank owns one part: its vertices with all their in-edges.
///
/// Vertices are numbered part by part; `book()` tells their owners and `original()` their original ids. Memory holds
/// the part plus P + 1 offsets.
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  local() rows are the vertices of this part, columns global ids
template <device_policy Policy, vertex_id Vertex = global_id>
class graph {
public:
  using policy_type = Policy;
  using vertex_type = Vertex;
  static constexpr memory_space space = Policy::space;

  /// Takes over this rank's part and agrees with the other ranks on the partition.
  ///
  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if a rank has the part of another rank, its part contradicts its book, or
  ///                           comes from another partition than the part of rank 0
  template <communicator Comm>
  graph(Comm& comm, graph_part<Policy, Vertex>&& part) : part_(std::move(part)) {
    detail::agree(detail::host_comm(comm), {.what = detail::operation::make_graph}, fault(comm.rank(), comm.size()),
                  detail::book_fingerprint(part_.book),
                  "has another partition book than rank 0; load parts of one partition on all ranks");
  }

  template <communicator Comm, class Reason = detail::a_part_is_taken_over_so_move_it>
  graph(Comm&, graph_part<Policy, Vertex> const&) = delete;

  [[nodiscard]] partition_book const& book() const noexcept { return part_.book; }
  [[nodiscard]] int part() const noexcept { return part_.part; }
  [[nodiscard]] std::int64_t num_vertices() const noexcept { return part_.book.num_vertices(); }
  [[nodiscard]] csr_view<space, Vertex> local() const { return part_.graph.view(); }
  /// Returns the original id of every vertex of this part, by local id.
  [[nodiscard]] array_view<space, global_id const> original() const noexcept { return part_.original.view(); }
  /// Returns views of the parts that samplers of this graph read in place; without entries if there is no such part.
  [[nodiscard]] node_views<typename graph_part<Policy, Vertex>::view_type> const& neighborhood() const noexcept {
    return neighborhood_;
  }

private:
  template <device_policy, vertex_id>
  friend class data_set; // shares memory
  friend struct glt::detail::copied_edges;

  // Returns the fault of this rank's part; empty if there is none.
  [[nodiscard]] std::string fault(int rank, int size) const {
    auto const rows = local().num_rows();
    if (part_.book.num_parts() != size) {
      return detail::message("partition of ", part_.book.num_parts(), " parts on ", size,
                             " ranks; start as many ranks as there are parts");
    }
    if (part_.part != rank) {
      return detail::message("was given part ", part_.part, "; rank r takes part r");
    }
    if (rows != part_.book.size(rank) || local().num_columns() != num_vertices()) {
      return detail::message("part of ", rows, " rows and ", local().num_columns(), " columns, but the book says ",
                             part_.book.size(rank), " of ", num_vertices(), " vertices");
    }
    if (original().size() != rows) {
      return detail::message(original().size(), " original ids for ", rows, " vertices; give one per vertex");
    }
    return {};
  }

  graph_part<Policy, Vertex> part_;
  node_views<detail::part_view<space, Vertex>> neighborhood_;
  std::shared_ptr<detail::hot_edges<Vertex> const> hot_edges_; // copies of in-edges of other parts, or null
};

} // namespace glt::dist
