// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/link/detail/local_candidates.hpp>

#include "support/errors.hpp"
#include "support/graphs.hpp"

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace {

using glt::device::cpu;
using candidates = glt::detail::local_candidates<cpu, glt::local_id>;

std::vector<glt::local_id> found(candidates const& from, std::vector<std::int64_t> const& numbers) {
  std::vector<glt::local_id> vertices;
  for (auto const number : numbers) {
    vertices.push_back(from.view().vertex(glt::detail::pair_end::source, number));
  }
  return vertices;
}

} // namespace

TEST_CASE("numbers stand for vertices, through weights and original ids") {
  auto const graph = glt::make_csr<cpu>(glt_test::edge_list{"", 4, {0, 1}, {1, 2}}.view());
  std::vector<glt::global_id> const original{2, 0, 3, 1};
  std::vector<float> const weights{1, 0, 3, 0};
  glt::vertex_weights<cpu> const table{glt::host_view<float const>(weights)};
  candidates const plain(graph.view(), {}, {});
  CHECK(plain.view().num_numbers(glt::detail::pair_end::destination) == 4);
  CHECK(found(plain, {3, 0, 0}) == std::vector<glt::local_id>{3, 0, 0});
  candidates const renamed(graph.view(), {}, original);
  CHECK(found(renamed, {0, 1, 2, 3}) == std::vector<glt::local_id>{1, 3, 0, 2});
  candidates const weighted(graph.view(), table.view(), original);
  CHECK(weighted.view().num_numbers(glt::detail::pair_end::destination) == table.total());
  CHECK(found(weighted, {0, table.total() / 2, table.total() - 1}) == std::vector<glt::local_id>{1, 0, 0});
}

TEST_CASE("pairs are tested with any number of threads") {
  auto const list = glt_test::random_graph(101, 3700);
  auto const graph = glt::make_csr<cpu>(list.view());
  std::vector<glt::local_id> sources;
  std::vector<glt::local_id> destinations;
  std::vector<std::uint8_t> expected;
  std::vector<std::uint8_t> is_edge(101 * 101, 0);
  for (auto const& [source, destination] : glt_test::pairs_of(list.view())) {
    is_edge[static_cast<std::size_t>(source * 101 + destination)] = 1;
  }
  for (std::int64_t i = 0; i < 101 * 101; ++i) {
    sources.push_back(static_cast<glt::local_id>(i / 101));
    destinations.push_back(static_cast<glt::local_id>(i % 101));
  }
  for (int const threads : {1, 3}) {
    candidates const from(graph.view(), {}, {}, cpu(threads));
    CHECK(!from.ascending());
    std::vector<std::uint8_t> tested;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      tested.push_back(from.view().is_edge(sources[i], destinations[i]) ? 1 : 0);
    }
    CHECK(tested == is_edge);
  }
}

TEST_CASE("weights of other vertices, and original ids that are no permutation, are refused") {
  auto const graph = glt::make_csr<cpu>(glt_test::edge_list{"", 3, {0}, {1}}.view());
  std::vector<double> const weights{1, 2};
  glt::vertex_weights<cpu> const two{glt::host_view<double const>(weights)};
  using weights_view = glt::detail::vertex_weights_view<glt::memory_space::host>;
  auto const refused = [&](weights_view table, std::vector<glt::global_id> original) {
    return glt_test::thrown<glt::precondition_error>([&] { candidates(graph.view(), table, original); });
  };
  CHECK(glt_test::names(refused(two.view(), {}), "2 vertex weights for 3 vertices"));
  CHECK(glt_test::names(refused({}, {0, 1}), "2 original ids for 3 vertices"));
  CHECK(glt_test::names(refused({}, {0, 1, 1}), "original id of vertex 2 is 1", "permutation"));
  CHECK(glt_test::names(refused({}, {0, 3, 1}), "original id of vertex 1 is 3", "[0, 3)"));
  CHECK(glt_test::names(refused({}, {-1, 2, 1}), "original id of vertex 0 is -1"));
}
