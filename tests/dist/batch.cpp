// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/batch.hpp>

#include <glt/memory/copy.hpp>

#include <cstdint>
#include <vector>

TEST_CASE("an unused batch is empty") {
  glt::dist::batch<glt::device::cpu, glt::global_id, float> const batch;
  CHECK(batch.num_seeds == 0);
  CHECK(batch.features().rows() == 0);
  CHECK(batch.features().columns() == 0);
  CHECK(batch.labels().empty());
  CHECK(batch.subgraph.num_hops() == 0);
}

TEST_CASE("a report tells in words what was read in place and why the rest was not") {
  glt::dist::loader_report report{.sampled = {.own = 1, .in_place = 2, .remote = 3},
                                  .rows = {.own = 4, .in_place = 5, .cached = 6, .remote = 7},
                                  .why_sampled = {},
                                  .why_rows = "rank 3 is far"};
  CHECK(glt::dist::to_string(report) == "sampled: 1 own, 2 in place, 3 by messages\n"
                                        "features: 4 own, 5 in place, 6 cached (hit ratio 0.462), 7 by messages "
                                        "(rank 3 is far)");
  report.rows.remote = 0;
  CHECK(glt::dist::to_string(report) == "sampled: 1 own, 2 in place, 3 by messages\n"
                                        "features: 4 own, 5 in place, 6 cached (hit ratio 1), 0 by messages");
}
