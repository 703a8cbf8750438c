// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archives.hpp"
#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/array/npy.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

io::array read(std::string const& bytes) {
  return io::detail::read_npy_any({reinterpret_cast<std::byte const*>(bytes.data()), std::ssize(bytes)}, "memory.npy");
}

std::string fault_of(std::string const& bytes) {
  return thrown<io_error>([&] { static_cast<void>(read(bytes)); });
}

template <class T>
std::vector<T> values_of(io::array const& array) {
  auto const values = array.values<T>();
  return {values.begin(), values.end()};
}

template <class T>
void check_type(std::string const& name) {
  CAPTURE(name);
  scratch_folder const scratch;
  std::vector<T> const values{T(0), T(1), std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max(), T(7), T(9)};
  auto const bytes = npy_bytes(name, "(2, 3)", raw(values));
  write_bytes(scratch / "a.npy", bytes);
  for (auto const& array : {read(bytes), io::detail::read_npy_any(scratch / "a.npy")}) {
    CHECK(array.type() == detail::element_type_of<T>);
    CHECK(array.shape() == std::vector<std::int64_t>{2, 3});
    CHECK(values_of<T>(array) == values);
  }
}

template <class Stored, class Wide>
void check_widened(std::string const& name, std::vector<Stored> const& values) {
  CAPTURE(name);
  auto const array = read(npy_bytes(name, "(" + std::to_string(values.size()) + ",)", raw(values)));
  CHECK(values_of<Wide>(array) == std::vector<Wide>(values.begin(), values.end()));
}

} // namespace

TEST_CASE("an array of every element type is read from a file and from memory") {
  check_type<std::int8_t>("|i1");
  check_type<std::uint8_t>("|u1");
  check_type<std::int16_t>("<i2");
  check_type<std::int32_t>("<i4");
  check_type<std::int64_t>("<i8");
  check_type<float>("<f4");
  check_type<double>("<f8");
  CHECK(values_of<std::uint8_t>(read(npy_bytes("|b1", "(3,)", std::string("\1\0\1", 3)))) ==
        std::vector<std::uint8_t>{1, 0, 1});
  auto const half = read(npy_bytes("<f2", "(2,)", std::string("\0\x3C\0\x40", 4)));
  CHECK(half.type() == element_type::float16);
  CHECK(half.bytes().size() == 4);
  for (char const* const name : {"<V2", "|V2"}) {
    CHECK(read(npy_bytes(name, "(1, 2)", std::string("\x80\x3F\0\x40", 4))).type() == element_type::bfloat16);
  }
}

TEST_CASE("unsigned integers become the next larger signed type") {
  check_widened<std::uint16_t, std::int32_t>("<u2", {0, 1, 65535, 32768, 5});
  check_widened<std::uint32_t, std::int64_t>("<u4", {0, 4294967295U, 1, 2147483648U});
  check_widened<std::uint64_t, std::int64_t>("<u8", {7, 0, 9223372036854775807U});
  check_widened<std::uint16_t, std::int32_t>("<u2", {});
  CHECK(names(fault_of(npy_bytes("<u8", "(2,)", raw(std::vector<std::uint64_t>{1, 1ULL << 63}))),
              "element 1 is 9223372036854775808", "int64"));
}

TEST_CASE("columns that are contiguous, and highest bytes first, are put in order") {
  auto const rows = read(npy_bytes("<i4", "(2, 3)", raw(std::vector<std::int32_t>{1, 4, 2, 5, 3, 6}), "True"));
  CHECK(rows.shape() == std::vector<std::int64_t>{2, 3});
  CHECK(values_of<std::int32_t>(rows) == std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
  auto const both = read(npy_bytes(">u2", "(2, 2)", std::string("\0\1\1\0\0\2\xFF\xFF", 8), "True"));
  CHECK(values_of<std::int32_t>(both) == std::vector<std::int32_t>{1, 2, 256, 65535});
  CHECK(values_of<float>(read(npy_bytes(">f4", "(1,)", std::string("\x40\x49\0\0", 4)))) ==
        std::vector<float>{3.140625F});
}

TEST_CASE("shapes of no element, of one and of no dimension") {
  CHECK(read(npy_bytes("<f4", "(0, 5)", "")).shape() == std::vector<std::int64_t>{0, 5});
  auto const number = read(npy_bytes("<i8", "()", raw(std::vector<std::int64_t>{42})));
  CHECK(number.shape().empty());
  CHECK(values_of<std::int64_t>(number) == std::vector<std::int64_t>{42});
  CHECK(read(npy_bytes("<f8", "(0,)", "")).empty());
}

TEST_CASE("what cannot be read is refused with the way out") {
  std::string const eight(8, 'x');
  CHECK(names(fault_of(npy_bytes("|O", "(1,)", eight)), "memory.npy", "Python objects", "never executed"));
  CHECK(names(fault_of(npy_bytes("<U2", "(1,)", eight)), "'<U2'", "astype"));
  CHECK(names(fault_of(npy_bytes("<c8", "(1,)", eight)), "'<c8'", "astype"));
  CHECK(names(fault_of(npy_bytes("", "(1,)", eight)), "type ''"));
  auto structured = npy_bytes("<i8", "(1,)", eight);
  structured.replace(structured.find("'<i8'"), 5, "[('a'");
  CHECK(names(fault_of(structured), "structured"));
  CHECK(names(fault_of("no array at all"), "does not begin as an .npy file"));
  scratch_folder const scratch;
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::detail::read_npy_any(scratch / "none.npy")); }), "none.npy",
              "no such file"));
}

TEST_CASE("bytes that are cut anywhere, or too many, are refused") {
  auto const whole = npy_bytes("<u4", "(3,)", std::string(12, 'x'));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    REQUIRE(names(fault_of(whole.substr(0, length)), "memory.npy"));
  }
  CHECK(names(fault_of(whole + "x"), "goes on for 1 bytes"));
}

TEST_CASE("a shape that no file can hold allocates nothing") {
  for (char const* const shape : {"(1152921504606846977,)", "(4294967296, 4294967296)", "(9000000000000000000,)"}) {
    CHECK(names(fault_of(npy_bytes("<u2", shape, "xx")), "too few"));
  }
}
