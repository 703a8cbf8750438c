// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <glt/partition/balance.hpp>

#include <cstdint>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

std::vector<std::int64_t> weights_of(balance_limit const& limit, std::int64_t num_vertices) {
  std::vector<std::int64_t> weights;
  for (std::int64_t v = 0; v < num_vertices; ++v) {
    CHECK(limit.share(v).group == 0);
    weights.push_back(limit.share(v).weight);
  }
  return weights;
}

} // namespace

TEST_CASE("vertices weigh 1, and their in-degree where edges are balanced") {
  CHECK(weights_of(balance_limit::vertices(), 3) == std::vector<std::int64_t>{1, 1, 1});
  CHECK(balance_limit::vertices(0.25).slack == 0.25);
  for (auto const& graph : adversarial_graphs()) {
    auto const rows = make_csr<device::cpu>(graph.view());
    auto const weights = weights_of(balance_limit::edges(rows.view(), 0.5), graph.num_vertices);
    std::vector<std::int64_t> degrees;
    for (auto const& row : naive_rows(graph)) {
      degrees.push_back(static_cast<std::int64_t>(row.size()));
    }
    CHECK(weights == degrees);
  }
}

TEST_CASE("weights and types are those that were given") {
  std::vector<std::uint16_t> const weights{4, 0, 65535};
  auto const any = balance_limit::weights("cost", host_view<std::uint16_t const>(weights), 0.1);
  CHECK(weights_of(any, 3) == std::vector<std::int64_t>{4, 0, 65535});
  CHECK(any.name == "cost");
  std::vector<std::int8_t> const types{1, 0, 2, 1};
  auto const by_type = balance_limit::types(host_view<std::int8_t const>(types), 3, 0.2);
  CHECK(by_type.num_groups == 3);
  for (std::int64_t v = 0; v < 4; ++v) {
    CHECK(by_type.share(v).group == types[static_cast<std::size_t>(v)]);
    CHECK(by_type.share(v).weight == 1);
  }
}

TEST_CASE("seeds weigh as often as they are listed, also after the list and the limit they came from are gone") {
  balance_limit kept;
  {
    std::vector<local_id> const seeds{3, 0, 3};
    auto const made = balance_limit::seeds(5, host_view<local_id const>(seeds));
    kept = made;
  }
  CHECK(weights_of(kept, 5) == std::vector<std::int64_t>{1, 0, 0, 2, 0});
  CHECK(weights_of(balance_limit::seeds(2, host_view<global_id const>()), 2) == std::vector<std::int64_t>{0, 0});
}

TEST_CASE("seeds that are no vertices are named") {
  std::vector<global_id> seeds{1, 4, 7};
  auto const complaint = [&] {
    return thrown<precondition_error>(
        [&] { static_cast<void>(balance_limit::seeds(5, host_view<global_id const>(seeds))); });
  };
  CHECK(names(complaint(), "seed 2 is 7", "[0, 5)"));
  seeds[0] = -1;
  CHECK(names(complaint(), "seed 0 is -1"));
}
