// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/detail/bytes.hpp>
#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/detail/exchange/part_check.hpp>
#include <glt/dist/detail/exchange/queries.hpp>
#include <glt/dist/graph.hpp>
#include <glt/sample/link/detail/edge_search.hpp>
#include <glt/sample/validate.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace glt::dist {

/// An edge as it travels to the owner of its destination: without gaps.
template <vertex_id Vertex>
class wire_edge {
public:
  wire_edge() = default;
  wire_edge(local_id row, Vertex source) noexcept {
    detail::copy_bytes(bytes_.data(), &row, sizeof(row));
    detail::copy_bytes(bytes_.data() + sizeof(row), &source, sizeof(source));
  }

  /// The number of the destination in its part.
  [[nodiscard]] local_id row() const noexcept { return at<local_id>(0); }
  [[nodiscard]] Vertex source() const noexcept { return at<Vertex>(sizeof(local_id)); }

private:
  template <class T>
  [[nodiscard]] T at(std::size_t offset) const noexcept {
    T value;
    detail::copy_bytes(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

  std::array<std::byte, sizeof(local_id) + sizeof(Vertex)> bytes_{};
};

/// Says of any pairs of vertices whether they are edges of a graph in parts; the owners of the destinations
/// look.
template <communicator Comm, device_policy Policy, vertex_id Vertex = global_id>
class edge_queries {
  static_assert(host_accessible(Policy::space),
                "edge_queries packs messages on the host: use a host-accessible policy");
  static constexpr memory_space space = Policy::space;

public:
  /// Borrows the graph, which must outlive this.
  ///
  /// @comm   none
  /// @throws precondition_error  if the graph was not made for this rank of as many ranks
  /// @cost   O(local edges), to see whether rows ascend
  edge_queries(Comm comm, graph<Policy, Vertex> const& graph, Policy policy = {})
      : graph_(&graph), ascending_(rows_ascend(policy.executor(), graph.local())), queries_(std::move(comm)),
        policy_(std::move(policy)) {
    auto const& own = queries_.comm();
    check_own_part(own, graph.part(), graph.book().num_parts(), "edges of part", "tested by");
  }

  /// Writes 1 for pairs that are edges, and 0 for others.
  ///
  /// @shape  sources, destinations [n] global ids · found [n], written
  /// @comm   collective; one header exchange and, if any rank asks another, two payload exchanges: 4 +
  ///         sizeof(Vertex) bytes a pair out, 1 byte back
  /// @throws collective_error  on every rank, if a vertex of a rank is not in [0, V), or the lengths differ
  /// @cost   as `edge_search` at the owners, divided over their threads
  void test(array_view<space, Vertex const> sources, array_view<space, Vertex const> destinations,
            array_view<space, std::uint8_t> found, call_site site = {.what = operation::test_edges}) {
    auto const& book = graph_->book();
    auto const failure = failure_of([&] {
      if (sources.size() != destinations.size() || found.size() != sources.size()) {
        throw precondition_error(detail::message("test of ", sources.size(), " sources and ", destinations.size(),
                                                 " destinations into ", found.size(), " places"));
      }
      validate_vertices("source of a pair", sources, book.num_vertices());
      validate_vertices("destination of a pair", destinations, book.num_vertices());
      queries_.route(
          sources.size(), [&](std::int64_t i) { return wire_edge<Vertex>(book.local(destinations[i]), sources[i]); },
          [&](std::int64_t i) { return book.owner(destinations[i]); });
    });
    queries_.send(site, 0, failure);
    policy_.executor().for_each(static_cast<std::int64_t>(queries_.received().size()),
                                answer_query{{graph_->local(), ascending_}, queries_.received(), queries_.answers()});
    queries_.finish([&](std::int64_t i, std::uint8_t answer) { found[i] = answer; });
  }

private:
  struct answer_query {
    edge_search<space, Vertex> edges;
    std::span<wire_edge<Vertex> const> asked;
    std::span<std::uint8_t> answers;

    void operator()(std::int64_t i) const {
      auto const& edge = asked[static_cast<std::size_t>(i)];
      answers[static_cast<std::size_t>(i)] = edges(edge.row(), edge.source()) ? 1 : 0;
    }
  };

  graph<Policy, Vertex> const* graph_;
  bool ascending_;
  queries<Comm, wire_edge<Vertex>, std::uint8_t> queries_;
  Policy policy_;
};

} // namespace glt::dist
