// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/detail/named_message.hpp>

#include "support/named_tables.hpp"

#include <cstdint>
#include <vector>

using glt::device::cpu;
using glt::dist::collected_table;
using glt_test::elements_of;

TEST_CASE("a message has the rows of all tensors, of some those of the marked rows, and puts them in their places") {
  std::vector<std::int64_t> const items{10, 11, 12, 13, 14};
  auto const table = glt_test::named_table(items);
  glt::dist::named_message const message(
      glt::dist::plan_tensors(table.tensors(), {{.name = "small", .type = glt::element_type::float32},
                                                {.name = "label", .seeds_only = true},
                                                {.name = "title"}}),
      cpu());
  CHECK(message.largest_row() == 3 + 8 + 10);
  std::vector<glt::dist::wire_row> const rows{~4, ~0, 2};
  CHECK(message.bytes(rows) == 3 * 13 + 2 * 8);
  CHECK(message.bytes({}) == 0);
  std::vector<std::byte> bytes(static_cast<std::size_t>(message.bytes(rows)) + 1);
  CHECK(message.pack(rows, bytes.data() + 1) == bytes.data() + bytes.size()); // it need not be aligned
  collected_table<cpu> out;
  message.reserve(5, 3, out);
  CHECK(out.tensors.size() == 3);
  message.resize(5, 3, out);
  std::vector<std::int64_t> const places{0, 2, 4};
  CHECK(message.unpack(bytes.data() + 1, rows, places, out) == bytes.data() + bytes.size());
  std::vector<glt::any_rows<cpu::space>> local;
  for (auto const& each : message.plan()) {
    local.push_back(each.local);
  }
  message.put(local, std::vector<glt::local_id>{1, 3}, std::vector<std::int64_t>{1, 3}, out);
  std::vector<std::int64_t> const order{14, 11, 10, 13, 12};
  std::vector<std::int64_t> const seeds{14, 11, 10};
  auto const whole = glt_test::named_table(order);
  std::vector<std::int64_t> const all{0, 1, 2, 3, 4};
  CHECK(elements_of<float>(out["small"]) == glt_test::gathered<float>(whole, "small", all));
  CHECK(out["label"].num_rows == 3);
  CHECK(elements_of<std::int64_t>(out["label"]) == glt_test::gathered<std::int64_t>(whole, "label", {0, 1, 2}));
  auto const title = out["title"].as<glt::float16>();
  CHECK(static_cast<float>(title(4, 3)) == glt_test::named_value(12, 0, 3));
}

TEST_CASE("a table that another message filled is reused; one without tensors stays empty") {
  auto const table = glt_test::named_table({1});
  glt::dist::named_message const all(glt::dist::plan_tensors(table.tensors(), {}), cpu());
  glt::dist::named_message const one(glt::dist::plan_tensors(table.tensors(), {{.name = "year"}}), cpu());
  collected_table<cpu> out;
  all.reserve(4, 4, out);
  all.resize(4, 4, out);
  CHECK(out.tensors.size() == 6);
  one.reserve(2, 0, out);
  one.resize(2, 0, out);
  REQUIRE(out.tensors.size() == 1);
  CHECK(out["year"].num_rows == 2);
  glt::feature_table<cpu> const nothing(1);
  glt::dist::named_message const none(glt::dist::plan_tensors(nothing.tensors(), {}), cpu());
  CHECK(none.largest_row() == 1);
  none.reserve(2, 2, out);
  none.resize(2, 2, out);
  CHECK(out.tensors.empty());
}
