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
