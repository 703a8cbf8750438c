// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/detail/members.hpp>

namespace glt {

/// Choice of the number that a sampler returns per edge: none, or with `true` the edge's id in the graph. For a graph
/// without edge ids, use `edge_positions` to get positions in its rows.
class edge_id_choice {
public:
  struct positions {};

  constexpr edge_id_choice(bool ids = false) noexcept : kind_(ids ? 1 : 0) {}
  constexpr edge_id_choice(positions) noexcept : kind_(2) {}

  /// True if edges get a number.
  constexpr operator bool() const noexcept { return kind_ != 0; }
  [[nodiscard]] constexpr bool by_position() const noexcept { return kind_ == 2; }

private:
  friend struct detail::member_access;
  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.kind_);
  }

  std::uint8_t kind_;
};

/// Option `{.edge_ids = glt::edge_positions}`: the position of every sampled edge in the rows of a graph without edge
/// ids. In a part of a graph, positions count in the part's rows.
inline constexpr edge_id_choice::positions edge_positions{};

namespace detail {

// Throws unless the graph can give the requested edge numbers.
template <class Graph>
void check_edge_ids(Graph const& graph, edge_id_choice choice) {
  if (!choice || graph.num_edges() == 0 || graph.has_edge_ids() != choice.by_position()) {
    return;
  }
  throw precondition_error(choice.by_position()
                               ? "edge_positions of a graph that has edge ids; ask for them by edge_ids = true"
                               : "edge_ids = true for a graph without edge ids; make it with csr_options "
                                 "{.edge_ids = true}, or ask for the positions of edges in its rows by "
                                 "edge_ids = glt::edge_positions");
}

} // namespace detail

} // namespace glt
