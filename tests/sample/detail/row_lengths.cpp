// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/detail/arguments.hpp>

#include "support/errors.hpp"

#include <glt/graph/hetero_graph.hpp>
#include <glt/sample/hetero_sampler.hpp>
#include <glt/sample/neighbor_sampler.hpp>

#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

constexpr std::int64_t two_to_31 = std::int64_t{1} << 31;

// A graph that says it has so many edges in every row; there is no memory for their sources, which nobody may read.
template <class Vertex>
csr_view<memory_space::host, Vertex> claim(std::vector<edge_offset> const& offsets) {
  static Vertex const nowhere = 0;
  return {std::ssize(offsets) - 1, offsets, host_view<Vertex const>(&nowhere, offsets.back())};
}

} // namespace

TEST_CASE("a row of 2^31 edges needs vertices of 64 bits, however many there are in all") {
  std::vector<edge_offset> const long_row{0, 3, 3 + two_to_31, 3 + two_to_31};
  std::vector<edge_offset> const long_enough{0, two_to_31 - 1, 2 * two_to_31 - 2, 2 * two_to_31};
  CHECK(names(thrown<precondition_error>([&] { detail::check_row_lengths(claim<local_id>(long_row)); }),
              "row 1 has 2147483648 edges", "32 bits", "global_id"));
  CHECK_NOTHROW(detail::check_row_lengths(claim<global_id>(long_row)));
  CHECK_NOTHROW(detail::check_row_lengths(claim<local_id>(long_enough)));
  CHECK_NOTHROW(detail::check_row_lengths(csr_view<memory_space::host>()));
}

TEST_CASE("samplers refuse such a row before they draw from it") {
  std::vector<edge_offset> const offsets{0, 2 * two_to_31};
  auto const graph = claim<local_id>(offsets);
  CHECK(names(thrown<precondition_error>([&] { neighbor_sampler<device::cpu> const sampler(graph, {.fanouts = {2}}); }),
              "row 0 has 4294967296 edges"));
  CHECK_NOTHROW(neighbor_sampler<device::cpu, global_id>(claim<global_id>(offsets), {.fanouts = {2}}));
  hetero_schema const schema({{"user", 1}}, {{"user", "knows", "user"}});
  std::vector const relations{graph};
  CHECK(names(thrown<precondition_error>([&] {
                hetero_neighbor_sampler<device::cpu> const sampler(hetero_view<memory_space::host>(schema, relations),
                                                                   {.fanouts = {{2}}});
              }),
              "relation (user, knows, user)", "row 0 has 4294967296 edges"));
}
