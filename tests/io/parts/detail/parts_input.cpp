// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/known_sets.hpp"

#include <glt/io/parts/detail/parts_input.hpp>

#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("relabellings and hot rows are found by type") {
  auto const data = hetero_known_set();
  auto const labels = random_labels(data, 2);
  std::vector<io::write_options::hot_vertices> const hot{{.node_type = 1, .by_part = {{3}, {}}}};
  io::detail::parts_input const input(data.view(), labels, hot, true);
  CHECK(input.num_parts() == 2);
  CHECK(input.halo());
  CHECK(input.schema().num_edge_types() == 4);
  CHECK(&input.of_source(1) == &labels[1]);
  CHECK(&input.of_destination(1) == &labels[0]);
  CHECK(input.hot_of(0) == nullptr);
  CHECK(input.hot_of(1) == &hot[0]);
  CHECK_NOTHROW(input.check_links());
}

TEST_CASE("some share of the ranks sees a pair that does not exist, and names its place in the list") {
  auto data = hetero_known_set();
  auto const labels = random_labels(data, 2);
  data.edges[2].links[0].edges.sources[2] = 23;
  io::detail::parts_input const input(data.view(), labels, {}, false);
  for (int const shares : {1, 2, 3, 9}) {
    int faults = 0;
    for (int share = 0; share < shares; ++share) {
      auto const text = thrown<precondition_error>([&] { input.check_links(shares, share); });
      faults +=
          names(text, "source of pair 2 of link split 'train' of edges 'reviewed/by' is 23, outside [0, 23)") ? 1 : 0;
    }
    CHECK(faults == 1);
  }
}
