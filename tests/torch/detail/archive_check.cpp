// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/torch/detail/archive_check.hpp>

#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

using glt_test::names;

namespace {

std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    text += static_cast<char>(value >> (8 * i) & 255);
  }
  return text;
}

/// An archive of one file "a/b", as large ones are: every number of its directory is in the field of 64 bits.
std::string large_archive(std::string const& data, std::uint32_t sum, std::uint64_t local = 0) {
  auto const name = std::string("a/b");
  auto const first = "PK\3\4" + number(45, 2) + number(0, 4) + number(0, 4) + number(sum, 4) + number(data.size(), 4) +
                     number(data.size(), 4) + number(name.size(), 2) + number(0, 2) + name + data;
  auto const extra = number(7, 2) + number(2, 2) + "xx" + number(1, 2) + number(24, 2) + number(data.size(), 8) +
                     number(data.size(), 8) + number(local, 8);
  auto const entry = "PK\1\2" + number(45, 4) + number(0, 4) + number(0, 4) + number(sum, 4) + number(0xFFFFFFFF, 4) +
                     number(0xFFFFFFFF, 4) + number(name.size(), 2) + number(extra.size(), 2) + number(0, 2) +
                     number(0, 8) + number(0xFFFFFFFF, 4) + name + extra;
  return first + entry + "PK\6\6" + number(44, 8) + number(45, 4) + number(0, 8) + number(1, 8) + number(1, 8) +
         number(entry.size(), 8) + number(first.size(), 8) + "PK\6\7" + number(0, 4) +
         number(first.size() + entry.size(), 8) + number(1, 4) + "PK\5\6" + number(0, 4) + number(0xFFFF, 2) +
         number(0xFFFF, 2) + number(0xFFFFFFFF, 4) + number(0xFFFFFFFF, 4) + number(0, 2);
}

std::string fault(std::string const& bytes) {
  return glt_test::thrown<glt::io_error>([&] { glt::detail::archive_check(bytes, "net.pt").run(); });
}

} // namespace

TEST_CASE("checksums are those of other programs") {
  CHECK(glt::detail::crc32_of("") == 0);
  CHECK(glt::detail::crc32_of("a") == 0xE8B7BE43);
  CHECK(glt::detail::crc32_of("123456789") == 0xCBF43926);
  CHECK(glt::detail::crc32_of(std::string(1000, 'z')) == 0x0C96666E);
}

TEST_CASE("large archives are read by their numbers of 64 bits") {
  std::string const data = "one two three four";
  auto const sum = glt::detail::crc32_of(data);
  CHECK(fault(large_archive(data, sum)) == "(nothing was thrown)");
  CHECK(names(fault(large_archive(data, sum + 1)), "net.pt", "the bytes of a/b are not those that were written"));
  for (std::uint64_t const local : {1ULL, 40ULL, 1ULL << 40, ~0ULL - 1}) {
    CHECK(names(fault(large_archive(data, sum, local)), "net.pt", "is damaged"));
  }
  auto const whole = large_archive(data, sum);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK(names(fault(whole.substr(0, size)), "net.pt", "damaged"));
  }
}
