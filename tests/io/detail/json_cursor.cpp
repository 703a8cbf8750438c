// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/io/parts/detail/manifest_parser.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// What an access to a text of JSON throws.
std::string fault(char const* text, auto access) {
  auto const value = nlohmann::json::parse(text);
  std::filesystem::path const path = "a.json";
  return thrown<io_error>([&] { static_cast<void>(access(io::detail::json_cursor(path, value))); });
}

} // namespace

TEST_CASE("values of the kind that is asked for are handed out") {
  auto const value =
      nlohmann::json::parse(R"({"a": {"b": [1, 18446744073709551615]}, "c": "text", "d": true, "e": {"x": "y"}})");
  std::filesystem::path const path = "a.json";
  io::detail::json_cursor const root(path, value);
  CHECK(root.at("a").at("b").elements()[0].count() == 1);
  CHECK(root.at("a").at("b").elements()[1].whole() == UINT64_MAX);
  CHECK(root.at("c").text() == "text");
  CHECK(root.at("d").boolean());
  CHECK(root.at("e").texts() == std::vector<std::pair<std::string, std::string>>{{"x", "y"}});
  CHECK_FALSE(root.find("z"));
  auto const numbers = nlohmann::json::parse("[0, 5, 9223372036854775807]");
  CHECK(io::detail::json_cursor(path, numbers).counts() == std::vector<std::int64_t>{0, 5, INT64_MAX});
}

TEST_CASE("every other value is named with its place") {
  using io::detail::json_cursor;
  CHECK(names(fault("[]", [](json_cursor at) { return at.find("x"); }), "a.json: the file is no object"));
  CHECK(names(fault("{}", [](json_cursor at) { return at.at("x"); }), "the file lacks \"x\""));
  CHECK(names(fault(R"({"x": {"y": [1, "2"]}})", [](json_cursor at) { return at.at("x").at("y").counts(); }),
              "x.y[1] is no whole number"));
  CHECK(names(fault(R"({"x": 1})", [](json_cursor at) { return at.at("x").elements(); }), "x is no list"));
  CHECK(names(fault(R"({"x": 1})", [](json_cursor at) { return at.at("x").text(); }), "x is no text"));
  CHECK(
      names(fault(R"({"x": 1})", [](json_cursor at) { return at.at("x").boolean(); }), "x is neither true nor false"));
  CHECK(names(fault(R"({"x": 1})", [](json_cursor at) { return at.at("x").texts(); }), "x is no object"));
  CHECK(names(fault(R"({"x": {"y": 1}})", [](json_cursor at) { return at.at("x").texts(); }), "x.y is no text"));
  for (char const* number : {"-1", "1.0", "1e3", "null", "true", "\"1\"", "[]", "18446744073709551616"}) {
    CAPTURE(number);
    CHECK(names(fault(number, [](json_cursor at) { return at.whole(); }), "is no whole number of 0 or more"));
  }
  CHECK(names(fault("9223372036854775808", [](json_cursor at) { return at.count(); }), "does not fit 63 bits"));
}
