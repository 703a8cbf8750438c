// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_schema.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/detail/validate_vertices.hpp>

namespace glt::detail {

/// Seeds of batches, by node type: checks the lists, and completes the list of a single type.
///
/// @shape  seeds [node types], one list of ids each
template <memory_space Space, vertex_id Vertex>
class hetero_seeds {
public:
  using list = array_view<Space, Vertex const>;

  explicit hetero_seeds(hetero_schema const& schema) {
    for (auto const& type : schema.node_types()) {
      what_.push_back(type.name + " seed");
      num_vertices_.push_back(type.num_vertices);
    }
    lists_.resize(what_.size());
  }
  /// Takes the seeds of a graph without types, one list.
  explicit hetero_seeds(std::int64_t num_vertices) : what_{"seed"}, num_vertices_{num_vertices}, lists_(1) {}

  /// Returns the number of seeds of all types.
  ///
  /// @throws precondition_error  if there is not one list per node type, or naming the first seed that is not
  ///                             a vertex of its type
  /// @where  waits once for every type that has seeds
  /// @cost   O(S)
  template <device_policy Policy>
    requires(Policy::space == Space)
  std::int64_t check(Policy const& policy, std::span<list const> seeds) const {
    if (seeds.size() != what_.size()) {
      throw precondition_error(message("seeds of ", seeds.size(), " node types for a graph of ", what_.size(),
                                       "; give one list per type, empty if need be"));
    }
    std::int64_t count = 0;
    for (std::size_t t = 0; t < seeds.size(); ++t) {
      validate_vertices(policy, what_[t], seeds[t], num_vertices_[t]);
      count += seeds[t].size();
    }
    return count;
  }

  /// Returns the lists of all types, of which only one is not empty; valid until the next call.
  ///
  /// @throws precondition_error  if there is no such node type
  [[nodiscard]] std::span<list const> of_one_type(int node_type, list seeds) {
    if (node_type < 0 || node_type >= std::ssize(lists_)) {
      throw precondition_error(message("seeds of node type ", node_type, " of ", lists_.size(),
                                       "; types count from 0, see hetero_schema::find_node_type"));
    }
    lists_.assign(lists_.size(), {});
    lists_[static_cast<std::size_t>(node_type)] = seeds;
    return lists_;
  }

private:
  std::vector<std::string> what_; // name of a seed in errors, by node type
  std::vector<std::int64_t> num_vertices_;
  std::vector<list> lists_;
};

} // namespace glt::detail
