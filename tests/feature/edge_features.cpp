// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/feature/edge_features.hpp>
#include <glt/memory/copy.hpp>

#include "support/errors.hpp"

#include <cstdint>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;
using device::cpu;

namespace {

// Edge e has the row (e, −e), stored in another order.
edge_features<cpu, float> make_features(std::vector<edge_id> const& ids) {
  std::vector<float> values;
  for (auto const id : ids) {
    values.push_back(static_cast<float>(id));
    values.push_back(static_cast<float>(-id));
  }
  auto const count = static_cast<std::int64_t>(ids.size());
  return {make_buffer<cpu>(ids), feature_store<cpu, float>(count, 2, make_buffer<cpu>(values))};
}

} // namespace

TEST_CASE("rows are those of the edges, not those at the places that the ids would be") {
  auto made = make_features({3, 0, 2, 1, 100});
  auto const features = std::move(made);
  CHECK(features.num_edges() == 5);
  CHECK(features.num_columns() == 2);
  std::vector<edge_id> const ids{0, 1, 2, 3, 100, 3};
  std::vector<float> out(12, 7);
  features.gather(host_view<edge_id const>(ids), host_matrix<float>(out.data(), 6, 2));
  CHECK(out == std::vector<float>{0, 0, 1, -1, 2, -2, 3, -3, 100, -100, 3, -3});
  std::vector<double> wide(12, 7);
  features.gather(host_view<edge_id const>(ids), host_matrix<double>(wide.data(), 6, 2), cpu(2));
  CHECK(wide == std::vector<double>(out.begin(), out.end()));
  std::vector<local_id> rows;
  features.find(host_view<edge_id const>(ids), rows);
  CHECK(rows == std::vector<local_id>{1, 3, 2, 0, 4, 0});
  features.find({}, rows);
  CHECK(rows.empty());
}

TEST_CASE("edges of other parts, ids that come twice and rows without ids are refused") {
  auto const features = make_features({3, 0, 2});
  std::vector<edge_id> const ids{0, 1};
  std::vector<float> out(4, 7);
  auto const gather = [&](std::int64_t rows, host_view<edge_id const> wanted) {
    return thrown<precondition_error>([&] { features.gather(wanted, host_matrix<float>(out.data(), rows, 2)); });
  };
  CHECK(names(gather(2, ids), "edge 1 has the id 1", "3 of these features"));
  CHECK(names(gather(2, host_view<edge_id const>(ids).subview(0, 1)), "1 rows", "[2, 2]"));
  CHECK(out == std::vector<float>(4, 7));
  CHECK(names(thrown<precondition_error>([] { make_features({3, 3}); }), "edge 1 is 3"));
  CHECK(names(thrown<precondition_error>([] {
                edge_features<cpu, float>(make_buffer<cpu>(std::vector<edge_id>{1, 2}),
                                          feature_store<cpu, float>(1, 1, buffer<cpu, float>(1)));
              }),
              "1 rows for 2 edges"));
}
