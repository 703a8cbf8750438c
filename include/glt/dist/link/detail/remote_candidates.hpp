// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/dist/link/detail/edge_queries.hpp>
#include <glt/dist/link/vertex_weights.hpp>
#include <glt/dist/vertex_directory.hpp>

namespace glt::detail {

/// Candidates for negatives from a graph in parts; `local_candidates` is the version for a whole graph.
///
/// @comm   a round of draws is one look-up and, if negatives are strict, one test of edges, for all open places
///         together
template <communicator Comm, device_policy Policy, vertex_id Vertex>
class remote_candidates {
  static constexpr memory_space space = Policy::space;

public:
  /// Borrows all three; without weights all vertices are equally likely.
  remote_candidates(dist::vertex_directory<Comm, Policy, Vertex>& directory, edge_queries<Comm, Policy, Vertex>& edges,
                    dist::vertex_weights<Comm, Policy, Vertex>* weights) noexcept
      : directory_(&directory), edges_(&edges), weights_(weights) {}

  /// Begins a batch; its calls carry the step and a round number.
  void begin(std::int64_t step) noexcept {
    step_ = step;
    round_ = 0;
  }

  [[nodiscard]] std::int64_t num_numbers() const noexcept {
    return weights_ == nullptr ? directory_->of().num_vertices() : weights_->total();
  }

  /// @shape  numbers [n] · vertices [n], written
  /// @comm   collective
  bool find(array_view<space, std::int64_t const> numbers, array_view<space, Vertex> vertices) {
    call_site const site{.what = operation::look_up, .step = step_, .hop = ++round_};
    return weights_ == nullptr ? directory_->look_up(numbers, vertices, site) : weights_->find(numbers, vertices, site);
  }

  /// @shape  sources, destinations [n] · found [n], written
  /// @comm   collective
  void test(array_view<space, Vertex const> sources, array_view<space, Vertex const> destinations,
            array_view<space, std::uint8_t> found) {
    edges_->test(sources, destinations, found, {.what = operation::test_edges, .step = step_, .hop = round_});
  }

private:
  dist::vertex_directory<Comm, Policy, Vertex>* directory_;
  edge_queries<Comm, Policy, Vertex>* edges_;
  dist::vertex_weights<Comm, Policy, Vertex>* weights_;
  std::int64_t step_ = 0;
  std::int32_t round_ = 0;
};

} // namespace glt::detail
