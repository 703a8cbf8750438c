// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/csr.hpp>
#include <glt/io/parts/detail/parts_content.hpp>
#include <glt/io/parts/detail/parts_cut.hpp>
#include <glt/io/parts/detail/parts_input.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/io/raw_data_view.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/split.hpp>

namespace glt::io::detail {

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
