// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/request_reply.hpp>
#include <glt/dist/detail/exchange/routed_list.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/link/detail/relation_part.hpp>
#include <glt/sample/detail/arguments.hpp>
#include <glt/sample/link/detail/edge_search.hpp>

namespace glt::detail {

template <memory_space Space, class Vertex>
struct is_edge {
  edge_search<Space, Vertex> edges;
  GLT_HOST_DEVICE std::uint8_t operator()(row_with<Vertex> const& pair) const {
    return edges(pair.row(), pair.value()) ? 1 : 0;
  }
};

/// Queries whether pairs of vertices are edges of a graph in parts, or of one relation; the owners of the destinations
/// search.
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id>
class edge_queries {
  static constexpr memory_space space = Policy::space;

public:
  /// Borrows the edges, which must outlive this.
  ///
  /// @comm   as `slice_exchange`
  /// @throws precondition_error  if the graph was made for another rank or number of ranks
  /// @cost   O(local edges), to check whether rows ascend
  edge_queries(Comm comm, relation_part<space, Vertex> relation, Policy policy = {})
      : relation_(std::move(relation)), policy_(policy), ascending_(rows_ascend(policy.executor(), relation_.local)),
        pairs_(std::move(comm), policy) {
    check_own_part(pairs_.host(), relation_.part, relation_.destinations.num_parts(), "edges of part", "tested by");
  }

  /// Writes 1 for pairs that are edges, and 0 for others.
  ///
  /// @shape  sources, destinations [n] global ids · found [n], written
  /// @comm   collective; one header exchange and, if any rank asks another, two payload exchanges: 4 + sizeof(Vertex)
  ///         bytes per pair out, 1 byte back
  /// @throws collective_error  on every rank, if an end is not a vertex of its type, or the lengths differ
  /// @cost   as `edge_search` at the owners, divided among their threads
  void test(array_view<space, Vertex const> sources, array_view<space, Vertex const> destinations,
            array_view<space, std::uint8_t> found, call_site site = {.what = operation::test_edges}) {
    auto const failure = failure_of([&] {
      if (sources.size() != destinations.size() || found.size() != sources.size()) {
        throw precondition_error(message("test of ", sources.size(), " sources and ", destinations.size(),
                                         " destinations into ", found.size(), " places"));
      }
      validate_vertices(policy_, "source of a pair", sources, relation_.num_sources());
      validate_vertices(policy_, "destination of a pair", destinations, relation_.num_destinations());
      pairs_.route(relation_.destinations, destinations, make_row_with<space, Vertex>{sources});
    });
    pairs_.send(site, 0, failure);
    pairs_.reply(is_edge<space, Vertex>{{relation_.local, ascending_}}, found);
  }

private:
  relation_part<space, Vertex> relation_;
  Policy policy_;
  bool ascending_;
  request_reply<Comm, Policy, row_with<Vertex>, std::uint8_t> pairs_;
};

} // namespace glt::detail
