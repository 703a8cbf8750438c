// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

namespace glt {

/// Borrowed compressed rows of in-edges: row r lists the sources of the edges into vertex r, in input order.
///
/// Rows and columns may be numbered differently: in a part of a graph, rows are local and columns are global
/// ids.
/// Built with `{.by_source = true}`, rows are sources and list destinations.
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  offsets [num_rows() + 1], from 0 to E, ascending · sources [E] in [0, num_columns()) · edge_ids
///         [E] or empty
template <memory_space Space, vertex_id Vertex = local_id>
class csr_view {
public:
  using vertex_type = Vertex;
  static constexpr memory_space space = Space;

  /// Positions of the edges of a row in the arrays of the graph.
  struct row_edges {
    edge_offset first;
    [[nodiscard]] GLT_HOST_DEVICE constexpr edge_offset operator()(std::int64_t i) const noexcept { return first + i; }
  };

  constexpr csr_view() noexcept = default;

  /// @throws precondition_error  if num_columns is negative, offsets are empty but sources are not, or
  ///                             edge_ids are neither absent nor one per edge
  csr_view(std::int64_t num_columns, array_view<Space, edge_offset const> offsets,
           array_view<Space, Vertex const> sources, array_view<Space, edge_id const> edge_ids = {})
      : num_columns_(num_columns), offsets_(offsets), sources_(sources), edge_ids_(edge_ids) {
    if (num_columns < 0) {
      throw precondition_error(detail::message("graph of ", num_columns, " columns; the number is 0 or more"));
    }
    if (offsets.empty() && !sources.empty()) {
      throw precondition_error(detail::message("graph of ", sources.size(), " edges without row offsets; give one ",
                                               "offset per row and a last one"));
    }
    if (!edge_ids.empty() && edge_ids.size() != sources.size()) {
      throw precondition_error(
          detail::message(edge_ids.size(), " edge ids for ", sources.size(), " edges; give one per edge or none"));
    }
  }

  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t num_rows() const noexcept {
    return offsets_.empty() ? 0 : offsets_.size() - 1;
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t num_columns() const noexcept { return num_columns_; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t num_edges() const noexcept { return sources_.size(); }

  /// Returns the position of the first edge of row r; offset(num_rows()) is E.
  [[nodiscard]] GLT_HOST_DEVICE constexpr edge_offset offset(std::int64_t r) const noexcept { return offsets_[r]; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t degree(std::int64_t r) const noexcept {
    return offsets_[r + 1] - offsets_[r];
  }
  /// Returns a functor: `edges_of(r)(i)` is the position of edge i of row r, `offset(r) + i`.
  [[nodiscard]] GLT_HOST_DEVICE constexpr row_edges edges_of(std::int64_t r) const noexcept { return {offsets_[r]}; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr Vertex source(edge_offset position) const noexcept {
    return sources_[position];
  }
  /// Returns the original id of the edge at a position; the position itself if no ids are stored.
  [[nodiscard]] GLT_HOST_DEVICE constexpr edge_id id_of_edge(edge_offset position) const noexcept {
    return edge_ids_.empty() ? position : edge_ids_[position];
  }
  /// Returns the sources of row r.
  [[nodiscard]] GLT_HOST_DEVICE constexpr array_view<Space, Vertex const> row(std::int64_t r) const noexcept {
    return sources_.subview(offset(r), degree(r));
  }

  [[nodiscard]] GLT_HOST_DEVICE constexpr bool has_edge_ids() const noexcept { return !edge_ids_.empty(); }
  [[nodiscard]] GLT_HOST_DEVICE constexpr array_view<Space, edge_offset const> offsets() const noexcept {
    return offsets_;
  }
  [[nodiscard]] GLT_HOST_DEVICE constexpr array_view<Space, Vertex const> sources() const noexcept { return sources_; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr array_view<Space, edge_id const> edge_ids() const noexcept {
    return edge_ids_;
  }

private:
  std::int64_t num_columns_ = 0;
  array_view<Space, edge_offset const> offsets_;
  array_view<Space, Vertex const> sources_;
  array_view<Space, edge_id const> edge_ids_;
};

/// Owner of compressed rows of in-edges; move-only.
///
/// Concurrent calls: const members may run concurrently.
template <device_policy Policy, vertex_id Vertex = local_id>
class csr_graph {
public:
  using vertex_type = Vertex;
  using policy_type = Policy;

  csr_graph() = default;

  /// Takes over the arrays. Checks their lengths; `validate` checks their values.
  ///
  /// @throws precondition_error  as `csr_view`
  csr_graph(std::int64_t num_columns, buffer<Policy, edge_offset> offsets, buffer<Policy, Vertex> sources,
            buffer<Policy, edge_id> edge_ids = {})
      : num_columns_(num_columns), offsets_(std::move(offsets)), sources_(std::move(sources)),
        edge_ids_(std::move(edge_ids)) {
    static_cast<void>(view());
  }

  [[nodiscard]] csr_view<Policy::space, Vertex> view() const {
    return {num_columns_, offsets_.view(), sources_.view(), edge_ids_.view()};
  }

private:
  std::int64_t num_columns_ = 0;
  buffer<Policy, edge_offset> offsets_;
  buffer<Policy, Vertex> sources_;
  buffer<Policy, edge_id> edge_ids_;
};

/// Copies a graph from ordinary memory into memory of a policy.
///
/// @where  may only enqueue; `graph` may change afterwards
/// @cost   O(num_rows + E)
template <device_policy Policy, vertex_id Vertex>
[[nodiscard]] csr_graph<Policy, Vertex> copy(csr_view<memory_space::host, Vertex> graph, Policy policy = {}) {
  buffer<Policy, edge_offset> offsets = make_buffer(graph.offsets(), policy);
  buffer<Policy, Vertex> sources = make_buffer(graph.sources(), policy);
  buffer<Policy, edge_id> edge_ids = make_buffer(graph.edge_ids(), policy);
  return {graph.num_columns(), std::move(offsets), std::move(sources), std::move(edge_ids)};
}

} // namespace glt
