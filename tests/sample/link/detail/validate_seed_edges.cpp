// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/link/detail/validate_seed_edges.hpp>

#include "support/errors.hpp"

#include <cstdint>
#include <vector>

namespace {

using ids = glt::host_view<glt::local_id const>;
using sources_type = glt::detail::link_sources<glt::memory_space::host, glt::local_id>;

} // namespace

TEST_CASE("lists that are no edges of the graph are refused by the first fault") {
  std::vector<glt::local_id> const two{0, 4};
  std::vector<glt::local_id> const negative{3, -1};
  std::vector<glt::local_id> const three{1, 2, 3};
  auto const check = [](sources_type sources, ids destinations, std::int64_t vertices) {
    glt::detail::validate_seed_edges(glt::device::cpu(), sources, destinations, vertices, vertices);
  };
  auto const refused = [&](sources_type sources, ids destinations, std::int64_t vertices) {
    return glt_test::thrown<glt::precondition_error>([&] { check(sources, destinations, vertices); });
  };
  check(two, two, 5);
  check({}, {}, 0);
  CHECK(glt_test::names(refused(two, three, 5), "2 sources", "3 destinations", "0 offsets"));
  using offsets = std::vector<std::int64_t>;
  check({two, offsets{0, 0, 3}}, three, 5);
  check({two, offsets{0, 3, 3}}, three, 5);
  check({two, offsets{0, 0, 0}}, {}, 5);
  check({{}, offsets{0}}, {}, 0);
  CHECK(glt_test::names(refused({two, offsets{0, 3}}, three, 5), "2 sources", "2 offsets", "one offset more"));
  CHECK(glt_test::names(refused({two, offsets{1, 2, 3}}, three, 5), "offset 0 of seed edges is 1", "from 0 to", "3"));
  CHECK(glt_test::names(refused({two, offsets{0, -1, 3}}, three, 5), "offset 1 of seed edges is -1"));
  CHECK(glt_test::names(refused({two, offsets{0, 4, 3}}, three, 5), "offset 1 of seed edges is 4"));
  CHECK(glt_test::names(refused({two, offsets{0, 2, 2}}, three, 5), "offset 2 of seed edges is 2"));
  CHECK(glt_test::names(refused({{}, offsets{1}}, {}, 0), "offset 0 of seed edges is 1"));
  CHECK(glt_test::names(refused(two, two, 4), "source of seed edge 1 is 4", "[0, 4)"));
  CHECK(glt_test::names(refused(two, negative, 5), "destination of seed edge 1 is -1", "[0, 5)"));
}
