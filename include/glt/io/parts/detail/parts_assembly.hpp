// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/coo.hpp>
#include <glt/graph/csr.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/parts/detail/parts_input.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/partition/book.hpp>
#include <glt/partition/split.hpp>

#include <unordered_set>

namespace glt::io::detail {

/// Rows of remote vertices that a part keeps because it requests them most.
///
/// @shape  ids [H], global ids · features [H, …] each, for some features of the type
struct part_hot {
  buffer<device::cpu, global_id> ids;
  std::vector<raw_data::named_array> features;
};

/// Features, labels, times and splits of a part's vertices of one type, by local id; lists hold global ids.
///
/// @shape  features [rows, …] each · labels [rows, …] or empty · times [rows] or empty
struct part_nodes {
  std::vector<raw_data::named_array> features;
  array labels;
  buffer<device::cpu, std::int64_t> times;
  std::vector<global_id> train;
  std::vector<global_id> valid;
  std::vector<global_id> test;
  part_hot hot;
};

/// Features, weights, times and link splits of a part's edges of one type, by their position in its rows.
///
/// @shape  features [E, …] each · weights [E] or empty · times [E] or empty
struct part_edges {
  std::vector<raw_data::named_array> features;
  buffer<device::cpu, float> weights;
  buffer<device::cpu, std::int64_t> times;
  buffer<device::cpu, global_id> halo; ///< remote sources of edges, ascending; empty if not stored
  std::vector<link_split> links;       ///< pairs whose destination the part owns, in global ids
};

/// One part of a partitioned data set: graph, and the data of its vertices and edges.
struct part_content {
  hetero_part<device::cpu> graph;
  std::vector<part_nodes> nodes; ///< by node type
  std::vector<part_edges> edges; ///< by edge type
};

// Returns rows of an array, by number.
inline array cut_rows(array const& from, host_view<std::int64_t const> rows) {
  auto shape = from.shape();
  shape[0] = rows.size();
  auto const bytes = from.columns() * glt::detail::size_of(from.type());
  buffer<device::cpu, std::byte> made(rows.size() * bytes);
  for (std::int64_t r = 0; r < rows.size(); ++r) {
    glt::detail::copy_bytes(made.data() + r * bytes, from.bytes().data() + rows[r] * bytes, bytes);
  }
  return {from.type(), std::move(shape), std::move(made)};
}
inline std::vector<raw_data::named_array> cut_rows(std::span<raw_data::named_array const> from,
                                                   host_view<std::int64_t const> rows) {
  std::vector<raw_data::named_array> made;
  for (auto const& [name, values] : from) {
    made.push_back({name, cut_rows(values, rows)});
  }
  return made;
}

// Returns elements of a list, by number; none if the list is empty.
template <class T>
buffer<device::cpu, T> cut_values(host_view<T const> from, host_view<std::int64_t const> rows) {
  buffer<device::cpu, T> made(from.empty() ? 0 : rows.size());
  for (std::int64_t r = 0; r < made.size(); ++r) {
    made[r] = from[rows[r]];
  }
  return made;
}

inline bool owns(partition_book const& book, int part, global_id id) noexcept {
  return id >= book.begin(part) && id < book.end(part);
}

// Returns the vertices of a list that a part owns, in the order of the list, as global ids.
inline std::vector<global_id> own_ids(host_view<global_id const> list, relabelling const& labels, int part) {
  std::vector<global_id> ids;
  for (auto const vertex : list) {
    if (auto const id = labels.renumbered[vertex]; owns(labels.book, part, id)) {
      ids.push_back(id);
    }
  }
  return ids;
}

// Returns the pairs whose destination a part owns, in the order of the list, as global ids.
inline link_split::pairs own_pairs(vertex_pairs_view pairs, relabelling const& sources, relabelling const& destinations,
                                   int part) {
  link_split::pairs ids;
  checked_pairs const checked{.sources = pairs.sources,
                              .destinations = pairs.destinations,
                              .num_sources = sources.renumbered.size(),
                              .num_destinations = destinations.renumbered.size(),
                              .what = "pair of a link split"};
  checked.for_each(0, pairs.sources.size(), [&](std::int64_t, global_id source, global_id destination) {
    auto const id = destinations.renumbered[destination];
    if (owns(destinations.book, part, id)) {
      ids.sources.push_back(sources.renumbered[source]);
      ids.destinations.push_back(id);
    }
  });
  return ids;
}

// Remote vertices of a list, each once, in the order of the list; local vertices are left out.
struct remote_vertices {
  std::vector<global_id> original;
  std::vector<global_id> ids;
};
inline remote_vertices select_remote(host_view<global_id const> list, relabelling const& labels, int part) {
  remote_vertices taken;
  std::unordered_set<global_id> seen;
  for (auto const vertex : list) {
    auto const id = labels.renumbered[vertex];
    if (!owns(labels.book, part, id) && seen.insert(id).second) {
      taken.original.push_back(vertex);
      taken.ids.push_back(id);
    }
  }
  return taken;
}

/// Returns the distinct remote sources of a part's edges, ascending.
///
/// @shape  rows of the part, columns global ids → [halo]
/// @pre    columns are vertices of `sources`; not checked
/// @cost   O(E + V / 64), memory of a bit per vertex beside the result
[[nodiscard]] inline buffer<device::cpu, global_id> make_halo(csr_view<memory_space::host, global_id> rows,
                                                              partition_book const& sources, int part) {
  std::vector<std::uint64_t> touched(static_cast<std::size_t>(sources.num_vertices() / 64 + 1), 0);
  for (auto const id : rows.sources()) {
    if (!owns(sources, part, id)) {
      touched[static_cast<std::size_t>(id / 64)] |= std::uint64_t{1} << (id % 64);
    }
  }
  std::int64_t count = 0;
  for (auto const word : touched) {
    count += std::popcount(word);
  }
  buffer<device::cpu, global_id> halo(count);
  std::int64_t next = 0;
  for (std::size_t i = 0; i < touched.size(); ++i) {
    for (auto word = touched[i]; word != 0; word &= word - 1) {
      halo[next++] = static_cast<global_id>(i) * 64 + std::countr_zero(word);
    }
  }
  return halo;
}

/// Assembly of a part from pieces of a data set; `cuts` makes the pieces in memory or on disk:
///
/// - cuts.relation(edge_type, part) → the rows of the part, as a csr_graph
/// - cuts.features(node_type, part, original) → its rows of all features, as a vector of named_array
/// - cuts.rows(array, numbers), cuts.values<T>(list, numbers) → rows of an array, elements of a list
/// - cuts.ids(list) → a copy, as a buffer
template <class Cuts>
class part_assembly {
public:
  part_assembly(parts_input const& input, Cuts& cuts) : input_(input), cuts_(cuts) {}

