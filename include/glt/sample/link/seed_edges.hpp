// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/validate.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glt {

/// An edge by its ends.
template <vertex_id Vertex>
struct vertex_pair {
  Vertex source;
  Vertex destination;
  friend auto operator<=>(vertex_pair const&, vertex_pair const&) = default;
};

namespace detail {

inline void check_seed_edge_lists(std::int64_t num_sources, std::int64_t num_destinations) {
  if (num_sources != num_destinations) {
    throw precondition_error(message("seed edges with ", num_sources, " sources and ", num_destinations,
                                     " destinations; give both ends of every edge"));
  }
}

} // namespace detail

/// Refuses lists of seed edges that are none.
///
/// @shape  sources, destinations [P]
/// @throws precondition_error  if the lengths differ, or an end is not in [0, num_vertices), naming the first
/// @cost   O(P)
template <memory_space Space, class Id>
void validate_seed_edges(array_view<Space, Id> sources, array_view<Space, Id> destinations, std::int64_t num_vertices) {
  detail::check_seed_edge_lists(sources.size(), destinations.size());
  validate_vertices("source of seed edge", sources, num_vertices);
  validate_vertices("destination of seed edge", destinations, num_vertices);
}

/// The same for lists in memory of a policy, wherever that is.
///
/// @where  synchronises
template <device_policy Policy, class Id>
void validate_seed_edges(Policy const& policy, array_view<Policy::space, Id> sources,
                         array_view<Policy::space, Id> destinations, std::int64_t num_vertices) {
  detail::check_seed_edge_lists(sources.size(), destinations.size());
  validate_vertices(policy, "source of seed edge", sources, num_vertices);
  validate_vertices(policy, "destination of seed edge", destinations, num_vertices);
}

/// The seed edges of a batch, searchable; reusable.
template <vertex_id Vertex>
class seed_edges {
public:
  /// @pre    lists of equal length; not checked
  /// @cost   O(P log P); allocates only while the batch is larger than any before
  template <memory_space Space>
    requires(host_accessible(Space))
  void assign(array_view<Space, Vertex const> sources, array_view<Space, Vertex const> destinations) {
    auto const size = static_cast<std::size_t>(sources.size());
    edges_.resize(size);
    order_.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      auto const at = static_cast<std::int64_t>(i);
      edges_[i] = {sources[at], destinations[at]};
      order_[i] = i;
    }
    std::ranges::sort(order_, [this](std::size_t a, std::size_t b) {
      return edges_[a] != edges_[b] ? edges_[a] < edges_[b] : a < b;
    });
    occurrence_.resize(size);
    distinct_.clear();
    distinct_.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
      bool const again = i > 0 && edges_[order_[i]] == edges_[order_[i - 1]];
      occurrence_[order_[i]] = again ? occurrence_[order_[i - 1]] + 1 : 0;
      if (!again) {
        distinct_.push_back(edges_[order_[i]]);
      }
    }
  }

  [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(edges_.size()); }
  /// @pre    i is in [0, size()); not checked (likewise `occurrence`)
  [[nodiscard]] vertex_pair<Vertex> operator[](std::int64_t i) const noexcept {
    return edges_[static_cast<std::size_t>(i)];
  }
  /// The number of equal edges before edge i in the list.
  [[nodiscard]] std::int64_t occurrence(std::int64_t i) const noexcept {
    return occurrence_[static_cast<std::size_t>(i)];
  }
  /// Every edge once, ascending.
  [[nodiscard]] std::span<vertex_pair<Vertex> const> distinct() const noexcept { return distinct_; }

  /// @cost   O(log P)
  [[nodiscard]] bool contains(vertex_pair<Vertex> edge) const noexcept {
    return std::ranges::binary_search(distinct_, edge);
  }

private:
  std::vector<vertex_pair<Vertex>> edges_;
  std::vector<std::size_t> order_;
  std::vector<std::int64_t> occurrence_;
  std::vector<vertex_pair<Vertex>> distinct_;
};

} // namespace glt
