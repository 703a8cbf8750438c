// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "added_edges.hpp"
#include "console.hpp"
#include "options.hpp"

#include <glt/core/element_type.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/outofcore/detail/all_types.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// --check-splits: what validation and test must not share with training, and labels that are missing.
namespace glt_partition {

/// Different pairs of vertices, of which some are found elsewhere.
class pair_set {
public:
  using pair = std::pair<glt::global_id, glt::global_id>;
  using marks = std::vector<bool>; ///< of the pairs that were found

  explicit pair_set(glt::io::detail::vertex_pairs_view const& pairs) {
    for (std::int64_t i = 0; i < pairs.sources.size(); ++i) {
      pairs_.emplace_back(pairs.sources[i], pairs.destinations[i]);
    }
    std::ranges::sort(pairs_);
    auto const rest = std::ranges::unique(pairs_);
    pairs_.erase(rest.begin(), rest.end());
  }

  [[nodiscard]] bool empty() const noexcept { return pairs_.empty(); }
  [[nodiscard]] marks nothing_found() const { return marks(pairs_.size(), false); }

  void find(glt::global_id source, glt::global_id destination, marks& found) const {
    auto const at = std::ranges::lower_bound(pairs_, pair(source, destination));
    if (at != pairs_.end() && *at == pair(source, destination)) {
      found[static_cast<std::size_t>(at - pairs_.begin())] = true;
    }
  }
  void find(pair_set const& others, marks& found, bool reversed = false) const {
    for (auto const& [source, destination] : others.pairs_) {
      find(reversed ? destination : source, reversed ? source : destination, found);
    }
  }

  /// Says how many were found, with the first of them; empty if none was.
  [[nodiscard]] std::string text(marks const& found, std::string const& what, std::string const& are) const {
    auto const first = std::ranges::find(found, true);
    if (first == found.end()) {
      return {};
    }
    auto const& [source, destination] = pairs_[static_cast<std::size_t>(first - found.begin())];
    return glt::detail::message(std::ranges::count(found, true), " of ", pairs_.size(), " different ", what, " ", are,
                                ", such as ", source, " -> ", destination);
  }

private:
  std::vector<pair> pairs_;
};

/// What the splits of the vertices of one type share.
inline void find_shared_vertices(glt::io::raw_data::node_table const& nodes, std::vector<std::string>& faults) {
  struct split {
    char const* name;
    std::vector<glt::global_id> ids;
  };
  std::vector<split> splits{{"train_idx", nodes.train}, {"valid_idx", nodes.valid}, {"test_idx", nodes.test}};
  for (auto& of : splits) {
    std::ranges::sort(of.ids);
  }
  for (std::size_t i = 0; i < splits.size(); ++i) {
    for (std::size_t j = i + 1; j < splits.size(); ++j) {
      std::vector<glt::global_id> shared;
      std::ranges::set_intersection(splits[i].ids, splits[j].ids, std::back_inserter(shared));
      if (!shared.empty()) {
        faults.push_back(glt::detail::message(shared.size(), " vertices of type '", nodes.name, "' are in ",
                                              splits[i].name, " and ", splits[j].name, ", such as ", shared[0]));
      }
    }
  }
}

/// Names vertices in splits of one type whose label is below 0: networks have no place for it.
inline void find_unlabelled_vertices(glt::io::raw_data::node_table const& nodes, std::vector<std::string>& faults) {
  if (nodes.labels.rows() != nodes.num_nodes || nodes.labels.columns() != 1) {
    return;
  }
  glt::detail::visit_element(nodes.labels.type(), [&]<class T>(std::type_identity<T>) {
    if constexpr (std::signed_integral<T>) { // others are targets
      auto const labels = nodes.labels.values<T>();
      for (auto const& [name, ids] :
           {std::pair("train_idx", &nodes.train), {"valid_idx", &nodes.valid}, {"test_idx", &nodes.test}}) {
        auto const has_none = [&](glt::global_id vertex) { return labels[vertex] < 0; };
        if (auto const count = std::ranges::count_if(*ids, has_none); count > 0) {
          auto const vertex = *std::ranges::find_if(*ids, has_none);
          faults.push_back(glt::detail::message(count, " vertices of type '", nodes.name, "' in ", name,
                                                " have no label, such as ", vertex, " with ",
                                                static_cast<std::int64_t>(labels[vertex])));
        }
      }
    }
  });
}

/// Pairs of one link split, and those found among the edges of the graph.
struct checked_links {
  explicit checked_links(glt::io::detail::link_split_view const& links)
      : name(links.name), edges(links.edges), negatives(links.negatives), there(edges.nothing_found()),
        reversed(edges.nothing_found()), no_negatives(negatives.nothing_found()) {}

