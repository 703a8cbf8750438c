// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/memory/memory.hpp>

namespace glt {

/// Borrowed list of directed edges; edge i goes from sources()[i] to destinations()[i].
///
/// Concurrent calls: const members may run concurrently.
///
/// @shape  sources [E] · destinations [E], ids in [0, num_vertices())
template <memory_space Space, vertex_id Vertex = local_id>
class coo_view {
public:
  using vertex_type = Vertex;

  constexpr coo_view() noexcept = default;

  /// @throws precondition_error  if the lengths differ or num_vertices is negative
  coo_view(std::int64_t num_vertices, array_view<Space, Vertex const> sources,
           array_view<Space, Vertex const> destinations)
      : num_vertices_(num_vertices), sources_(sources), destinations_(destinations) {
    if (num_vertices < 0) {
      throw precondition_error(detail::message("graph of ", num_vertices, " vertices; the number is 0 or more"));
    }
    if (sources.size() != destinations.size()) {
      throw precondition_error(detail::message("edge list with ", sources.size(), " sources and ", destinations.size(),
                                               " destinations; every edge needs one of each"));
    }
  }

  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t num_vertices() const noexcept { return num_vertices_; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr std::int64_t num_edges() const noexcept { return sources_.size(); }
  [[nodiscard]] GLT_HOST_DEVICE constexpr array_view<Space, Vertex const> sources() const noexcept { return sources_; }
  [[nodiscard]] GLT_HOST_DEVICE constexpr array_view<Space, Vertex const> destinations() const noexcept {
    return destinations_;
  }

private:
  std::int64_t num_vertices_ = 0;
  array_view<Space, Vertex const> sources_;
  array_view<Space, Vertex const> destinations_;
};

/// Owner of a list of directed edges; move-only.
///
/// Concurrent calls: const members may run concurrently.
template <device_policy Policy, vertex_id Vertex = local_id>
class coo_graph {
public:
  using vertex_type = Vertex;

  coo_graph() = default;

  /// Takes over the arrays. Checks their lengths; `validate` checks their values.
  ///
  /// @throws precondition_error  if the lengths differ or num_vertices is negative
  coo_graph(std::int64_t num_vertices, buffer<Policy, Vertex> sources, buffer<Policy, Vertex> destinations)
      : num_vertices_(num_vertices), sources_(std::move(sources)), destinations_(std::move(destinations)) {
    static_cast<void>(view());
  }

  [[nodiscard]] coo_view<Policy::space, Vertex> view() const {
    return {num_vertices_, sources_.view(), destinations_.view()};
  }

private:
  std::int64_t num_vertices_ = 0;
  buffer<Policy, Vertex> sources_;
  buffer<Policy, Vertex> destinations_;
};

/// Edges that a link predictor is to tell from pairs that are not edges.
struct link_split {
  /// Vertex pairs by position: source i belongs to destination i.
  struct pairs {
    std::vector<global_id> sources{};
    std::vector<global_id> destinations{};
  };

  std::string name; ///< such as "train", "valid" or "test"
  pairs edges{};
  pairs negatives{};
};

} // namespace glt
