// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/full_batch/detail/out_degrees.hpp>

#include "support/device_parts.hpp"
#include "support/parts.hpp"
#include "support/ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using glt_test::divided_graph;

TEST_CASE_TEMPLATE("sources know how many edges they have on all ranks", Policy, GLT_TEST_GLUE_POLICIES) {
  glt_test::on_ranks([](auto comm) {
    Policy const policy;
    for (auto const& partitioner : glt_test::all_partitioners()) {
      for (auto const& list : glt_test::graphs_to_divide()) {
        INFO(list.name, ", ", partitioner.name, ", rank ", comm.rank(), " of ", comm.size());
        divided_graph const divided(list, partitioner, comm.size());
        glt::dist::graph const graph(comm, glt_test::device_part<Policy, glt::global_id>(divided, comm.rank(), policy));
        glt::dist::sharded_graph sharded(comm, graph, {}, policy);
        auto const degrees = glt::to_vector(policy, glt::detail::make_out_degrees(sharded).view());
        std::vector<std::int64_t> in(static_cast<std::size_t>(list.num_vertices), 0);
        auto out = in;
        for (std::size_t e = 0; e < list.sources.size(); ++e) {
          ++out[static_cast<std::size_t>(list.sources[e])];
          ++in[static_cast<std::size_t>(list.destinations[e])];
        }
        std::vector<std::int64_t> expected;
        for (auto v = graph.book().begin(comm.rank()); v < graph.book().end(comm.rank()); ++v) {
          expected.push_back(out[static_cast<std::size_t>(divided.names.original[v])]);
        }
        CHECK(degrees == expected);
        auto const most = [](std::vector<std::int64_t> const& of) {
          return of.empty() ? 0.0 : static_cast<double>(std::ranges::max(of));
        };
        REQUIRE(sharded.known_degrees().has_value());
        CHECK(sharded.known_degrees()->in == most(in));
        CHECK(sharded.known_degrees()->out == most(out));
      }
    }
  });
}
