// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/core/random.hpp>
#include <glt/graph/convert.hpp>
#include <glt/graph/coo.hpp>
#include <glt/outofcore/staging/detail/stage_graph.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("edges both ways are those that memory makes, in their order, with any limit") {
  for (std::int64_t const num_edges : {0, 1, 2, 9, 100, 5000}) {
    std::int64_t const num_vertices = 1 + num_edges / 4;
    random_stream draws(random_key(3), static_cast<std::uint64_t>(num_edges));
    std::vector<global_id> sources;
    std::vector<global_id> destinations;
    for (std::int64_t e = 0; e < num_edges; ++e) {
      sources.push_back(static_cast<global_id>(draws.below(static_cast<std::uint64_t>(num_vertices))));
      destinations.push_back(static_cast<global_id>(draws.below(static_cast<std::uint64_t>((num_vertices + 2) / 3))));
    }
    coo_view<memory_space::host, global_id> const list(num_vertices, host_view<global_id const>(sources),
                                                       host_view<global_id const>(destinations));
    auto const expected = remove_duplicates<device::cpu>(symmetrize<device::cpu>(list).view());
    for (std::int64_t const memory : {1, 5000, 1 << 20}) {
      scratch_folder const scratch;
      auto const made = io::detail::stage_both_ways({.sources = sources,
                                                     .destinations = destinations,
                                                     .num_sources = num_vertices,
                                                     .num_destinations = num_vertices},
                                                    scratch.path(), memory);
      CHECK(std::ranges::equal(made.view().sources, expected.view().sources()));
      CHECK(std::ranges::equal(made.view().destinations, expected.view().destinations()));
    }
  }
}

TEST_CASE("an end that is no vertex, and a folder that is not there, are refused") {
  scratch_folder const scratch;
  std::vector<global_id> const sources{0, 1};
  for (global_id const bad : {global_id{-1}, global_id{2}}) {
    std::vector<global_id> const destinations{1, bad};
    CHECK(names(thrown<precondition_error>([&] {
                  static_cast<void>(io::detail::stage_both_ways(
                      {.sources = sources, .destinations = destinations, .num_sources = 2, .num_destinations = 2},
                      scratch.path(), 1000));
                }),
                "destination of edge 1 is", "outside [0, 2), the vertices of type 'node'"));
  }
  write_bytes(scratch / "file", "");
  CHECK_THROWS(static_cast<void>(io::detail::stage_both_ways(
      {.sources = sources, .destinations = sources, .num_sources = 2, .num_destinations = 2}, scratch / "file", 1000)));
}
