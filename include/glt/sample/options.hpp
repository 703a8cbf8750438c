// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/core/detail/members.hpp>

namespace glt {

namespace detail {

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
  friend struct member_access;
  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.kind_);
  }

  std::uint8_t kind_;
};

} // namespace detail

/// Option `{.edge_ids = glt::edge_positions}`: the position of every sampled edge in the rows of a graph without edge
/// ids. In a part of a graph, positions count in the part's rows.
inline constexpr detail::edge_id_choice::positions edge_positions{};

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

/// Name of a batch for the random numbers: equal keys give equal samples, on any machine.
struct sample_key {
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
  std::int64_t step = 0;
};

/// Choice of the vertices that a hop expands.
enum class frontier {
  fresh, ///< vertices first seen in the previous hop: every vertex is sampled once
  all    ///< every vertex seen so far, with new draws in each hop
};

/// Number of in-neighbours that a hop draws for every vertex of its frontier.
struct hop_options {
  std::int64_t fanout = -1; ///< −1 takes all
  bool replace = false;     ///< draw exactly `fanout` neighbours with replacement
};

/// Options of a multi-hop neighbour sampler.
struct neighbor_options {
  std::vector<std::int64_t> fanouts;       ///< one per hop, from the seeds outwards; −1 takes all, 0 none
  bool replace = false;                    ///< draw with replacement
  frontier expand = frontier::fresh;       ///< vertices that a hop expands
  detail::edge_id_choice edge_ids = false; ///< return the id of every sampled edge, which the graph must have
  /// Samples a separate tree for every seed; trees share no vertex. Equal seeds have equal trees, because draws are
  /// named by vertices; `independent_rule` draws anew for each occurrence.
  bool disjoint = false;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.fanouts, self.replace, self.expand, self.edge_ids, self.disjoint);
  }
};

namespace detail {

// Throws if the fanout is wrong; `place` names it in errors, such as " of hop 2".
inline void check_fanout(std::int64_t fanout, bool replace, std::string const& place) {
  if (fanout == 0 || fanout < -1) {
    throw precondition_error(message("fanout ", fanout, place, "; give a number above 0, or -1 for all neighbours"));
  }
  if (fanout == -1 && replace) {
    throw precondition_error(message("fanout -1 (all neighbours)", place, " with replacement; give a number above 0"));
  }
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max(); // sums over all rows fit 64 bits
  if (replace && fanout > most) {
    throw precondition_error(message("fanout ", fanout, place, " with replacement; give a number up to ", most));
  }
}

// Throws for a number that is no frontier.
inline void check_frontier(frontier expand) {
  if (expand != frontier::fresh && expand != frontier::all) {
    throw precondition_error(
        message("expand ", static_cast<std::int64_t>(expand), "; give frontier::fresh or frontier::all"));
  }
}

/// @throws precondition_error  if the fanout is 0 or below −1, or −1 or 2³¹ or more together with replacement
inline void validate(hop_options const& options) {
  check_fanout(options.fanout, options.replace, {});
}

/// @throws precondition_error  if there is no fanout, or one is below −1, or −1 or 2³¹ or more together with
///                             replacement, or `expand` is no frontier
inline void validate(neighbor_options const& options) {
  if (options.fanouts.empty()) {
    throw precondition_error("no fanouts; give one number per hop, such as {15, 10}");
  }
  check_frontier(options.expand);
  for (std::size_t hop = 0; hop < options.fanouts.size(); ++hop) {
    if (options.fanouts[hop] != 0) {
      check_fanout(options.fanouts[hop], options.replace, message(" of hop ", hop));
    }
  }
}

[[nodiscard]] inline std::size_t num_hops(neighbor_options const& options) noexcept {
  return options.fanouts.size();
}

/// Returns the options of hop `hop` of a sampler, over its only edge type.
///
/// @pre    hop is in [0, fanouts.size()); not checked
[[nodiscard]] inline hop_options hop_of(neighbor_options const& options, std::size_t hop, int = 0) {
  return {.fanout = options.fanouts[hop], .replace = options.replace};
}

/// Returns the random key of one hop over one edge type; its streams are named by the original ids of the vertices.
[[nodiscard]] constexpr random_key hop_key(sample_key key, std::int64_t hop, std::int64_t edge_type = 0) noexcept {
  return random_key(key.seed)
      .fold(static_cast<std::uint64_t>(key.epoch))
      .fold(static_cast<std::uint64_t>(key.step))
      .fold(static_cast<std::uint64_t>(hop))
      .fold(static_cast<std::uint64_t>(edge_type));
}

} // namespace detail

} // namespace glt
