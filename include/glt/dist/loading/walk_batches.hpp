// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/detail/mistake.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/dist/batch.hpp>
#include <glt/dist/detail/exchange/stopwatch.hpp>
#include <glt/dist/graph.hpp>
#include <glt/dist/loading/detail/seed_memory.hpp>
#include <glt/dist/loading/seeds.hpp>
#include <glt/dist/walk/node2vec_walk.hpp>
#include <glt/dist/walk/random_walk.hpp>
#include <glt/memory/policy.hpp>
#include <glt/sample/detail/validate_vertices.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/walk/walk_options.hpp>
#include <glt/sample/walk/walks.hpp>

#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace glt::detail {

template <class Options>
concept options_of_walks = std::same_as<Options, walk_options> || std::same_as<Options, node2vec_options>;

} // namespace glt::detail

namespace glt::dist {

/// The walks from this rank's seeds of one step, in the order of the seeds.
template <device_policy Policy, vertex_id Vertex>
struct walk_batch : batch_place {
  using policy_type = Policy;
  template <device_policy Other>
  using on_policy = walk_batch<Other, Vertex>;

  glt::walks<Policy, Vertex> walks;

  /// Says where rows are.
  template <class... None>
  auto features() const {
    static_assert(detail::never<Policy, None...>,
                  "batches of walks have no features(): collect rows of their vertices by a dist::feature_collector");
  }

  template <class Self>
  [[nodiscard]] static auto members(Self& self) noexcept {
    return std::tuple_cat(batch_place::members(self), std::tie(self.walks));
  }
};

/// What makes batches of walks: a graph, which is borrowed and must outlive the loaders, and how to walk it: uniformly
/// by `walk_options`, or by `node2vec_options`.
///
///     glt::dist::loader loader(comm, glt::dist::walk_batches(graph, {.length = 40, .walks_per_start = 10}), seeds);
///
/// Concurrent calls: const members may run concurrently.
template <device_policy GraphPolicy, vertex_id Vertex, detail::options_of_walks Options = walk_options>
class walk_batches {
public:
  using vertex_type = Vertex;
  using graph_type = graph<GraphPolicy, Vertex>;
  using seeds_type = vertex_seeds<Vertex>;
  using options_type = Options;
  using policy_type = GraphPolicy;
  template <device_policy Policy>
  using batch_on = walk_batch<Policy, Vertex>;
  template <class Comm, class Policy> // clang 19 rejects the definition below if one of them is constrained
  class maker;

  walk_batches(graph<GraphPolicy, Vertex> const& graph, Options options)
      : graph_(&graph), options_(options) {}

  /// The same with other options.
  walk_batches& with(Options options) {
    options_ = options;
    return *this;
  }

  [[nodiscard]] Options const& options() const noexcept { return options_; }

private:
  graph_type const* graph_;
  Options options_;
};

/// Makes the batches of `walk_batches` on a communicator, in memory of the graph's policy.
template <device_policy GraphPolicy, vertex_id Vertex, detail::options_of_walks Options>
template <class Comm, class Policy>
class walk_batches<GraphPolicy, Vertex, Options>::maker {
  static_assert(communicator<Comm> && std::same_as<Policy, GraphPolicy>,
                "these batches are made in memory of the graph's policy; leave the loader's policy out");

public:
  using batch_type = walk_batch<Policy, Vertex>;

  /// @comm   collective; one header exchange
  /// @throws collective_error  on every rank, if the options of a rank are wrong or differ from those of rank 0
  maker(Comm comm, walk_batches const& what, Policy policy)
      : num_vertices_(what.graph_->num_vertices()), seeds_(policy),
        walker_(std::move(comm), *what.graph_, what.options_, std::move(policy)) {}

  /// @throws precondition_error  if a seed is no vertex, or seeds have times
  void check(seeds_type const& seeds) const {
    seeds.check();
    detail::validate_vertices("seed", host_view<Vertex const>(seeds.vertices), num_vertices_);
    detail::check_times(seeds, false);
  }

  /// Makes a batch of seeds that are valid; a rank without seeds joins.
  ///
  /// @comm   collective; see the walkers
  void make(seeds_type const& seeds, sample_key key, batch_type& out) {
    detail::stopwatch watch;
    walker_.walk(seeds_.vertices(seeds), key, out.walks);
    watch.lap(seconds_.sampling);
  }

  [[nodiscard]] detail::loader_seconds const& seconds() const noexcept { return seconds_; }
  [[nodiscard]] loader_report report() const { return {}; }

private:
  using walker_type =
      std::conditional_t<std::same_as<Options, node2vec_options>, node2vec_walker<Comm, Policy, Vertex>,
                         random_walker<Comm, Policy, Vertex>>;

  std::int64_t num_vertices_;
  detail::seed_memory<Policy, Vertex> seeds_;
  walker_type walker_;
  detail::loader_seconds seconds_;
};

} // namespace glt::dist
