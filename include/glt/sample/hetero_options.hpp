// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_schema.hpp>
#include <glt/sample/options.hpp>

namespace glt {

/// Options of a multi-hop sampler of a heterogeneous graph.
struct hetero_options {
  /// Fanouts per edge type, one per hop, from the seeds outwards: −1 takes all neighbours, 0 leaves the edge type out
  /// of that hop.
  std::vector<std::vector<std::int64_t>> fanouts;
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

/// Returns the same fanouts for every edge type of a schema; change single ones afterwards.
[[nodiscard]] inline std::vector<std::vector<std::int64_t>> same_fanouts(hetero_schema const& schema,
                                                                         std::vector<std::int64_t> const& fanouts) {
  return {static_cast<std::size_t>(schema.num_edge_types()), fanouts};
}

namespace detail {

/// Returns the number of hops of a sample; 0 without edge types.
[[nodiscard]] inline std::size_t num_hops(hetero_options const& options) noexcept {
  return options.fanouts.empty() ? 0 : options.fanouts[0].size();
}

/// Returns the options of hop `hop` over an edge type.
///
/// @pre    hop and edge type are in range; not checked
[[nodiscard]] inline hop_options hop_of(hetero_options const& options, std::size_t hop, int edge_type) noexcept {
  return {.fanout = options.fanouts[static_cast<std::size_t>(edge_type)][hop], .replace = options.replace};
}

/// @throws precondition_error  if there is not one list of fanouts per edge type, the lists are empty or of
///                             different length, or a fanout is below −1, or −1 or 2³¹ or more together with
///                             replacement, or `expand` is no frontier
inline void validate(hetero_options const& options, hetero_schema const& schema) {
  check_frontier(options.expand);
  if (std::ssize(options.fanouts) != schema.num_edge_types()) {
    throw precondition_error(message(options.fanouts.size(), " lists of fanouts for ", schema.num_edge_types(),
                                     " edge types; give one per type, of zeros for types that are left out"));
  }
  for (int e = 0; e < schema.num_edge_types(); ++e) {
    auto const& fanouts = options.fanouts[static_cast<std::size_t>(e)];
    if (fanouts.empty() || fanouts.size() != options.fanouts[0].size()) {
      throw precondition_error(message(fanouts.size(), " fanouts of ", schema.name_of_edge_type(e), ", but ",
                                       options.fanouts[0].size(), " of ", schema.name_of_edge_type(0),
                                       "; give one number per hop, as many for every edge type"));
    }
    for (std::size_t hop = 0; hop < fanouts.size(); ++hop) {
      if (fanouts[hop] != 0) {
        check_fanout(fanouts[hop], options.replace, message(" of hop ", hop, " of ", schema.name_of_edge_type(e)));
      }
    }
  }
}

} // namespace detail

} // namespace glt
