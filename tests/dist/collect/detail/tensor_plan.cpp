// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/detail/tensor_plan.hpp>

#include "support/errors.hpp"
#include "support/named_tables.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using glt::element_type;
using wishes = std::vector<glt::detail::tensor_request>;

TEST_CASE("a plan has what is wanted, in the order of the wishes, or everything as it is") {
  auto const table = glt_test::named_table({1, 2});
  auto const plan = glt::detail::plan_tensors(
      table.tensors(), wishes{{.name = "small", .type = element_type::float64}, {.name = "label", .seeds_only = true}});
  REQUIRE(plan.size() == 2);
  CHECK(plan[0].name == "small");
  CHECK(plan[0].local.type == element_type::int8);
  CHECK(plan[0].result == element_type::float64);
  CHECK_FALSE(plan[0].seeds_only);
  CHECK(plan[1].result == element_type::int64);
  CHECK(plan[1].seeds_only);
  auto const everything = glt::detail::plan_tensors(table.tensors(), wishes{});
  REQUIRE(everything.size() == 6);
  CHECK(everything[3].name == "dense");
  CHECK(everything[3].result == element_type::float32);
}

TEST_CASE("wishes that cannot be met are named") {
  auto const table = glt_test::named_table({1, 2});
  auto const error = [&](wishes const& wanted) {
    return glt_test::thrown<glt::precondition_error>(
        [&] { static_cast<void>(glt::detail::plan_tensors(table.tensors(), wanted)); });
  };
  CHECK(glt_test::names(error({{.name = "x"}}), "no features \"x\"", "\"title\", \"year\""));
  CHECK(glt_test::names(error({{.name = "year"}, {.name = "year"}}), "\"year\" are wanted twice"));
  CHECK(glt_test::names(error({{.name = "dense", .type = element_type::int8}}), "\"dense\" of float32 as int8"));
}

TEST_CASE("other rows of a plan have its types and columns, and its scales") {
  auto const table = glt_test::named_table({1, 2});
  auto const plan =
      glt::detail::plan_tensors(table.tensors(), wishes{{.name = "small"}, {.name = "label", .seeds_only = true}});
  glt::feature_table<glt::device::cpu> other(1);
  other.add("small", glt_test::named_store<std::int8_t>({7}, 2, 3));
  auto const found = glt::detail::find_planned(plan, other.tensors(), "hot rows");
  REQUIRE(found.size() == 2);
  CHECK(found[0].num_rows == 1);
  CHECK(found[0].scales.size() == 3);
  CHECK(found[1].data == nullptr);
  CHECK(found[1].type == element_type::int64);
  auto const error = [&](auto store, char const* name) {
    return glt_test::thrown<glt::precondition_error>([&] {
      glt::feature_table<glt::device::cpu> odd(1);
      odd.add(name, std::move(store));
      static_cast<void>(glt::detail::find_planned(plan, odd.tensors(), "hot rows"));
    });
  };
  CHECK(
      glt_test::names(error(glt_test::named_store<std::int8_t>({7}, 2, 3), "Small"), "hot rows without", "\"small\""));
  CHECK(glt_test::names(error(glt_test::named_store<std::int8_t>({7}, 2, 2), "small"), "2 columns of int8 for 3"));
  CHECK(glt_test::names(error(glt_test::named_store<float>({7}, 2, 3), "small"), "of float32 for 3 of int8"));
}
