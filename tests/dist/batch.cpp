// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/batch.hpp>

#include <glt/memory/buffer.hpp>

#include "support/errors.hpp"

#include <cstdint>
#include <string>
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
  std::string const times = "batches: 8, waited 0.25 s, sampling 1.5 s, features 0.001 s\n";
  glt::dist::loader_report report{.seconds = {.waiting = 0.25, .sampling = 1.5, .features = 0.0011},
                                  .batches = 8,
                                  .sampled = {.own = 1, .in_place = 2, .remote = 3},
                                  .rows = {.own = 4, .in_place = 5, .cached = 6, .remote = 7},
                                  .why_sampled = {},
                                  .why_rows = "rank 3 is far"};
  CHECK(glt::dist::to_string(report) == times +
                                            "sampled: 1 own, 2 in place, 3 by messages\n"
                                            "features: 4 own, 5 in place, 6 cached (hit ratio 0.462), 7 by messages "
                                            "(rank 3 is far)");
  report.rows.remote = 0;
  CHECK(glt::dist::to_string(report) == times + "sampled: 1 own, 2 in place, 3 by messages\n"
                                                "features: 4 own, 5 in place, 6 cached (hit ratio 1), 0 by messages");
  report.rows.repeated = 8;
  CHECK(glt_test::names(glt::dist::to_string(report), ", 0 by messages, 8 from another batch of the same bulk"));
  report.rows.disk = 9;
  report.rows.disk_cached = 3;
  CHECK(glt_test::names(glt::dist::to_string(report), " of the same bulk; 9 read from disk (hit ratio 0.333)"));
  report.sent.headers = {.collectives = 1, .messages = 2, .bytes = 80};
  report.sent.payload = {.collectives = 1, .messages = 1, .bytes = 4};
  CHECK(glt_test::names(glt::dist::to_string(report), "\nsent: 3 messages of 84 bytes"));
}

TEST_CASE("reports of threads are added, and an earlier one is subtracted, number by number") {
  glt::dist::loader_report const one{
      .seconds = {.waiting = 1, .sampling = 2, .features = 3, .collecting = {4, 5, 6, 7, 8}},
      .batches = 9,
      .sampled = {10, 11, 12},
      .rows = {13, 14, 15, 16, 0, 22, 11},
      .sent = {.sends = {17, 18, 19, 20}},
      .peak_memory = 21,
      .why_sampled = {},
      .why_rows = "far"};
  auto sum = one;
  sum += one;
  CHECK(sum.seconds.collecting.unpacking == 16);
  CHECK(sum.batches == 18);
  CHECK(sum.sampled.remote == 24);
  CHECK(sum.rows.remote == 32);
  CHECK(sum.rows.disk == 44);
  CHECK(sum.rows.disk_hit_ratio() == 0.5);
  CHECK(sum.sent.sends.seconds == 40);
  CHECK(sum.peak_memory == 21);
  CHECK(sum.why_rows == "far");
  auto const rest = sum - one;
  CHECK(glt::dist::to_string(rest) == glt::dist::to_string(one));
  CHECK(rest.seconds.collecting.own_rows == 5);
  CHECK(rest.peak_memory == 21);
}
