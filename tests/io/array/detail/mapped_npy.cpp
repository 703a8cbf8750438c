// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archives.hpp"
#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/core/element_type.hpp>
#include <glt/io/array/detail/mapped_file.hpp>
#include <glt/io/array/npy.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

std::string fault_of(std::filesystem::path const& path, element_type type) {
  return thrown<io_error>([&] { static_cast<void>(io::detail::map_npy(path, type)); });
}

} // namespace

TEST_CASE("a mapped array is that of the file, aligned and without a copy") {
  scratch_folder const scratch;
  for (std::int64_t const n : {0, 1, 7, 10001}) {
    std::vector<double> values(static_cast<std::size_t>(n * 2));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<double>(i) / 3;
    }
    io::write_npy(scratch / "a.npy", host_matrix<double>(values.data(), n, 2));
    auto mapped = io::detail::map_npy(scratch / "a.npy", element_type::float64, {.populate = true});
    CHECK(mapped.shape() == std::vector<std::int64_t>{n, 2});
    CHECK(reinterpret_cast<std::uintptr_t>(mapped.bytes().data()) % 64 == 0);
    auto const taken = std::move(mapped).take<double>();
    CHECK(std::vector<double>(taken.begin(), taken.end()) == values);
  }
}

TEST_CASE("bfloat16 is stored as the bits of uint16") {
  scratch_folder const scratch;
  std::array const values{bfloat16(1.5F), bfloat16(-2)};
  io::write_npy(scratch / "a.npy", std::array{values[0].bits, values[1].bits});
  auto const mapped = io::detail::map_npy(scratch / "a.npy", element_type::bfloat16);
  CHECK(static_cast<float>(mapped.values<bfloat16>()[1]) == -2);
}

TEST_CASE("elements that are not aligned in the file are copied") {
  scratch_folder const scratch;
  io::write_npy(scratch / "a.npy", std::array{1.5, 2.5});
  auto bytes = read_bytes(scratch / "a.npy");
  bytes.insert(100, 3, ' ');
  bytes[8] = static_cast<char>(bytes[8] + 3);
  write_bytes(scratch / "a.npy", bytes);
  auto const mapped = io::detail::map_npy(scratch / "a.npy", element_type::float64);
  CHECK(reinterpret_cast<std::uintptr_t>(mapped.bytes().data()) % 8 == 0);
  CHECK(mapped.values<double>()[1] == 2.5);
}

TEST_CASE("another type, order or length is refused") {
  scratch_folder const scratch;
  auto const path = scratch / "a.npy";
  io::write_npy(path, std::array<std::int32_t, 3>{1, 2, 3});
  CHECK(names(fault_of(path, element_type::int64), "a.npy", "'<i4', not '<i8'", "astype"));
  auto const whole = read_bytes(path);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_bytes(path, whole.substr(0, length));
    REQUIRE(names(fault_of(path, element_type::int32), "a.npy"));
  }
  write_bytes(path, whole + "abcd");
  CHECK(names(fault_of(path, element_type::int32), "goes on for 4 bytes behind", "(3,)"));
  auto fortran = npy_bytes("<i4", "(2, 2)", std::string(16, '\1'), "True");
  write_bytes(path, fortran);
  CHECK(names(fault_of(path, element_type::int32), "Fortran order", "io::read_npy"));
  write_bytes(path, fortran.replace(fortran.find("(2, 2)"), 6, "(4, 1)")); // the same order either way
  CHECK(io::detail::map_npy(path, element_type::int32).rows() == 4);
  for (std::string const shape : {"(4611686018427387907,), }", "(4294967296, 4294967296), }"}) {
    auto bytes = whole;
    write_bytes(path, bytes.replace(bytes.find("(3,), }"), shape.size(), shape));
    CHECK(names(fault_of(path, element_type::int32), "too few for an array of shape"));
  }
}

TEST_CASE("a mapped array of any type is what reading the file gives, or is refused") {
  scratch_folder const scratch;
  auto const path = scratch / "a.npy";
  for (std::string const type : {"|i1", "|u1", "|b1", "<i2", "<i4", "<i8", "<f2", "<f4", "<f8", "|V2"}) {
    CAPTURE(type);
    auto const size = static_cast<std::size_t>(type[2] - '0');
    write_bytes(path, npy_bytes(type, "(3, 2)", std::string(6 * size, '\1')));
    auto const mapped = io::detail::map_npy_any(path);
    auto const expected = io::detail::read_npy_any(path);
    CHECK(mapped.type() == expected.type());
    CHECK(mapped.shape() == expected.shape());
    CHECK(std::ranges::equal(mapped.bytes(), expected.bytes()));
  }
  for (std::string const type : {"<u2", "<u4", "<u8"}) {
    write_bytes(path, npy_bytes(type, "(1,)", std::string(static_cast<std::size_t>(type[2] - '0'), '\1')));
    auto const text = thrown<io_error>([&] { static_cast<void>(io::detail::map_npy_any(path)); });
    CHECK(names(text, "'" + type + "'", type == "<u2" ? "int32" : "int64", "astype"));
  }
  for (std::string const type : {"|O", "<c8"}) {
    write_bytes(path, npy_bytes(type, "(1,)", std::string(8, '\1')));
    CHECK(thrown<io_error>([&] { static_cast<void>(io::detail::map_npy_any(path)); }) ==
          thrown<io_error>([&] { static_cast<void>(io::detail::read_npy_any(path)); }));
  }
  write_bytes(path, npy_bytes("<f4", "(2, 2)", std::string(16, '\1'), "True"));
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::detail::map_npy_any(path)); }), "Fortran order"));
  write_bytes(path, npy_bytes(">f4", "(2, 2)", std::string(16, '\1')));
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::detail::map_npy_any(path)); }), "is big-endian",
              "io::read_npy"));
}
