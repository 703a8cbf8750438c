// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <glt/comm/communicator.hpp>
#include <glt/dist/graph.hpp>
#include <glt/sample/options.hpp>

#include "parts.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace glt_test {

/// Compares batches that ranks make together with those that one process makes of the whole.
///
/// `seeds_at(step)` are the seeds of this rank in original ids; `made(seeds, key)` is its batch, in original ids as well, and
/// `expected(seeds, key)` the same batch by one process. A batch follows upon another, so that nothing of an earlier one may
/// shine through.
template <class Comm, class SeedsAt, class Made, class Expected>
void check_batches(Comm& comm, std::string const& what, std::int64_t steps, SeedsAt const& seeds_at, Made const& made,
                   Expected const& expected) {
  for (std::int64_t step = 0; step < steps; ++step) {
    glt::sample_key const key{.seed = 21, .epoch = 1, .step = step};
    auto const seeds = seeds_at(step);
    INFO(what, ", rank ", comm.rank(), " of ", comm.size(), ", step ", step);
    auto const batch = made(seeds, key);
    CHECK(batch == expected(seeds, key));
  }
}

/// A graph over the ranks of a test, and the comparison of what is made of it with what one process makes.
template <class Vertex, class Policy = cpu>
class compared_graph {
public:
  template <class Comm>
  compared_graph(Comm& comm, edge_list const& list, named_partitioner const& partitioner)
      : compared_graph(comm, list, partitioner,
                       [&](divided_graph const& of) { return of.template part<Vertex>(comm.rank()); }) {}

  /// `part_of(divided)` is the part of this rank where it is another than the one that is read from the list.
  template <class Comm, class PartOf>
  compared_graph(Comm& comm, edge_list const& list, named_partitioner const& partitioner, PartOf const& part_of)
      : what_(list.name + ", " + partitioner.name), divided_(list, partitioner, comm.size()),
        graph_(comm, part_of(std::as_const(divided_))) {}

  [[nodiscard]] divided_graph const& divided() const { return divided_; }
  [[nodiscard]] glt::dist::graph<Policy, Vertex> const& graph() const { return graph_; }
  [[nodiscard]] auto const& original() const { return divided_.names.original; }

  /// `made(ids, seeds, key)` is the batch of this rank in original ids, where `ids` are its seeds in the numbers of the parts;
  /// `expected(seeds, key)` is that of one process. Some seeds of a graph that is not small are another rank's.
  template <class Comm, class Made, class Expected>
  void check(Comm& comm, Made const& made, Expected const& expected, std::int64_t steps = 3) const {
    auto const num_vertices = graph_.num_vertices();
    std::vector<std::int64_t> remote{0};
    check_batches(
        comm, what_, steps, [&](std::int64_t step) { return seeds_of(comm.rank(), step, num_vertices); },
        [&](auto const& seeds, glt::sample_key key) {
          auto const ids = divided_.template renumbered<Vertex>(seeds);
          remote[0] += std::ranges::count_if(ids, [&](auto id) { return graph_.book().owner(id) != comm.rank(); });
          return made(ids, seeds, key);
        },
        expected);
    comm.all_reduce(std::span(remote), glt::reduction::sum);
    CHECK((remote[0] > 0 || comm.size() == 1 || num_vertices < 100));
  }

private:
  std::string what_;
  divided_graph divided_;
  glt::dist::graph<Policy, Vertex> graph_;
};

} // namespace glt_test
