// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archives.hpp"
#include "support/errors.hpp"

#include <glt/io/array/detail/npz.hpp>

#include <cstddef>
#include <string>

using namespace glt;
using namespace glt_test;

namespace {

std::string read(std::string const& bytes) {
  io::detail::memory_source source({reinterpret_cast<std::byte const*>(bytes.data()), std::ssize(bytes)}, "format.npy");
  return io::detail::read_npy_string(source);
}

std::string fault_of(std::string const& bytes) {
  return thrown<io_error>([&] { static_cast<void>(read(bytes)); });
}

} // namespace

TEST_CASE("a single string of either type is read without its padding") {
  CHECK(read(npy_bytes("|S3", "()", "csr")) == "csr");
  CHECK(read(npy_bytes("|S5", "(1,)", std::string("csr\0\0", 5))) == "csr");
  CHECK(read(npy_bytes("<U3", "()", std::string("c\0\0\0s\0\0\0r\0\0\0", 12))) == "csr");
  CHECK(read(npy_bytes("<U2", "()", std::string("c\0\0\0\0\0\0\0", 8))) == "c");
}

TEST_CASE("what is no single string is refused") {
  CHECK(names(fault_of(npy_bytes("<i8", "()", std::string(8, 'x'))), "format.npy", "'<i8'", "single string"));
  CHECK(names(fault_of(npy_bytes("|S3", "(2,)", "csrcsc")), "shape (2,)", "single string"));
  CHECK(names(fault_of(npy_bytes("|S0", "()", "")), "single string"));
  CHECK(names(fault_of(npy_bytes("|S99999999999999999999", "()", "csr")), "single string"));
  CHECK(names(fault_of(npy_bytes("<U1000000000", "()", "csr")), "single string"));
  CHECK(names(fault_of(npy_bytes("|S3", "()", "cs")), "too few"));
  CHECK(names(fault_of(npy_bytes("|S3", "()", "c\xC3\xA4")), "not ASCII"));
  CHECK(names(fault_of(npy_bytes("<U1", "()", std::string("c\1\0\0", 4))), "not ASCII"));
}
