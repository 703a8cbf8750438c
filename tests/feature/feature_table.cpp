// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/element_type.hpp>
#include <glt/feature/feature_table.hpp>
#include <glt/memory/buffer.hpp>

#include "support/errors.hpp"
#include "support/named_tables.hpp"

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;
using device::cpu;

static_assert(!std::is_copy_constructible_v<feature_table<cpu>> &&
              std::is_nothrow_move_constructible_v<feature_table<cpu>>);

namespace {

template <class T>
feature_store<cpu, T> make_store(std::vector<T> const& values, std::int64_t columns,
                                 std::vector<float> const& scales = {}) {
  return {static_cast<std::int64_t>(values.size()) / columns,
          columns,
          make_buffer<cpu>(values),
          {},
          make_buffer<cpu>(scales)};
}

feature_table<cpu> make_table() {
  feature_table<cpu> table(3);
  table.add("text", make_store<bfloat16>(
                        {bfloat16(1.5F), bfloat16(2), bfloat16(-4), bfloat16(0), bfloat16(8), bfloat16(16)}, 2));
  table.add("year", make_store<std::int64_t>({1999, 2005, std::int64_t{1} << 40}, 1));
  table.add("small", make_store<std::int8_t>({1, 2, 3, -4, 5, 6, 7, 8, 9}, 3, {1, 0.5F, 2}));
  return table;
}

std::vector<float> values_of(feature_store<cpu, float> const& rows) {
  auto const all = rows.view().features.flat();
  return {all.begin(), all.end()};
}

} // namespace

TEST_CASE("tensors of different elements and widths are gathered by name, as floats or as they are") {
  auto made = make_table();
  auto const table = std::move(made);
  std::vector<global_id> const ids{2, 0, 2};
  host_view<global_id const> const wanted(ids);
  auto const text = table.gather<float>("text", wanted);
  CHECK(text.view().num_vertices() == 3);
  CHECK(text.view().num_columns() == 2);
  CHECK(values_of(text) == std::vector<float>{8, 16, 1.5F, 2, 8, 16});
  CHECK(values_of(table.gather<float>("small", wanted)) == std::vector<float>{7, 4, 18, 1, 1, 6, 7, 4, 18});
  auto const years = table.gather<std::int64_t>("year", wanted);
  CHECK(years.view().features(0, 0) == std::int64_t{1} << 40);
  CHECK(years.view().features(1, 0) == 1999);
  std::vector<double> out(9, -1);
  table.gather("small", wanted, host_matrix<double>(out.data(), 3, 3));
  CHECK(out == std::vector<double>{7, 4, 18, 1, 1, 6, 7, 4, 18});
  CHECK(values_of(table.gather<float>("text", wanted.subview(0, 0))).empty());
}

TEST_CASE("a table tells what is in it") {
  auto const table = make_table();
  CHECK(table.num_rows() == 3);
  CHECK(table.names() == std::vector<std::string>{"text", "year", "small"});
  CHECK(table.type("text") == element_type::bfloat16);
  CHECK(table.type("small") == element_type::int8);
  CHECK(table.num_columns("small") == 3);
  CHECK(table.view<std::int8_t>("small").scales[1] == 0.5F);
  CHECK(table.view<std::int8_t>("small").features(1, 0) == -4);
  feature_table<cpu> const empty(0);
  CHECK(empty.names().empty());
}

TEST_CASE("a wrong name, element type, shape or number of rows is named") {
  auto table = make_table();
  std::vector<global_id> const ids{2};
  host_view<global_id const> const wanted(ids);
  auto const error = [](auto f) { return thrown<precondition_error>(f); };
  auto const unknown = error([&] { static_cast<void>(table.gather<float>("txt", wanted)); });
  CHECK(glt_test::names(unknown, "\"txt\"", "\"text\", \"year\", \"small\""));
  CHECK(glt_test::names(error([&] { static_cast<void>(table.type("")); }), "no features \"\""));
  CHECK(glt_test::names(error([&] { static_cast<void>(feature_table<cpu>(1).num_columns("x")); }), "none"));
  CHECK(glt_test::names(error([&] { static_cast<void>(table.gather<std::int32_t>("year", wanted)); }), "\"year\"",
                        "are int64, not int32"));
  CHECK(glt_test::names(error([&] { static_cast<void>(table.view<float>("text")); }), "are bfloat16, not float32"));
  CHECK(glt_test::names(error([&] { table.gather("text", wanted, host_matrix<float>(nullptr, 1, 3)); }), "[1, 3]"));
  CHECK(glt_test::names(error([&] { table.add("year", make_store<float>({1, 2, 3}, 1)); }), "\"year\"", "already"));
  CHECK(glt_test::names(error([&] { table.add("new", make_store<float>({1, 2}, 1)); }), "\"new\"", "2 rows",
                        "a table of 3"));
  CHECK(glt_test::names(error([] { feature_table<cpu>(-1); }), "-1 rows"));
  CHECK(table.names().size() == 3);
}

TEST_CASE("features of edges are gathered by name and id") {
  std::vector<glt::edge_id> const ids{7, 0, 99, 4};
  glt::feature_table<cpu> const table(glt::make_buffer<cpu>(ids), glt_test::named_table(ids));
  CHECK(table.num_rows() == 4);
  CHECK(table.of_edges());
  CHECK(table.names().size() == 6);
  std::vector<glt::edge_id> const wanted{99, 7, 99};
  auto const years = table.gather<std::int64_t>("year", glt::host_view<glt::edge_id const>(wanted));
  auto const small = table.gather<float>("small", glt::host_view<glt::edge_id const>(wanted));
  for (std::int64_t i = 0; i < 3; ++i) {
    auto const id = wanted[static_cast<std::size_t>(i)];
    CHECK(static_cast<float>(years.view().features(i, 0)) == glt_test::named_value(id, 1, 0));
    CHECK(small.view().features(i, 1) == 2 * glt_test::named_value(id, 2, 1));
  }
  auto const refused = [&](char const* name, glt::edge_id id) {
    return glt_test::thrown<glt::precondition_error>([&] {
      std::vector<glt::edge_id> const bad{id};
      static_cast<void>(table.gather<float>(name, glt::host_view<glt::edge_id const>(bad)));
    });
  };
  CHECK(glt_test::names(refused("weight", 7), "no features \"weight\"", "\"year\""));
  CHECK(glt_test::names(refused("year", 8), "has the id 8"));
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] {
                          glt::feature_table<cpu>(glt::make_buffer<cpu>(ids), glt_test::named_table({1, 2}));
                        }),
                        "2 rows for 4 edges"));
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([] {
                          glt::feature_table<cpu>(glt::make_buffer<cpu>(std::vector<glt::edge_id>{3, 3}),
                                                  glt_test::named_table({1, 2}));
                        }),
                        "edge 1 is 3"));
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] {
                          std::vector<glt::local_id> const rows{0};
                          static_cast<void>(table.gather<float>("small", glt::host_view<glt::local_id const>(rows)));
                        }),
                        "features \"small\" of edges are gathered by glt::edge_id"));
}
