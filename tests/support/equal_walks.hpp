// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <glt/comm/counting.hpp>
#include <glt/dist/shared/shared_graph.hpp>

#include "equal_to_serial.hpp"
#include "naive_walks.hpp"
#include "nodes.hpp"
#include "parts.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace glt_test {

/// Compares the walks of `make(counted, graph, options)` with `expected(starts, options, key)` of one process, for all
/// options: by messages, with some parts read in place, and with all, which sends nothing.
template <class Vertex, class Comm, class Options, class Make, class Expected>
void check_walks(Comm& comm, edge_list const& list, named_partitioner const& partitioner,
                 std::vector<Options> const& options_to_try, Make const& make, Expected const& expected,
                 std::int64_t steps = 3) {
  auto node = node_of(comm);
  glt::node_views<glt::detail::part_view<glt::memory_space::host, Vertex>> neighborhood;
  compared_graph<Vertex> const compared(comm, list, partitioner, [&](divided_graph const& divided) {
    auto shared = glt::dist::share(node, divided.template part<Vertex>(comm.rank()));
    neighborhood = std::move(shared.neighborhood);
    return std::move(shared.own);
  });
  for (auto const& options : options_to_try) {
    glt::counting_comm counted(comm);
    auto walker = make(counted, compared.graph(), options);
    CHECK(walker.options().length == options.length);
    glt::walks<cpu, Vertex> out;
    for_each_neighborhood(neighborhood, comm.rank(), walker, [&](bool all) {
      counted.reset();
      compared.check(
          comm,
          [&](auto const& starts, auto const&, auto key) {
            walker.walk(starts, key, out);
            return plain(out, [&](auto, auto vertex) { return compared.original()[vertex]; });
          },
          [&](auto const& starts, auto key) { return expected(starts, options, key); }, steps);
      CHECK((!all || counted.counts().payload.collectives == 0));
      CHECK((!all || walker.why_not_in_place().empty()));
    });
  }
}

} // namespace glt_test
