// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/collected_rows.hpp>

#include "support/errors.hpp"

#include <cstdint>
#include <utility>

using glt::device::cpu;

TEST_CASE("rows are read by name, with the type that they have") {
  glt::detail::collected_table<cpu> table;
  glt::buffer<cpu, std::byte> bytes(4 * static_cast<std::int64_t>(sizeof(float)));
  for (std::int64_t i = 0; i < 4; ++i) {
    reinterpret_cast<float*>(bytes.data())[i] = static_cast<float>(i);
  }
  table.tensors.push_back(
      {.name = "x", .type = glt::element_type::float32, .num_rows = 2, .num_columns = 2, .bytes = std::move(bytes)});
  auto const x = table["x"].as<float>();
  CHECK(x.rows() == 2);
  CHECK(x(1, 0) == 2);
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(table["y"]); }),
                        "no features \"y\"; there are \"x\""));
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { static_cast<void>(table["x"].as<double>()); }),
                        "float32 read as float64"));
}
