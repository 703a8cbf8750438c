// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "added_edges.hpp"
#include "console.hpp"
#include "options.hpp"

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/io/data_set_view.hpp>
#include <glt/outofcore/all_types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

// --check-splits: what validation and test must not share with training.
namespace glt_partition {

/// Pairs of vertices, of which some are found elsewhere.
class sought_pairs {
public:
  using pair = std::pair<glt::global_id, glt::global_id>;

  explicit sought_pairs(glt::io::detail::vertex_pairs_view const& pairs) {
    for (std::int64_t i = 0; i < pairs.sources.size(); ++i) {
      pairs_.emplace_back(pairs.sources[i], pairs.destinations[i]);
    }
    std::ranges::sort(pairs_);
    auto const rest = std::ranges::unique(pairs_);
    pairs_.erase(rest.begin(), rest.end());
    found_.resize(pairs_.size(), false);
  }

  void see(glt::global_id source, glt::global_id destination) {
    auto const at = std::ranges::lower_bound(pairs_, pair(source, destination));
    if (at != pairs_.end() && *at == pair(source, destination)) {
      found_[static_cast<std::size_t>(at - pairs_.begin())] = true;
    }
  }
  void see(sought_pairs const& others, bool reversed = false) {
    for (auto const& [source, destination] : others.pairs_) {
      see(reversed ? destination : source, reversed ? source : destination);
    }
  }

  [[nodiscard]] bool empty() const noexcept { return pairs_.empty(); }

  /// Says how many were found, with the first of them; empty if none was.
  [[nodiscard]] std::string text(std::string const& what, std::string const& are) const {
    auto const first = std::ranges::find(found_, true);
    if (first == found_.end()) {
      return {};
    }
    auto const& [source, destination] = pairs_[static_cast<std::size_t>(first - found_.begin())];
    return glt::detail::message(std::ranges::count(found_, true), " of ", pairs_.size(), " different ", what, " ", are,
                                ", such as ", source, " -> ", destination);
  }

private:
  std::vector<pair> pairs_;
  std::vector<bool> found_;
};

/// What the splits of the vertices of one type share.
inline void find_shared_vertices(glt::io::node_table const& nodes, std::vector<std::string>& faults) {
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

/// What the link splits of one edge type share with each other and with the graph.
inline void find_shared_edges(glt::io::all_types const& graph, std::size_t type, std::vector<std::string>& faults) {
  auto const& data = graph.data();
  auto const& edges = data.edges[type];
  bool const turns = joins_one_type(edges);
  auto const of_type = " '" + edges.name + "'";
  auto const add = [&](std::string text) {
    if (!text.empty()) {
      faults.push_back(std::move(text));
    }
  };
  // Calls see(source, destination) for the edges of a type.
  auto const for_edges = [&](std::size_t other, auto see) {
    auto const ends = glt::io::detail::ends_of(graph, static_cast<int>(other));
    ends.for_each(0, ends.sources.size(),
                  [&](std::int64_t, glt::global_id source, glt::global_id destination) { see(source, destination); });
  };
  auto const is_reverse = [&](auto const& other) {
    return other.source == edges.destination && other.destination == edges.source &&
           (other.name == name_of_reverse(edges.name) || name_of_reverse(other.name) == edges.name);
  };
  for (std::size_t i = 0; i < edges.links.size(); ++i) {
    auto const& links = edges.links[i];
    sought_pairs negatives(links.negatives);
    auto negatives_of_splits = negatives;
    for (auto const& other : edges.links) {
      negatives_of_splits.see(sought_pairs(other.edges));
    }
    add(negatives_of_splits.text(links.name + "_edge_neg" + of_type, "are edges of a split"));
    if (links.name == "train") {
      if (!negatives.empty()) {
        for_edges(type, [&](auto source, auto destination) { negatives.see(source, destination); });
        add(negatives.text(links.name + "_edge_neg" + of_type, "are edges of the graph"));
      }
      continue;
    }
    sought_pairs const held_out(links.edges);
    for (std::size_t j = 0; j < i; ++j) {
      auto shared = held_out;
      sought_pairs const other(edges.links[j].edges);
      shared.see(other);
      add(shared.text(links.name + "_edge" + of_type, "are in " + edges.links[j].name + "_edge, too"));
      if (turns) {
        shared = held_out;
        shared.see(other, true);
        add(shared.text(links.name + "_edge" + of_type, "are in " + edges.links[j].name + "_edge the other way round"));
      }
    }
    if (held_out.empty() && negatives.empty()) {
      continue;
    }
    auto there = held_out;
    auto reversed = held_out;
    for_edges(type, [&](auto source, auto destination) {
      there.see(source, destination);
      negatives.see(source, destination);
      if (turns && source != destination) {
        reversed.see(destination, source);
      }
    });
    for (std::size_t other = 0; !turns && other < data.edges.size(); ++other) {
      if (is_reverse(data.edges[other])) {
        for_edges(other, [&](auto source, auto destination) { reversed.see(destination, source); });
      }
    }
    add(there.text(links.name + "_edge" + of_type, "are edges of the graph"));
    add(reversed.text(links.name + "_edge" + of_type, "are edges of the graph the other way round"));
    add(negatives.text(links.name + "_edge_neg" + of_type, "are edges of the graph"));
  }
}

/// Notes what validation and test share with training.
///
/// @throws precondition_error  if they share anything, and --strict
/// @cost   memory of 33 bytes a pair of the splits of a type
inline void check_splits(options const& chosen, glt::io::all_types const& graph, console& out) {
  if (!chosen.check_splits) {
    return;
  }
  std::vector<std::string> faults;
  for (auto const& nodes : graph.data().nodes) {
    find_shared_vertices(nodes, faults);
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