  [[nodiscard]] part_content make(int part) {
    part_content made{.graph = {.schema = input_.schema(), .books = {}, .part = part, .relations = {}, .original = {}},
                      .nodes = {},
                      .edges = {}};
    for (std::size_t t = 0; t < input_.labels().size(); ++t) {
      auto const& labels = input_.labels()[t];
      auto const original = glt::detail::originals_of(labels, part);
      made.graph.books.push_back(labels.book);
      made.graph.original.push_back(cuts_.ids(original));
      made.nodes.push_back(nodes(t, part, original));
    }
    for (std::size_t e = 0; e < input_.data().edges.size(); ++e) {
      made.graph.relations.push_back(cuts_.relation(e, part));
      made.edges.push_back(edges(e, part, made.graph.relations[e].view()));
    }
    return made;
  }

private:
  [[nodiscard]] part_nodes nodes(std::size_t type, int part, host_view<global_id const> original) {
    auto const& table = input_.data().nodes[type];
    auto const& labels = input_.labels()[type];
    part_nodes made;
    made.features = cuts_.features(type, part, original);
    if (!table.labels.shape().empty()) {
      made.labels = cuts_.rows(table.labels, original);
    }
    made.times = cuts_.template values<std::int64_t>(table.times, original);
    made.train = own_ids(table.train, labels, part);
    made.valid = own_ids(table.valid, labels, part);
    made.test = own_ids(table.test, labels, part);
    if (auto const* const hot = input_.hot_of(type)) {
      auto const remote = select_remote(hot->by_part[static_cast<std::size_t>(part)], labels, part);
      made.hot.ids = make_buffer<device::cpu>(remote.ids);
      for (auto const& [name, values] : table.features) {
        if (hot->features.empty() || std::ranges::count(hot->features, name) > 0) {
          made.hot.features.push_back({name, cuts_.rows(values, remote.original)});
        }
      }
    }
    return made;
  }

  [[nodiscard]] part_edges edges(std::size_t type, int part, csr_view<memory_space::host, global_id> rows) {
    auto const& table = input_.data().edges[type];
    auto const& sources = input_.of_source(type);
    auto const& destinations = input_.of_destination(type);
    part_edges made;
    for (auto const& [name, values] : table.features) {
      made.features.push_back({name, cuts_.rows(values, rows.edge_ids())});
    }
    made.weights = cuts_.template values<float>(table.columns.weights, rows.edge_ids());
    made.times = cuts_.template values<std::int64_t>(table.columns.times, rows.edge_ids());
    if (input_.halo()) {
      made.halo = make_halo(rows, sources.book, part);
    }
    for (auto const& split : table.links) {
      made.links.push_back({split.name, own_pairs(split.edges, sources, destinations, part),
                            own_pairs(split.negatives, sources, destinations, part)});
    }
    return made;
  }

  parts_input const& input_;
  Cuts& cuts_;
};

} // namespace glt::io::detail
