// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/parts/detail/parts_files.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

using namespace glt;
using namespace glt_test;

TEST_CASE("sums are those of XXH3") {
  CHECK(io::detail::checksum_text(io::detail::checksum().value()) ==
        "2d06800538d394c2"); // of nothing, as its authors publish
  scratch_folder const scratch;
  write_bytes(scratch / "a", "glt");
  io::detail::checksum sum;
  sum.add("glt", 3);
  CHECK(io::detail::checksum_of_file(scratch / "a") == sum.value());
  CHECK(sum.value() == XXH3_64bits("glt", 3));
}

TEST_CASE("the sum does not depend on the pieces") {
  std::string bytes;
  for (int i = 0; i < 3'000'000; ++i) {
    bytes += static_cast<char>(i * 7 % 253);
  }
  scratch_folder const scratch;
  write_bytes(scratch / "a", bytes);
  auto const wanted = XXH3_64bits(bytes.data(), bytes.size());
  CHECK(io::detail::checksum_of_file(scratch / "a") == wanted);
  for (std::size_t const piece : {1UL, 255UL, 4096UL, 1000003UL}) {
    io::detail::checksum sum;
    sum.add(nullptr, 0);
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      sum.add(bytes.data() + at, static_cast<std::int64_t>(std::min(piece, bytes.size() - at)));
    }
    CHECK(sum.value() == wanted);
  }
}

TEST_CASE("a sum is 16 small hexadecimal digits and nothing else") {
  for (std::uint64_t const sum : {std::uint64_t{0}, std::uint64_t{0x0123456789abcdef}, ~std::uint64_t{0}}) {
    CHECK(io::detail::parse_checksum(io::detail::checksum_text(sum)) == sum);
  }
  CHECK(io::detail::checksum_text(0x0123456789abcdef) == "0123456789abcdef");
  for (char const* text :
       {"", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF", "0x23456789abcdef", "-123456789abcdef"}) {
    CHECK_FALSE(io::detail::parse_checksum(text));
  }
}

TEST_CASE("a file that is not there has no sum") {
  scratch_folder const scratch;
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::detail::checksum_of_file(scratch / "no")); }), "/no",
              "no such file"));
}
