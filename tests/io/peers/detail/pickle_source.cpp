// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/io/peers/detail/pickle_source.hpp>

#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

using glt::io::detail::pickle_source;
using glt_test::names;
using glt_test::thrown;

namespace {

pickle_source source_of(std::string_view bytes, std::int64_t position = 0) {
  return {"x.pkl", {reinterpret_cast<std::byte const*>(bytes.data()), std::ssize(bytes)}, position};
}

} // namespace

TEST_CASE("Pieces come one after the other, as views of the bytes") {
  std::string_view const bytes("skip\x01\x02\x03\xff\xff\xff\xffname\nabc", 19);
  auto source = source_of(bytes, 4);
  CHECK(source.path() == "x.pkl");
  CHECK(source.position() == 4);
  CHECK(source.number<std::uint8_t>() == 1);
  CHECK(source.number<std::uint16_t>() == 0x302);
  CHECK(source.number<std::int32_t>() == -1);
  auto const line = source.line();
  CHECK(line == "name");
  CHECK(line.data() == bytes.data() + 11);
  CHECK(source.take(0).empty());
  CHECK_FALSE(source.at_end());
  CHECK(source.take(3) == "abc");
  CHECK(source.at_end());
  CHECK(source.position() == 19);
  CHECK(source.take(0).empty());
}

TEST_CASE("Bytes that are not there are refused, at the end of those that are, and nothing is taken") {
  auto source = source_of("abc");
  auto const early = [&](std::uint64_t count) {
    return thrown<glt::io_error>([&] { static_cast<void>(source.take(count)); });
  };
  CHECK(names(early(5), "x.pkl (at byte 3)", "ends 2 bytes early"));
  CHECK(names(early(std::numeric_limits<std::uint64_t>::max()), "bytes early"));
  CHECK(names(thrown<glt::io_error>([&] { static_cast<void>(source.number<std::int64_t>()); }), "ends 5 bytes early"));
  CHECK(names(thrown<glt::precondition_error>([&] { static_cast<void>(source.line()); }), "within a name"));
  CHECK(source.position() == 0);
  auto nothing = source_of("");
  CHECK(nothing.at_end());
  CHECK(names(thrown<glt::io_error>([&] { static_cast<void>(nothing.take(1)); }), "at byte 0", "1 bytes early"));
}
