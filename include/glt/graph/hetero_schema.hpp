// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt {

/// Types of a heterogeneous graph, with their names. Code uses the positions in the lists.
///
/// Concurrent calls: const members may run concurrently.
class hetero_schema {
public:
  /// Kind of vertices, numbered from 0 within their kind.
  struct node_type {
    std::string name;
    std::int64_t num_vertices = 0;

    friend bool operator==(node_type const&, node_type const&) = default;
  };

  /// Kind of edges, from vertices of one type to vertices of the same or another type; also called a relation.
  struct edge_type {
    std::string source;
    std::string name;
    std::string destination;

    friend bool operator==(edge_type const&, edge_type const&) = default;
  };

  /// Makes a schema without types.
  hetero_schema() = default;

  /// @throws precondition_error  if a type comes twice or has no name, a number of vertices is negative, or
  ///                             an edge type starts or ends at an unknown node type
  hetero_schema(std::vector<node_type> nodes, std::vector<edge_type> edges)
      : nodes_(std::move(nodes)), edges_(std::move(edges)) {
    for (auto const& node : nodes_) {
      if (node.name.empty() || node.num_vertices < 0) {
        throw precondition_error(detail::message("node type '", node.name, "' of ", node.num_vertices,
                                                 " vertices; give a name and a number of 0 or more"));
      }
      if (&nodes_[static_cast<std::size_t>(find_node_type(node.name))] != &node) {
        throw precondition_error(detail::message("node type '", node.name, "' comes twice; name every type once"));
      }
    }
    for (auto const& edge : edges_) {
      if (edge.name.empty()) {
        throw precondition_error(detail::message("edge type ", ends_.size(), " from '", edge.source, "' to '",
                                                 edge.destination, "' has no name; give it one"));
      }
      if (&edges_[static_cast<std::size_t>(find_edge_type(edge))] != &edge) {
        throw precondition_error(detail::message("edge type ", text(edge), " comes twice; name every type once"));
      }
      ends_.push_back({find_node_type(edge.source), find_node_type(edge.destination)});
    }
  }

  [[nodiscard]] std::span<node_type const> node_types() const noexcept { return nodes_; }
  [[nodiscard]] std::span<edge_type const> edge_types() const noexcept { return edges_; }
  [[nodiscard]] int num_node_types() const noexcept { return static_cast<int>(nodes_.size()); }
  [[nodiscard]] int num_edge_types() const noexcept { return static_cast<int>(edges_.size()); }

  /// @throws precondition_error  if there is no such node type
  [[nodiscard]] std::int64_t num_vertices(int type) const { return nodes_[place(type)].num_vertices; }
  /// Returns the node type at which the edges of a type start, or end.
  ///
  /// @throws precondition_error  if there is no such edge type
  [[nodiscard]] int source_type(int type) const { return ends_[edge_place(type)].source; }
  [[nodiscard]] int destination_type(int type) const { return ends_[edge_place(type)].destination; }

  /// Returns the number of a node type.
  ///
  /// @throws precondition_error  listing the names, if there is none of this name
  [[nodiscard]] int find_node_type(std::string_view name) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].name == name) {
        return static_cast<int>(i);
      }
    }
    throw precondition_error(detail::message("no node type '", name, "'; there are ", node_list()));
  }

  /// Returns the number of an edge type.
  ///
  /// @throws precondition_error  listing the edge types, if there is none like this
  [[nodiscard]] int find_edge_type(edge_type const& wanted) const {
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (edges_[i] == wanted) {
        return static_cast<int>(i);
      }
    }
    throw precondition_error(detail::message("no edge type ", text(wanted), "; there are ", edge_list()));
  }

  /// Returns the number of the only edge type with this name.
  ///
  /// @throws precondition_error  listing the edge types, if none or several have this name
  [[nodiscard]] int find_edge_type(std::string_view name) const {
    int found = -1;
    int count = 0;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (edges_[i].name == name) {
        found = static_cast<int>(i);
        ++count;
      }
    }
    if (count != 1) {
      throw precondition_error(detail::message(count, " edge types are called '", name, "'; there are ", edge_list(),
                                               ": give source, name and destination"));
    }
    return found;
  }

  /// Returns an edge type as in the text of errors: (source, name, destination).
  ///
  /// @throws precondition_error  if there is no such edge type
  [[nodiscard]] std::string name_of_edge_type(int type) const { return text(edges_[edge_place(type)]); }

  friend bool operator==(hetero_schema const& a, hetero_schema const& b) {
    return a.nodes_ == b.nodes_ && a.edges_ == b.edges_;
  }

private:
  struct ends {
    int source;
    int destination;
  };

  static std::string text(edge_type const& edge) {
    return detail::message('(', edge.source, ", ", edge.name, ", ", edge.destination, ')');
  }

  [[nodiscard]] std::string node_list() const {
    std::string list;
    for (auto const& node : nodes_) {
      list += (list.empty() ? "'" : ", '") + node.name + "'";
    }
    return list.empty() ? "none" : list;
  }

  [[nodiscard]] std::string edge_list() const {
    std::string list;
    for (auto const& edge : edges_) {
      list += (list.empty() ? "" : ", ") + text(edge);
    }
    return list.empty() ? "none" : list;
  }

  [[nodiscard]] std::size_t place(int type) const {
    if (type < 0 || type >= num_node_types()) {
      throw precondition_error(detail::message("node type ", type, " of ", num_node_types(), "; they are ", node_list(),
                                               ", counted from 0"));
    }
    return static_cast<std::size_t>(type);
  }

  [[nodiscard]] std::size_t edge_place(int type) const {
    if (type < 0 || type >= num_edge_types()) {
      throw precondition_error(detail::message("edge type ", type, " of ", num_edge_types(), "; they are ", edge_list(),
                                               ", counted from 0"));
    }
    return static_cast<std::size_t>(type);
  }

  std::vector<node_type> nodes_;
  std::vector<edge_type> edges_;
  std::vector<ends> ends_; // of every edge type
};

} // namespace glt