  [[nodiscard]] bool is_held_out() const { return name != "train"; } // training edges are edges of the graph

  std::string name;
  pair_set edges;
  pair_set negatives;
  pair_set::marks there;
  pair_set::marks reversed;
  pair_set::marks no_negatives;
};

/// What the link splits of one edge type share with each other and with the graph. Reads the edges of the type once.
inline void find_shared_edges(glt::io::detail::all_types const& graph, std::size_t type,
                              std::vector<std::string>& faults) {
  auto const& data = graph.data();
  auto const& edges = data.edges[type];
  bool const turns = joins_one_type(edges);
  std::vector<checked_links> splits;
  for (auto const& links : edges.links) {
    splits.emplace_back(links);
  }
  // Calls see(split, source, destination) for every split and the edges of a type.
  auto const for_edges = [&](std::size_t other, auto see) {
    auto const ends = glt::io::detail::ends_of(graph, static_cast<int>(other));
    ends.for_each(0, ends.sources.size(), [&](std::int64_t, glt::global_id source, glt::global_id destination) {
      for (auto& of : splits) {
        see(of, source, destination);
      }
    });
  };
  if (std::ranges::any_of(
          splits, [](auto const& of) { return !of.negatives.empty() || (of.is_held_out() && !of.edges.empty()); })) {
    for_edges(type, [&](checked_links& of, auto source, auto destination) {
      of.negatives.find(source, destination, of.no_negatives);
      of.edges.find(source, destination, of.there);
      if (turns && source != destination) {
        of.edges.find(destination, source, of.reversed);
      }
    });
  }
  auto const is_reverse = [&](auto const& other) {
    return other.source == edges.destination && other.destination == edges.source &&
           (other.name == name_of_reverse(edges.name) || name_of_reverse(other.name) == edges.name);
  };
  for (std::size_t other = 0; !turns && !splits.empty() && other < data.edges.size(); ++other) {
    if (is_reverse(data.edges[other])) {
      for_edges(other, [&](checked_links& of, auto source, auto destination) {
        of.edges.find(destination, source, of.reversed);
      });
    }
  }
  auto const of_type = " '" + edges.name + "'";
  auto const add = [&](pair_set const& pairs, pair_set::marks const& found, std::string const& what,
                       std::string const& are) {
    if (auto text = pairs.text(found, what + of_type, are); !text.empty()) {
      faults.push_back(std::move(text));
    }
  };
  for (std::size_t i = 0; i < splits.size(); ++i) {
    auto const& of = splits[i];
    auto found = of.negatives.nothing_found();
    for (auto const& other : splits) {
      of.negatives.find(other.edges, found);
    }
    add(of.negatives, found, of.name + "_edge_neg", "are edges of a split");
    for (std::size_t j = 0; of.is_held_out() && j < i; ++j) {
      for (bool const reversed : {false, true}) {
        found = of.edges.nothing_found();
        if (!reversed || turns) {
          of.edges.find(splits[j].edges, found, reversed);
        }
        add(of.edges, found, of.name + "_edge",
            "are in " + splits[j].name + "_edge" + (reversed ? " the other way round" : ", too"));
      }
    }
    if (of.is_held_out()) {
      add(of.edges, of.there, of.name + "_edge", "are edges of the graph");
      add(of.edges, of.reversed, of.name + "_edge", "are edges of the graph the other way round");
    }
    add(of.negatives, of.no_negatives, of.name + "_edge_neg", "are edges of the graph");
  }
}

/// Notes what validation and test share with training, and vertices of splits without a label.
///
/// @throws precondition_error  if there is any of these, and --strict
/// @cost   one pass over the edges of each type with splits; memory of 17 bytes a pair of the splits of a type
inline void check_splits(options const& chosen, glt::io::detail::all_types const& graph, console& out) {
  if (!chosen.check_splits) {
    return;
  }
  std::vector<std::string> faults;
  for (auto const& nodes : graph.data().nodes) {
    find_shared_vertices(nodes, faults);
    find_unlabelled_vertices(nodes, faults);
  }
  for (std::size_t type = 0; type < graph.data().edges.size(); ++type) {
    find_shared_edges(graph, type, faults);
  }
  for (auto const& fault : faults) {
    out.say("note: " + fault);
  }
  if (!faults.empty() && chosen.strict) {
    throw glt::precondition_error("--strict: " + faults.front() +
                                  "; mend the splits, or leave them unchecked by --no-check-splits");
  }
}

} // namespace glt_partition
