// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/link/detail/validate_seed_edges.hpp>

#include "support/errors.hpp"

#include <cstdint>
#include <vector>

namespace {

using ids = glt::host_view<glt::local_id const>;

} // namespace

TEST_CASE("lists that are no edges of the graph are refused by the first fault") {
  std::vector<glt::local_id> const two{0, 4};
  std::vector<glt::local_id> const negative{3, -1};
  std::vector<glt::local_id> const three{1, 2, 3};
  auto const refused = [](ids sources, ids destinations, std::int64_t vertices) {
    return glt_test::thrown<glt::precondition_error>(
        [&] { glt::detail::validate_seed_edges(sources, destinations, vertices, vertices); });
  };
  glt::detail::validate_seed_edges(ids(two), ids(two), 5, 5);
  glt::detail::validate_seed_edges(ids(), ids(), 0, 0);
  CHECK(glt_test::names(refused(two, three, 5), "2 sources", "3 destinations"));
  CHECK(glt_test::names(refused(two, two, 4), "source of seed edge 1 is 4", "[0, 4)"));
  CHECK(glt_test::names(refused(two, negative, 5), "destination of seed edge 1 is -1", "[0, 5)"));
}
