// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/array/detail/mapped_file.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

using namespace glt;
using namespace glt_test;

TEST_CASE("the bytes of a file are there, in every way of mapping") {
  scratch_folder const scratch;
  for (std::int64_t const size : {0, 1, 4096, 70001, 5 << 20}) {
    std::string bytes;
    for (std::int64_t i = 0; i < size; ++i) {
      bytes += static_cast<char>(i * i % 251);
    }
    write_bytes(scratch / "a", bytes);
    for (bool const populate : {false, true}) {
      io::detail::mapped_file const file(scratch / "a", {.populate = populate, .huge_pages = populate});
      CHECK(file.size() == size);
      CHECK(file.path() == scratch / "a");
      CHECK(std::string(reinterpret_cast<char const*>(file.data()), static_cast<std::size_t>(size)) == bytes);
    }
  }
}

TEST_CASE("what is written to the bytes never reaches the file") {
  scratch_folder const scratch;
  write_bytes(scratch / "a", "unchanged");
  {
    io::detail::mapped_file file(scratch / "a");
    file.data()[0] = std::byte{'X'};
    CHECK(file.data()[0] == std::byte{'X'});
  }
  CHECK(read_bytes(scratch / "a") == "unchanged");
}

TEST_CASE("the bytes stay when the file is removed") {
  scratch_folder const scratch;
  write_bytes(scratch / "a", "still here");
  io::detail::mapped_file const file(scratch / "a");
  std::filesystem::remove(scratch / "a");
  CHECK(file.data()[9] == std::byte{'e'});
}

TEST_CASE("what is no file is refused") {
  scratch_folder const scratch;
  CHECK(names(thrown<io_error>([&] { io::detail::mapped_file const file(scratch / "no"); }), "/no", "no such file"));
  CHECK(names(thrown<io_error>([&] { io::detail::mapped_file const file(scratch.path()); }), "not a regular file"));
}
