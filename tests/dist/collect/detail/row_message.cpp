// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/dist/collect/detail/row_exchange.hpp>

#include <glt/memory/buffer.hpp>

#include "support/named_tables.hpp"
#include "support/policies.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

using glt::detail::row_target;
using glt::device::cpu;

namespace {

std::vector<glt::detail::planned_tensor<cpu::space>> plan_of(glt::feature_table<cpu> const& table) {
  return glt::detail::plan_tensors(table.tensors(), {{.name = "small", .type = glt::element_type::float32},
                                                     {.name = "label", .seeds_only = true},
                                                     {.name = "title"}});
}

} // namespace

TEST_CASE("a message has the rows of all tensors, of some those of the flagged rows, and puts them in their "
          "places") {
  auto const table = glt_test::named_table({10, 11, 12, 13, 14});
  for (int const threads : {1, 3}) {
    glt::detail::row_message<cpu> const message(plan_of(table), cpu(threads));
    CHECK(message.flags());
    CHECK(message.largest_row() == 3 + 8 + 10);
    CHECK(message.capacity(7, 3) == 7 * 21);
    std::vector<glt::local_id> const rows{~4, ~0, 2};
    std::vector<std::int64_t> const places{0, 2, 4};
    glt::detail::row_list const list{rows.data(), places.data(), 3, 2};
    CHECK(message.bytes(list) == 3 * 13 + 2 * 8);
    CHECK(message.bytes({}) == 0);
    CHECK(message.bytes(list.part(1, 3)) == 2 * 13 + 8);
    CHECK(message.bytes(list.part(2, 3)) == 13);
    std::vector<std::byte> bytes(static_cast<std::size_t>(message.bytes(list)) + 1);
    CHECK(message.pack(list, bytes.data() + 1) == bytes.data() + bytes.size()); // it need not be aligned

    std::vector<float> small(5 * 3);
    std::vector<std::int64_t> label(3);
    std::vector<glt::float16> title(5 * 5);
    auto const at = [](auto& elements) { return reinterpret_cast<std::byte*>(elements.data()); };
    std::vector<row_target> const out{{glt::element_type::float32, at(small)},
                                      {glt::element_type::int64, at(label)},
                                      {glt::element_type::float16, at(title)}};
    CHECK(message.unpack<glt::detail::any_conversion>(bytes.data() + 1, list, out) == bytes.data() + bytes.size());
    std::vector<glt::local_id> const own_rows{~1, 3};
    std::vector<std::int64_t> const own_places{1, 3};
    std::vector<glt::detail::any_rows<cpu::space>> local;
    for (auto const& each : message.plan()) {
      local.push_back(each.local);
    }
    message.scatter<glt::detail::any_conversion>(local, {own_rows.data(), own_places.data(), 2, 1}, out);
    auto const whole = glt_test::named_table({14, 11, 10, 13, 12});
    CHECK(small == glt_test::gathered<float>(whole, "small", {0, 1, 2, 3, 4}));
    CHECK(label == glt_test::gathered<std::int64_t>(whole, "label", {0, 1, 2}));
    CHECK(static_cast<float>(title[4 * 5 + 3]) == glt_test::named_value(12, 0, 3));
  }
}

TEST_CASE("rows of one message go to the tensors of several lists, run by run") {
  auto const table = glt_test::named_table({10, 11, 12, 13, 14});
  glt::detail::row_message<cpu> const message(plan_of(table), cpu());
  std::vector<glt::local_id> const rows{~4, ~0, 2, 1, 3}; // two of the first list, one of the next, and two again
  std::vector<std::int64_t> const places{0, 1, 2, 3, 4};
  glt::detail::row_list const list{rows.data(), places.data(), 5, 2};
  std::vector<std::byte> bytes(static_cast<std::size_t>(message.bytes(list)));
  CHECK(message.pack(list, bytes.data()) == bytes.data() + bytes.size());

  struct tensors {
    std::vector<float> small;
    std::vector<std::int64_t> label;
    std::vector<float> title;
    explicit tensors(std::size_t count) : small(count * 3), label(count), title(count * 5) {}
  };
  std::vector<tensors> made{tensors(4), tensors(1)};
  std::vector<row_target> out;
  for (auto& of : made) {
    auto const at = [](auto& elements) { return reinterpret_cast<std::byte*>(elements.data()); };
    out.insert(out.end(), {{glt::element_type::float32, at(of.small)},
                           {glt::element_type::int64, at(of.label)},
                           {glt::element_type::float32, at(of.title)}});
  }
  std::vector<std::int64_t> const lists{0, 1, 0};
  std::vector<std::int64_t> const first_places{0, 2, 1}; // the last run goes behind the first
  std::vector<std::int64_t> const bounds{0, 2, 3, 5};
  glt::detail::place_runs const runs{places.data(), lists, first_places, bounds};
  CHECK(message.unpack<glt::detail::any_conversion>(bytes.data(), list, glt::detail::row_targets(out, 3, runs)) ==
        bytes.data() + bytes.size());
  auto const first = glt_test::named_table({14, 10, 11, 13});
  CHECK(made[0].small == glt_test::gathered<float>(first, "small", {0, 1, 2, 3}));
  CHECK(made[0].title == glt_test::gathered<float>(first, "title", {0, 1, 2, 3}));
  made[0].label.resize(2);
  CHECK(made[0].label == glt_test::gathered<std::int64_t>(first, "label", {0, 1}));
  auto const second = glt_test::named_table({12});
  CHECK(made[1].small == glt_test::gathered<float>(second, "small", {0}));
  CHECK(made[1].title == glt_test::gathered<float>(second, "title", {0}));
}

TEST_CASE("messages without tensors, and those of the memory of a GPU, have room for what they say") {
  glt::feature_table<cpu> const nothing(1);
  glt::detail::row_message<cpu> const none(glt::detail::plan_tensors(nothing.tensors(), {}), cpu());
  CHECK(none.largest_row() == 1);
  CHECK_FALSE(none.flags());
#if defined(GLT_TEST_THRUST)
  using device = glt_test::emulated_cpp;
  glt::detail::row_message<device> const padded(
      {{"a", {.type = glt::element_type::int8, .num_columns = 3}, glt::element_type::int8, false},
       {"b", {.type = glt::element_type::int64, .num_columns = 1}, glt::element_type::int64, true}},
      device());
  CHECK(padded.bytes({.size = 5, .num_flagged = 1}) == 16 + 16);
  CHECK(padded.bytes({.size = 6, .num_flagged = 3}) == 32 + 32);
  CHECK(padded.capacity(6, 1) >= 64);
#endif
}
