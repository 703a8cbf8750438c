// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/detail/batch/row_draws.hpp>
#include <glt/sample/detail/batch/team_draws.hpp>

#include <glt/exec/sequential.hpp>
#include <glt/graph/convert.hpp>
#include <glt/sample/detail/batch/hop_request.hpp>
#include <glt/sample/rule/weighted_rule.hpp>

#include "support/graphs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace glt;

namespace {

struct draws {
  std::vector<edge_offset> offsets;
  std::vector<local_id> sources;
  std::vector<edge_id> ids;

  bool operator==(draws const&) const = default;
};

// In ranges of `each` rows, or row by row.
template <class Request>
draws drawn(csr_view<memory_space::host> graph, Request const& request, std::int64_t each) {
  auto const num_rows = request.rows.size();
  std::vector<edge_offset> counts(static_cast<std::size_t>(num_rows));
  detail::count_row<csr_view<memory_space::host>, Request> const count_one{graph, request};
  detail::count_rows<csr_view<memory_space::host>, Request> const count_range{graph, request, counts};
  for (std::int64_t i = 0; i < num_rows; i += std::max<std::int64_t>(each, 1)) {
    if (each == 0) {
      counts[static_cast<std::size_t>(i)] = count_one(i);
    } else {
      count_range(i, std::min(i + each, num_rows));
    }
  }
  draws out{.offsets = {0}, .sources = {}, .ids = {}};
  for (auto const count : counts) {
    out.offsets.push_back(out.offsets.back() + count);
  }
  out.sources.resize(static_cast<std::size_t>(out.offsets.back()));
  out.ids.resize(out.sources.size());
  detail::sample_row<csr_view<memory_space::host>, Request> const sample_one{graph, request, out.offsets, out.sources,
                                                                             out.ids};
  detail::sample_rows<csr_view<memory_space::host>, Request> const sample_range{graph, request, out.offsets,
                                                                                out.sources, out.ids};
  for (std::int64_t i = 0; i < num_rows; i += std::max<std::int64_t>(each, 1)) {
    each == 0 ? sample_one(i) : sample_range(i, std::min(i + each, num_rows));
  }
  return out;
}

} // namespace

TEST_CASE("ranges of rows draw what each row draws alone, whatever their length") {
  auto const list = glt_test::random_graph(101, 900);
  auto const graph = make_csr<device::cpu>(list.view(), {.edge_ids = true});
  std::vector<float> weights(900);
  for (std::size_t e = 0; e < weights.size(); ++e) {
    weights[e] = static_cast<float>(e % 7);
  }
  using rule_type = weighted_rule<memory_space::host>;
  for (std::int64_t const num_rows : {0, 1, 31, 32, 33, 63, 64, 65, 101, 200}) {
    std::vector<local_id> rows;
    for (std::int64_t i = 0; i < num_rows; ++i) {
      rows.push_back(static_cast<local_id>(i * 37 % 101));
    }
    for (std::int64_t const fanout : {-1, 3}) {
      detail::hop_request<memory_space::host, local_id> const plain{
          .rows = rows, .original = {}, .options = {.fanout = fanout}, .key = random_key(5)};
      detail::hop_request<memory_space::host, local_id, rule_type> const weighted{.rows = rows,
                                                                                  .original = {},
                                                                                  .options = {.fanout = fanout},
                                                                                  .key = random_key(5),
                                                                                  .rule =
                                                                                      rule_type{.weights = weights}};
      auto const alone = drawn(graph.view(), plain, 0);
      auto const weighted_alone = drawn(graph.view(), weighted, 0);
      for (std::int64_t const each : {1, 7, 50, 1000}) {
        CAPTURE(num_rows);
        CAPTURE(each);
        CHECK(drawn(graph.view(), plain, each) == alone);
        CHECK(drawn(graph.view(), weighted, each) == weighted_alone);
      }
    }
  }
}
