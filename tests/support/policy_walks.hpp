// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "graphs.hpp"
#include "pinned_policy.hpp"
#include "policies.hpp"

#include <glt/core/error.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/csr.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/sample/options.hpp>
#include <glt/sample/walk/walks.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace glt_test {

// `Walkers` names a kind of walker, `walker<Policy, Vertex, GraphSpace>`, and the `options()` to try.

template <class Vertex>
std::vector<Vertex> some_starts(std::int64_t num_vertices, std::int64_t count) {
  std::vector<Vertex> starts;
  for (std::int64_t i = 0; i < (num_vertices == 0 ? 0 : count); ++i) {
    starts.push_back(static_cast<Vertex>((i * 31 + 5) % num_vertices));
  }
  return starts;
}

/// Walks on a policy, with the graph in memory of another one, equal those of the CPU.
template <class Walkers, class Policy, class GraphPolicy, class Vertex>
void check_walks(glt::csr_view<glt::memory_space::host, Vertex> graph, std::vector<Vertex> const& starts,
                 std::vector<glt::global_id> const& original) {
  using reference_type = typename Walkers::template walker<glt::device::cpu, Vertex, glt::memory_space::host>;
  using walker_type = typename Walkers::template walker<Policy, Vertex, GraphPolicy::space>;
  Policy const policy;
  auto const copied = glt::copy<GraphPolicy>(graph);
  auto const names = glt::make_buffer<GraphPolicy>(original);
  auto const from = glt::make_buffer<Policy>(starts, policy);
  glt::walks<glt::device::cpu, Vertex> expected;
  glt::walks<Policy, Vertex> out(policy);
  for (auto options : Walkers::options()) {
    if (options.edge_ids && !graph.has_edge_ids()) {
      options.edge_ids = glt::edge_positions;
    }
    reference_type const reference(graph, options, {}, original);
    walker_type const walker(copied.view(), options, policy, names.view());
    CHECK(walker.options().length == options.length);
    for (std::int64_t step = 0; step < 2; ++step) {
      reference.walk(starts, {.seed = 5, .step = step}, expected);
      walker.walk(from.view(), {.seed = 5, .step = step}, out);
      REQUIRE(out.num_walks() == expected.num_walks());
      CHECK(glt::to_vector(policy, out.vertices().flat()) ==
            glt::to_vector(glt::device::cpu(), expected.vertices().flat()));
      CHECK(glt::to_vector(policy, out.edge_ids().flat()) ==
            glt::to_vector(glt::device::cpu(), expected.edge_ids().flat()));
    }
  }
}

/// The same for every graph that may be hard, with and without original ids.
template <class Walkers, class Policy>
void check_walks_of_graphs() {
  for (auto const& list : adversarial_graphs()) {
    CAPTURE(list.name);
    auto const graph = glt::make_csr<glt::device::cpu>(list.view(), {.edge_ids = true});
    std::vector<glt::global_id> original;
    for (std::int64_t v = 0; v < list.num_vertices; ++v) {
      original.push_back(1000 - v);
    }
    for (std::int64_t const count : {0, 1, 777}) {
      auto const starts = some_starts<glt::local_id>(list.num_vertices, count);
      check_walks<Walkers, Policy, Policy>(graph.view(), starts, {});
      check_walks<Walkers, Policy, pinned_policy>(graph.view(), starts, original);
    }
  }
}

/// A start that is no vertex is named, and a length of 0 is refused.
template <class Walkers, class Policy>
void check_refused_walks() {
  using walker_type = typename Walkers::template walker<Policy, glt::local_id, Policy::space>;
  Policy const policy;
  auto const made = glt::make_csr<glt::device::cpu>(random_graph(101, 370).view());
  auto const graph = glt::copy<Policy>(made.view(), policy);
  walker_type const walker(graph.view(), {.length = 2}, policy);
  glt::walks<Policy> out(policy);
  auto const starts = glt::make_buffer<Policy>(std::vector<glt::local_id>{4, 101, -1}, policy);
  CHECK_THROWS_WITH_AS(walker.walk(starts.view(), {}, out),
                       "start 1 is 101, but vertices are in [0, 101); pass ids of this graph", glt::precondition_error);
  CHECK(out.num_walks() == 0);
  CHECK_THROWS_AS(walker_type(graph.view(), {.length = 0}, policy), glt::precondition_error);
}

} // namespace glt_test
