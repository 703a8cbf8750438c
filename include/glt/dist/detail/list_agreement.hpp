// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/comm/detail/exchange.hpp>
#include <glt/dist/data_part.hpp>
#include <glt/dist/hetero_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/partition/book.hpp>
#include <glt/sample/detail/arguments.hpp>

namespace glt::detail {

/// Names of the lists of a rank's part, by type.
struct listed_names {
  std::vector<std::vector<std::string>> splits;
  std::vector<std::vector<std::string>> links;
  std::vector<std::uint8_t> edge_tensors; ///< 1 if there are some
  std::vector<std::uint8_t> edge_values;  ///< 1 if there are weights or times

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.splits, self.links, self.edge_tensors, self.edge_values);
  }
};

inline void check_vertex_split(vertex_split const& split, partition_book const& book) {
  validate_vertices("id of split \"" + split.name + '"', host_view<global_id const>(split.vertices),
                    book.num_vertices());
}

/// Checks that the data of a part fit its graph.
///
/// @throws precondition_error  if not
template <device_policy Policy, vertex_id Vertex>
void check_data(dist::hetero_graph<Policy, Vertex> const& graph, dist::data_part<Policy, Vertex> const& part) {
  auto const& schema = graph.schema();
  if (std::ssize(part.vertices) != schema.num_node_types() || std::ssize(part.edges) != schema.num_edge_types()) {
    throw precondition_error(message("data of ", part.vertices.size(), " node types and ", part.edges.size(),
                                     " edge types for a graph of ", schema.num_node_types(), " and ",
                                     schema.num_edge_types(), "; give data of each type"));
  }
  auto const check_size = [](std::string_view what, auto const& values, std::int64_t wanted) {
    if (!values.empty() && values.size() != wanted) {
      throw precondition_error(message(values.size(), ' ', what, " for ", wanted, "; give one for each, or none"));
    }
  };
  for (int t = 0; t < schema.num_node_types(); ++t) {
    auto const& data = part.vertices[static_cast<std::size_t>(t)];
    check_size("times of vertices", data.times, graph.book(t).size(graph.part()));
    check_size("hot vertices", data.hot_vertices, data.hot_tensors.num_rows());
    for (auto const& each : data.splits) {
      check_vertex_split(each, graph.book(t));
    }
  }
  for (int e = 0; e < schema.num_edge_types(); ++e) {
    auto const& data = part.edges[static_cast<std::size_t>(e)];
    auto const num_edges = graph.local(e).num_edges();
    check_size("weights", data.weights, num_edges);
    check_size("times of edges", data.times, num_edges);
    if (!data.tensors.tensors().empty() && num_edges > 0 && !graph.local(e).has_edge_ids()) {
      throw precondition_error("tensors of edges for a graph without edge ids, by which they are found; keep the ids "
                               "in the graph");
    }
    for (auto const& each : data.links) {
      for (auto const* const pairs : {&each.edges, &each.negatives}) {
        auto const what = "id of link split \"" + each.name + '"';
        if (pairs->sources.size() != pairs->destinations.size()) {
          throw precondition_error(message(pairs->sources.size(), " sources and ", pairs->destinations.size(),
                                           " destinations in link split \"", each.name, "\"; give pairs"));
        }
        validate_vertices(what, host_view<global_id const>(pairs->sources), schema.num_vertices(schema.source_type(e)));
        validate_vertices(what, host_view<global_id const>(pairs->destinations),
                          schema.num_vertices(schema.destination_type(e)));
      }
    }
  }
}

template <class List>
void add_names(List const& lists, std::vector<std::string>& names) {
  for (auto const& each : lists) {
    if (std::ranges::find(names, each.name) != names.end()) {
      throw precondition_error(message("two splits \"", each.name, "\" of one type; give each a name"));
    }
    names.push_back(each.name);
  }
}
// Adds an empty list for each name that only other ranks have, and sorts.
template <class List>
void complete_lists(std::vector<List>& lists, std::vector<std::string> const& names) {
  for (auto const& name : names) {
    if (std::ranges::find(lists, name, &List::name) == lists.end()) {
      lists.emplace_back().name = name;
    }
  }
  std::ranges::sort(lists, {}, &List::name);
}

/// Returns the list of that name.
///
/// @throws precondition_error  listing the names, if there is none
template <class List>
[[nodiscard]] List const& list_named(std::string_view what, std::vector<List> const& lists, std::string_view name) {
  auto const found = std::ranges::find(lists, name, &List::name);
  if (found == lists.end()) {
    throw precondition_error(message("no ", what, " \"", name, "\"; there are ", name_list(lists, &List::name)));
  }
  return *found;
}

/// Returns the number of a type as it is; for −1, the number of the only type.
///
/// @throws precondition_error  listing the types, if it is −1 and there are several
template <class Types>
[[nodiscard]] int number_of_type(int type, std::string_view kind, Types const& types) {
  if (type == -1 && std::ssize(types) != 1) {
    using element = std::remove_cvref_t<decltype(types[0])>;
    throw precondition_error(message("a function of one of the ", kind, " types ", name_list(types, &element::name),
                                     " without its number; pass it, from schema().find_", kind, "_type(name)"));
  }
  return type == -1 ? 0 : type;
}

/// Checks the data of all ranks' parts, and returns the names of the lists of all ranks.
///
/// @comm   collective; two header exchanges and a variable exchange
/// @throws collective_error  on every rank, if the data of one do not fit its graph, or two lists have one name
template <communicator Comm, device_policy Policy, vertex_id Vertex>
[[nodiscard]] listed_names agree_on_lists(Comm& comm, dist::hetero_graph<Policy, Vertex> const& graph,
                                          dist::data_part<Policy, Vertex> const& part) {
  std::vector<std::byte> packed;
  auto const failure = failure_of([&] {
    check_data(graph, part);
    listed_names mine;
    for (auto const& each : part.vertices) {
      add_names(each.splits, mine.splits.emplace_back());
    }
    for (auto const& each : part.edges) {
      add_names(each.links, mine.links.emplace_back());
      mine.edge_tensors.push_back(each.tensors.tensors().empty() ? 0 : 1);
      mine.edge_values.push_back(each.weights.empty() && each.times.empty() ? 0 : 1);
    }
    packed = packed_bytes(mine);
  });
  auto& host = host_comm(comm);
  auto const of_rank = gather_lists(host, {.what = operation::make_graph, .hop = 1}, failure, packed);
  listed_names all;
  run_together(host, [&] {
    for (auto const& block : of_rank) {
      listed_names theirs;
      unpacker(block, nullptr).get(theirs);
      all.splits.resize(theirs.splits.size());
      all.links.resize(theirs.links.size());
      all.edge_tensors.resize(theirs.edge_tensors.size());
      all.edge_values.resize(theirs.edge_values.size());
      for (std::size_t t = 0; t < theirs.splits.size(); ++t) {
        all.splits[t].insert(all.splits[t].end(), theirs.splits[t].begin(), theirs.splits[t].end());
      }
      for (std::size_t e = 0; e < theirs.links.size(); ++e) {
        all.links[e].insert(all.links[e].end(), theirs.links[e].begin(), theirs.links[e].end());
        all.edge_tensors[e] |= theirs.edge_tensors[e];
        all.edge_values[e] |= theirs.edge_values[e];
      }
    }
  });
  return all;
}

} // namespace glt::detail
