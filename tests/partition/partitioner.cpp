// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"
#include "support/partitioners.hpp"

#include <glt/graph/convert.hpp>
#include <glt/partition/partitioner.hpp>
#include <glt/partition/simple_partitioners.hpp>
#include <glt/partition/stream/streaming_partitioners.hpp>

#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

static_assert(partitioner<contiguous_partitioner, local_id> && partitioner<contiguous_partitioner, global_id>);
static_assert(partitioner<random_partitioner, local_id> && partitioner<random_partitioner, global_id>);
static_assert(partitioner<ldg_partitioner, local_id> && partitioner<ldg_partitioner, global_id>);
static_assert(partitioner<hash_partitioner, local_id> && partitioner<hash_partitioner, global_id>);
static_assert(partitioner<fennel_partitioner, local_id> && partitioner<fennel_partitioner, global_id>);
static_assert(!partitioner<int>);

TEST_CASE("every vertex gets a part, and always the same one") {
  auto partitioners = all_partitioners();
  partitioners.push_back({"hash", hash_partitioner{.seed = 3}});
  partitioners.push_back({"fennel", fennel_partitioner{.seed = 3}});
  for (auto const& graph : adversarial_graphs()) {
    CAPTURE(graph.name);
    auto const rows = make_csr<device::cpu>(graph.view());
    for (auto const& partitioner : partitioners) {
      CAPTURE(partitioner.name);
      for (int const num_parts : {1, 2, 3, 5, 70}) {
        auto const part_of = to_vector(partitioner.run(rows.view(), num_parts));
        REQUIRE(static_cast<std::int64_t>(part_of.size()) == graph.num_vertices);
        for (auto const part : part_of) {
          REQUIRE(part >= 0);
          REQUIRE(part < num_parts);
        }
        CHECK(part_of == to_vector(partitioner.run(rows.view(), num_parts)));
      }
    }
  }
}

TEST_CASE("the library's partitioners refuse fewer parts than one and graphs that are not square") {
  auto const graph = random_graph(11, 30);
  auto const rows = make_csr<device::cpu>(graph.view());
  std::vector<edge_offset> const offsets{0, 1};
  std::vector<local_id> const sources{4};
  csr_view<memory_space::host> const wide(9, offsets, sources);
  auto const check = [&](auto const& partitioner) {
    CHECK(names(thrown<precondition_error>([&] { static_cast<void>(partitioner(rows.view(), 0)); }), "0 parts"));
    CHECK(names(thrown<precondition_error>([&] { static_cast<void>(partitioner(rows.view(), -2)); }), "-2 parts"));
    CHECK(names(thrown<precondition_error>([&] { static_cast<void>(partitioner(wide, 2)); }), "1 rows", "9 columns"));
  };
  check(contiguous_partitioner{});
  check(random_partitioner{});
  check(hash_partitioner{});
  check(ldg_partitioner{});
  check(fennel_partitioner{});
}
