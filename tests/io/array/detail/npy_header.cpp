// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/array/detail/npy_header.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// The start of a file with this dictionary, as NumPy writes it.
std::string start(std::string const& dictionary, int version = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += static_cast<char>(version);
  bytes += '\0';
  auto length = dictionary.size();
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    bytes += static_cast<char>(length & 0xFF);
    length >>= 8;
  }
  return bytes + dictionary;
}

io::detail::npy_header header_of(std::string const& bytes) {
  scratch_folder const scratch;
  write_bytes(scratch / "a.npy", bytes);
  return io::detail::read_npy_header(scratch / "a.npy");
}

std::string fault_of(std::string const& bytes) {
  return thrown<io_error>([&] { static_cast<void>(header_of(bytes)); });
}

} // namespace

TEST_CASE("type names are NumPy's") {
  CHECK(io::detail::npy_type<std::int32_t>() == "<i4");
  CHECK(io::detail::npy_type<std::int64_t>() == "<i8");
  CHECK(io::detail::npy_type<std::uint16_t>() == "<u2");
  CHECK(io::detail::npy_type<std::uint8_t>() == "|u1");
  CHECK(io::detail::npy_type<std::int8_t>() == "|i1");
  CHECK(io::detail::npy_type<float>() == "<f4");
  CHECK(io::detail::npy_type<double>() == "<f8");
}

TEST_CASE("headers of every version and spelling") {
  for (int version = 1; version <= 3; ++version) {
    auto const bytes = start("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }    \n", version);
    auto const header = header_of(bytes + "data");
    CHECK(header.type == "<f4");
    CHECK(header.shape == std::vector<std::int64_t>{2, 3});
    CHECK_FALSE(header.fortran_order);
    CHECK(header.data_offset == static_cast<std::int64_t>(bytes.size()));
  }
  auto const dense = header_of(start("{\"shape\":(7,),\"fortran_order\":True,\"descr\":\"|u1\"}"));
  CHECK(dense.type == "|u1");
  CHECK(dense.fortran_order);
  CHECK(dense.shape == std::vector<std::int64_t>{7});
  CHECK(header_of(start("{'descr': '<i8', 'fortran_order': False, 'shape': (), }\n")).shape.empty());
}

TEST_CASE("what is no .npy file says what it is instead") {
  CHECK(names(fault_of(""), "has 0 bytes"));
  CHECK(names(fault_of("PK\3\4 an archive, longer than a header"), "does not begin as an .npy file"));
  CHECK(names(fault_of(start("{'descr': '<f4', 'fortran_order': False, 'shape': ()}", 4)), "version 4"));
  auto const whole = start("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n");
  CHECK(names(fault_of(whole.substr(0, 40)), "more than the file"));
}

TEST_CASE("a dictionary that is damaged anywhere is refused") {
  for (char const* dictionary : {"                    ", "{                   }", "{'descr': '<f4', 'shape': (3,)}",
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)",
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} and more",
                                 "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (3,)}",
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}",
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': (x,)}",
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
                                 "{'descr': '<f4', 'fortran_order': False, 'shape': (3",
                                 "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
                                 "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,)}", "{'descr': '<f4",
                                 "{'descr' '<f4', 'fortran_order': False, 'shape': (3,)}", "{'color': 'red'}"}) {
    CAPTURE(dictionary);
    auto const fault = fault_of(start(dictionary));
    CAPTURE(fault);
    CHECK(names(fault, "a.npy", "make the file again"));
  }
}
