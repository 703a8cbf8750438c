// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_schema.hpp>
#include <glt/graph/validate.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/hetero_options.hpp>
#include <glt/sample/link/negatives.hpp>
#include <glt/sample/options.hpp>

namespace glt {

namespace detail {

/// Sources of the seed edges of a batch; converts from a list of one source per destination.
///
/// With offsets, the destinations of source i are those from offsets[i] to offsets[i + 1]: none, one or many.
///
/// @shape  ids [S] · offsets [S + 1], ascending from 0 to the number P of destinations, or empty if S = P
template <memory_space Space, vertex_id Vertex>
struct link_sources {
  array_view<Space, Vertex const> ids;
  array_view<Space, std::int64_t const> offsets;

  link_sources() = default;
  template <std::convertible_to<array_view<Space, Vertex const>> Ids = array_view<Space, Vertex const>>
  link_sources(Ids&& of_sources, array_view<Space, std::int64_t const> offsets_of_sources = {})
      : ids(std::forward<Ids>(of_sources)), offsets(offsets_of_sources) {}

  [[nodiscard]] std::int64_t size() const noexcept { return ids.size(); }
};

} // namespace detail

/// Choice whether the edges to predict may be sampled in the neighbourhoods from which they are predicted.
enum class seed_exclusion {
  none,              ///< seed edges may be sampled
  edges,             ///< all edges from the source to the destination of a seed edge are left out
  edges_and_reverses ///< edges from its destination to its source too
};

/// Options of a link sampler.
struct link_options {
  neighbor_options neighbors{};                  ///< around the ends of all pairs
  negative_options negatives{};                  ///< pairs that are no edges
  seed_exclusion exclude = seed_exclusion::none; ///< takes effect before neighbours are drawn

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.neighbors, self.negatives, self.exclude);
  }
};

/// Options of a link sampler of a heterogeneous graph, whose seed edges are of one type.
///
/// The ends of a negative are vertices of the two types that the edge type joins, and `strict` tests against the edges
/// of this type alone.
struct hetero_link_options {
  int edge_type = 0;                             ///< the type of the seed edges
  hetero_options neighbors{};                    ///< around the ends of all pairs
  negative_options negatives{};                  ///< pairs that are no edges of the type
  seed_exclusion exclude = seed_exclusion::none; ///< takes effect before neighbours are drawn
  int reverse_type = -1; ///< the edge type from which `edges_and_reverses` leaves the reverses out

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.edge_type, self.neighbors, self.negatives, self.exclude, self.reverse_type);
  }
};

namespace detail {

inline void check_exclusion_value(seed_exclusion exclude) {
  if (exclude < seed_exclusion::none || exclude > seed_exclusion::edges_and_reverses) {
    throw precondition_error(
        message("exclude ", static_cast<std::int64_t>(exclude), "; give a value of seed_exclusion"));
  }
}

/// Type of the seed edges of a link sampler, and the vertex types of their ends. Without types there is one of each.
struct link_types {
  int edge_type = 0;
  int reverse_type = 0;
  int source = 0;
  int destination = 0;

