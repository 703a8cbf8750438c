// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/dist/shared/detail/shared_tensors.hpp>
#include <glt/dist/shared/shared_graph.hpp>
#include <glt/memory/memory.hpp>
#include <glt/sample/rule/rule.hpp>

namespace glt::detail {

/// Returns the number of a view among shared arrays; their number if it is none of them.
template <memory_space Space, class T>
[[nodiscard]] std::size_t number_among(std::span<any_rows<Space> const> data, array_view<Space, T const> view) {
  auto const is_it = [&](any_rows<Space> const& rows) {
    return rows.data == reinterpret_cast<std::byte const*>(view.data()) && rows.num_rows == view.size();
  };
  return static_cast<std::size_t>(std::ranges::find_if(data, is_it) - data.begin());
}

/// Data of the rules of a rank among the shared arrays of its part.
struct shared_data {
  bool all = true;      ///< every view with an address is a shared array
  bool unclear = false; ///< a view without an address may be of a part without edges, or of no data
  fingerprint print;

  /// @shape  rules [edge types]
  template <class Rule, memory_space Space, vertex_id Vertex>
  shared_data(std::span<Rule const> rules, part_view<Space, Vertex> const& own) {
    for (std::size_t e = 0; e < rules.size() && e < own.graphs.size(); ++e) {
      auto const data = own.data_of(e);
      auto const look = [&](auto const& view) {
        auto const number = view.data() == nullptr ? std::size_t{0} : 1 + number_among(data, view);
        all = all && number <= data.size();
        unclear = unclear || (number == 0 && own.graphs[e].num_edges() == 0);
        print.add(static_cast<std::int64_t>(number));
        return true;
      };
      for_each_view(rules[e], look);
    }
  }

  /// Returns true if other parts have the same data, as far as this rank alone can tell; `agreed` if all ranks know it.
  [[nodiscard]] bool found(bool agreed) const noexcept { return all && (agreed || !unclear); }
  /// Returns a number that is the same on ranks with the same data; −1 if some data are not shared.
  [[nodiscard]] std::int64_t number() const noexcept { return all ? print.value() : -1; }
};

/// Returns a rule with the data of another part in place of the data of this rank's part; nothing if the part lacks some.
template <class Rule, memory_space Space>
[[nodiscard]] std::optional<Rule> rule_at(Rule rule, std::span<any_rows<Space> const> own,
                                          std::span<any_rows<Space> const> other) {
  auto const replace = [&]<class T>(array_view<Space, T const>& view) {
    if (view.data() != nullptr) {
      auto const number = number_among(own, view);
      if (number >= own.size() || number >= other.size() || other[number].data == nullptr) {
        return false;
      }
      view = array_of<T>(other[number]);
    }
    return true;
  };
  return for_each_view(rule, replace) ? std::optional(rule) : std::nullopt;
}

/// Weights and times of edges, as the data of a rule.
template <memory_space Space>
struct edge_values_view {
  array_view<Space, float const> weights;
  array_view<Space, std::int64_t const> times;

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tie(self.weights, self.times);
  }
};

/// Copies the data of a rule to node-shared memory and moves its views there; `spread(shared)` may add the copies of
/// other machines.
///
/// @comm   collective; see `node_memory`
template <node_memory Node, memory_space Space, vertex_id Vertex, class Rule, class Spread>
void share_data(Node& node, node_views<part_view<Space, Vertex>>& neighborhood, Rule& rule, std::size_t edge_type,
                Spread spread) {
  for (auto const& view : neighborhood.of_rank) {
    if (view && edge_type >= view->graphs.size()) {
      throw precondition_error(message("data of edge type ", edge_type, " of a graph with ", view->graphs.size(),
                                       " edge types; pass a type below that number"));
    }
  }
  shared_tensors::table arrays;
  auto const add = [&](auto const& view) {
    arrays.push_back({"", array_rows(view)});
    return true;
  };
  for_each_view(rule, add);
  auto shared = share_tensors(node, arrays);
  spread(shared);
  for (std::size_t part = 0; part < neighborhood.of_rank.size(); ++part) {
    if (auto& view = neighborhood.of_rank[part]) {
      view->data.resize(view->graphs.size());
      auto const& copies = shared.of_node.of_rank[part];
      for (std::size_t i = 0; i < arrays.size(); ++i) {
        view->data[edge_type].push_back(copies ? (*copies)[i].rows : any_rows<Space>{});
      }
    }
  }
  std::size_t next = 0;
  auto const move = [&]<class T>(array_view<Space, T const>& view) {
    view = array_of<T>(shared.own[next++].rows);
    return true;
  };
  for_each_view(rule, move);
  keep_also(neighborhood, shared.of_node.keeper);
}

} // namespace glt::detail
