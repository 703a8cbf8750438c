// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/io/peers/detail/pickle_value.hpp>

#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <cstdint>
#include <string_view>

using namespace glt::io;

TEST_CASE("A value gives its content as what it is, and nothing as anything else") {
  pickle_value const number{std::int64_t{7}};
  REQUIRE(number.get_if<std::int64_t>() != nullptr);
  CHECK(*number.get_if<std::int64_t>() == 7);
  CHECK(number.get_if<bool>() == nullptr);
  CHECK(number.get_if<double>() == nullptr);
  CHECK(number.kind() == "an integer");
  CHECK(pickle_value(pickle_none()).kind() == "None");
  CHECK(pickle_value(true).kind() == "a bool");
  CHECK(pickle_value(std::string_view("a")).kind() == "text");
  CHECK(pickle_value(pickle_tuple()).kind() == "a tuple");
  CHECK(pickle_value(pickle_dict()).kind() == "a dict");
  CHECK(pickle_value(pickle_tensor()).kind() == "a tensor");
}

TEST_CASE("Of equal keys in a dictionary the last one counts, and keys that are no text are passed over") {
  pickle_values values;
  auto const& key = values.add({std::string_view("a")});
  auto const& other = values.add({pickle_tuple()});
  auto const& first = values.add({std::int64_t{1}});
  auto const& last = values.add({std::int64_t{2}});
  pickle_dict const dict{{{&key, &first}, {&key, &last}, {&other, &first}}};
  CHECK(dict.find("a") == &last);
  CHECK(dict.find("b") == nullptr);
  CHECK(pickle_dict().find("a") == nullptr);
}

TEST_CASE("Values keep their addresses while more are added, up to a limit") {
  pickle_values values;
  auto const& first = values.add({std::int64_t{1}});
  for (std::int64_t i = 1; i < pickle_values::limit; ++i) {
    values.add({i});
  }
  CHECK(*first.get_if<std::int64_t>() == 1);
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { values.add({false}); }), "more than 1048576"));
}
