// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/detail/batch/hop_worker.hpp>

#include <glt/exec/sequential.hpp>

#include "support/naive_sampler.hpp"

#include <cstdint>
#include <vector>

namespace {

using glt::device::cpu;

struct timed : glt::uniform_rule {
  using query_type = std::int64_t;
};

} // namespace

TEST_CASE("vertices inherit the query of the seed of their tree") {
  glt::detail::inherited_queries<cpu, timed> queries;
  std::vector<std::int64_t> const of_seeds{50, 60, 70};
  std::vector<glt::local_id> const trees{2, 0, 0, 2, 1};
  CHECK(glt_test::to_vector(queries.of(of_seeds, trees)) == std::vector<std::int64_t>{70, 50, 50, 70, 60});
  CHECK(queries.of(of_seeds, {}).empty());
  glt::detail::inherited_queries<cpu, glt::uniform_rule> none;
  CHECK(none.of({}, trees).empty());
}

TEST_CASE("a worker samples batch after batch") {
  auto const list = glt_test::random_graph(257, 4099);
  auto const graph = glt::make_csr<cpu>(list.view(), {.edge_ids = true});
  glt::detail::hop_worker<cpu, glt::local_id, glt::uniform_rule> worker;
  glt::sampled_subgraph<cpu> out;
  for (std::int64_t step = 0; step < 3; ++step) {
    glt::neighbor_options const options{.fanouts = {4, 2}, .edge_ids = true, .disjoint = step == 1};
    std::vector<glt::local_id> const seeds{1, 200, 3};
    worker.sample(glt::exec::sequential{}, graph.view(), options, glt::uniform_rule{}, {}, seeds, {}, {.step = step},
                  out);
    CHECK(glt_test::plain(out) == glt_test::naive_sample(list, {1, 200, 3}, options, {.step = step}));
  }
}