  [[nodiscard]] bool one_vertex_type() const noexcept { return source == destination; }
};

/// Checks the options of pairs, and returns the types that they name; options of neighbours are not checked.
///
/// @throws precondition_error  as `validate`
[[nodiscard]] inline link_types types_of(link_options const& options) {
  validate(options.negatives);
  check_exclusion_value(options.exclude);
  return {};
}
[[nodiscard]] inline link_types types_of(hetero_link_options const& options, hetero_schema const& schema) {
  validate(options.negatives);
  check_exclusion_value(options.exclude);
  auto const check_type = [&](int type, std::string_view what) {
    if (type < 0 || type >= schema.num_edge_types()) {
      throw precondition_error(message(what, ' ', type, " of a graph of ", schema.num_edge_types(),
                                       " edge types; types count from 0, see hetero_schema::find_edge_type"));
    }
  };
  check_type(options.edge_type, "seed edges of type");
  link_types const types{.edge_type = options.edge_type,
                         .reverse_type = options.reverse_type,
                         .source = schema.source_type(options.edge_type),
                         .destination = schema.destination_type(options.edge_type)};
  if (options.exclude == seed_exclusion::edges_and_reverses) {
    check_type(options.reverse_type, "reverses of seed edges of type");
    if (schema.source_type(options.reverse_type) != types.destination ||
        schema.destination_type(options.reverse_type) != types.source) {
      throw precondition_error(message("edges ", schema.name_of_edge_type(options.reverse_type), " are no reverses of ",
                                       schema.name_of_edge_type(options.edge_type),
                                       "; give the type with its ends swapped as reverse_type"));
    }
  }
  return types;
}

/// @throws precondition_error  as `validate` for neighbours and for negatives, or if `exclude` is no seed_exclusion
inline void validate(link_options const& options) {
  validate(options.neighbors);
  static_cast<void>(types_of(options));
}

/// @throws precondition_error  as `validate` for neighbours and for negatives, if `exclude` is no seed_exclusion, the
///                             edge type does not exist, or reverses are to be left out and `reverse_type` does not
///                             join the same types in the other direction
template <std::same_as<hetero_link_options> Options> // so that {} are hetero_options
void validate(Options const& options, hetero_schema const& schema) {
  validate(options.neighbors, schema);
  static_cast<void>(types_of(options, schema));
}

/// Returns the options by which negatives between two types are drawn: a vertex of another type is never the same.
[[nodiscard]] inline negative_options negatives_between(negative_options options, link_types const& types) noexcept {
  options.self_pairs = options.self_pairs || !types.one_vertex_type();
  return options;
}

/// Edges of one type that seed edges exclude: the edges themselves, their reverses, or both.
struct excluded_relation {
  int edge_type;
  bool edges;
  bool reverses;
};

/// Returns the edge types from which seed edges are left out.
[[nodiscard]] inline std::vector<excluded_relation> excluded_relations(link_types const& types,
                                                                       seed_exclusion exclude) {
  bool const both = exclude == seed_exclusion::edges_and_reverses;
  if (exclude == seed_exclusion::none) {
    return {};
  }
  if (!both || types.edge_type == types.reverse_type) {
    return {{types.edge_type, true, both}};
  }
  return {{types.edge_type, true, false}, {types.reverse_type, false, true}};
}

inline void check_label_list(std::int64_t num_labels, std::int64_t num_positives, negative_options const& options) {
  if (options.mode == negative_mode::triplet) {
    throw precondition_error("labels of seed edges for triplets, which have none; use negative_mode::binary");
  }
  if (num_labels != num_positives) {
    throw precondition_error(
        message(num_labels, " labels for ", num_positives, " seed edges; give one per edge or none"));
  }
}

// Returns the place of a label that is not a class, or the number of labels.
template <memory_space Space>
struct place_of_wrong_label {
  array_view<Space, std::int64_t const> labels;
  GLT_HOST_DEVICE std::int64_t operator()(std::int64_t i) const {
    constexpr std::int64_t largest = 0x7fffffffffffffff; // 1 is added beside negatives
    return labels[i] < 0 || labels[i] == largest ? i : labels.size();
  }
};

/// Throws for labels of seed edges that do not fit the options.
///
/// @shape  labels [P], or empty for none
/// @where  synchronises
/// @throws precondition_error  if there are labels for triplets, their number differs from P, or one is negative or
///                             2⁶³ − 1, naming the first
/// @cost   O(P)
template <device_policy Policy>
void validate_labels(Policy const& policy, array_view<Policy::space, std::int64_t const> labels,
                     std::int64_t num_positives, negative_options const& options) {
  if (labels.empty()) {
    return;
  }
  detail::check_label_list(labels.size(), num_positives, options);
  auto const wrong = policy.executor().reduce(labels.size(), labels.size(),
                                              detail::place_of_wrong_label<Policy::space>{labels}, detail::smaller{});
  if (wrong < labels.size()) {
    throw precondition_error(detail::message("label of seed edge ", wrong, " is ", read_element(policy, labels, wrong),
                                             "; classes count from 0, to 2^63 - 2"));
  }
}

} // namespace detail

} // namespace glt
