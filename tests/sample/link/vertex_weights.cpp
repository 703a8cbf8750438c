// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/sample/link/vertex_weights.hpp>

#include <glt/core/random.hpp>

#include "support/errors.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

using glt::device::cpu;
using weights_view = glt::host_view<double const>;

std::string refused(std::vector<double> const& weights) {
  return glt_test::thrown<glt::precondition_error>([&] { glt::vertex_weights<cpu>{weights_view(weights)}; });
}

} // namespace

TEST_CASE("a vertex is found for as many numbers as it weighs") {
  std::vector<std::vector<double>> const lists{
      {1},         {0, 0, 3},         {5, 0, 0, 1, 0}, {1, 1, 1, 1, 1, 1, 1},
      {1e-300, 1}, {1e9, 1e-9, 1e-9}, {0, 1e18, 0},    {7, 3, 0, 2, 1, 0, 0, 9, 4}};
  for (auto const& list : lists) {
    glt::vertex_weights<cpu> const table{weights_view(list)};
    auto const view = table.view();
    glt::detail::weight_scale const scale(glt::detail::largest_weight(glt::device::cpu(), weights_view(list)),
                                          static_cast<std::int64_t>(list.size()));
    std::int64_t first = 0;
    for (std::size_t v = 0; v < list.size(); ++v) {
      auto const share = scale(list[v]);
      CHECK((share > 0) == (list[v] > 0));
      if (share > 0) { // the numbers at both ends of the vertex's range, and one between
        CHECK(view.find(first) == static_cast<std::int64_t>(v));
        CHECK(view.find(first + share / 2) == static_cast<std::int64_t>(v));
        CHECK(view.find(first + share - 1) == static_cast<std::int64_t>(v));
      }
      first += share;
    }
    CHECK(table.total() == first);
    CHECK(table.num_vertices() == static_cast<std::int64_t>(list.size()));
  }
}

TEST_CASE("every number of random weights, small and of very different size, finds what a scan finds") {
  glt::random_stream draws(glt::random_key(3), 1);
  for (int round = 0; round < 40; ++round) {
    std::vector<double> list(1 + static_cast<std::size_t>(draws.below(400)));
    for (auto& weight : list) {
      weight = draws.below(3) == 0 ? 0 : std::exp(12 * draws.next_unit());
    }
    list[draws.below(list.size())] = 2;
    glt::vertex_weights<cpu> const table{weights_view(list)};
    for (int i = 0; i < 200; ++i) {
      auto const number = static_cast<std::int64_t>(draws.below(static_cast<std::uint64_t>(table.total())));
      std::int64_t scan = 0;
      while (table.view().ends[scan] <= number) {
        ++scan;
      }
      CHECK(table.view().find(number) == scan);
    }
  }
}

TEST_CASE("weights keep their proportions, and sums of many stay below 2^63") {
  glt::detail::weight_scale const small(8, 100);
  CHECK(small(8) == std::int64_t{1} << 53);
  CHECK(small(1) == std::int64_t{1} << 50);
  CHECK(small(0) == 0);
  CHECK(small(1e-300) == 1);
  std::int64_t const many = std::int64_t{1} << 40;
  CHECK(glt::detail::weight_scale(0.5, many)(0.5) <= std::numeric_limits<std::int64_t>::max() / many);
  CHECK(glt::detail::weight_scale(0.5, many)(0.5) >= 1000000);
}

TEST_CASE("ranges of the vertices in the scale of all give the same numbers") {
  std::vector<double> const list{3, 0, 0.25, 11, 2, 0, 1e-3};
  glt::vertex_weights<cpu> const whole{weights_view(list)};
  glt::detail::weight_scale const scale(glt::detail::largest_weight(glt::device::cpu(), weights_view(list)), 7);
  glt::vertex_weights<cpu> const low(weights_view(list).subview(0, 3), scale);
  glt::vertex_weights<cpu> const high(weights_view(list).subview(3, 4), scale);
  CHECK(low.total() + high.total() == whole.total());
  for (std::int64_t number : {std::int64_t{0}, low.total() - 1, low.total(), whole.total() - 1, whole.total() / 2}) {
    CHECK(whole.view().find(number) ==
          (number < low.total() ? low.view().find(number) : 3 + high.view().find(number - low.total())));
  }
  CHECK(glt::vertex_weights<cpu>(weights_view(list).subview(5, 1), scale).total() == 0);
}

TEST_CASE("no vertices have no weights, and wrong weights are refused") {
  CHECK(glt::vertex_weights<cpu>{weights_view()}.total() == 0);
  CHECK(glt_test::names(refused({1, -2, -3}), "weight of vertex 1 is -2", "not negative"));
  CHECK(glt_test::names(refused({1, 0, std::nan("")}), "weight of vertex 2 is nan"));
  CHECK(glt_test::names(refused({std::numeric_limits<double>::infinity()}), "weight of vertex 0 is inf"));
  CHECK(glt_test::names(refused({0, 0, 0}), "all weights of 3 vertices are 0"));
}
