// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/io/peers/detail/pickle_value.hpp>

#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <cstdint>
#include <string_view>

using namespace glt::io;

TEST_CASE("A value gives its content as what it is, and nothing as anything else") {
  glt::io::detail::pickle_value const number{std::int64_t{7}};
  REQUIRE(number.get_if<std::int64_t>() != nullptr);
  CHECK(*number.get_if<std::int64_t>() == 7);
  CHECK(number.get_if<bool>() == nullptr);
  CHECK(number.get_if<double>() == nullptr);
  CHECK(number.kind() == "an integer");
  CHECK(glt::io::detail::pickle_value(glt::io::detail::pickle_none()).kind() == "None");
  CHECK(glt::io::detail::pickle_value(true).kind() == "a bool");
  CHECK(glt::io::detail::pickle_value(std::string_view("a")).kind() == "text");
  CHECK(glt::io::detail::pickle_value(glt::io::detail::pickle_tuple()).kind() == "a tuple");
  CHECK(glt::io::detail::pickle_value(glt::io::detail::pickle_dict()).kind() == "a dict");
  CHECK(glt::io::detail::pickle_value(glt::io::detail::pickle_tensor()).kind() == "a tensor");
}

TEST_CASE("Of equal keys in a dictionary the last one counts, and keys that are no text are passed over") {
  glt::io::detail::pickle_values values;
  auto const& key = values.add({std::string_view("a")});
  auto const& other = values.add({glt::io::detail::pickle_tuple()});
  auto const& first = values.add({std::int64_t{1}});
  auto const& last = values.add({std::int64_t{2}});
  glt::io::detail::pickle_dict const dict{{{&key, &first}, {&key, &last}, {&other, &first}}};
  CHECK(dict.find("a") == &last);
  CHECK(dict.find("b") == nullptr);
  CHECK(glt::io::detail::pickle_dict().find("a") == nullptr);
}

TEST_CASE("Values keep their addresses while more are added, up to a limit") {
  glt::io::detail::pickle_values values;
  auto const& first = values.add({std::int64_t{1}});
  for (std::int64_t i = 1; i < glt::io::detail::pickle_values::limit; ++i) {
    values.add({i});
  }
  CHECK(*first.get_if<std::int64_t>() == 1);
  CHECK(glt_test::names(glt_test::thrown<glt::precondition_error>([&] { values.add({false}); }), "more than 1048576"));
}
