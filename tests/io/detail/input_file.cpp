// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/detail/input_file.hpp>

#include <chrono>
#include <filesystem>
#include <string>

using namespace glt;
using namespace glt_test;

TEST_CASE("bytes come in order and the position follows") {
  scratch_folder const scratch;
  write_bytes(scratch / "a", std::string("abc\0efg", 7));
  io::detail::input_file file(scratch / "a");
  CHECK(file.size() == 7);
  std::string text(4, '?');
  file.read(text.data(), 4);
  CHECK(text == std::string("abc\0", 4));
  CHECK(file.position() == 4);
  file.read(text.data(), 0);
  file.read(text.data(), 3);
  CHECK(text == std::string("efg\0", 4));
  CHECK(file.position() == file.size());
  file.seek(1);
  CHECK(file.position() == 1);
  file.read(text.data(), 2);
  CHECK(text == std::string("bcg\0", 4));
}

TEST_CASE("what cannot be opened is named") {
  scratch_folder const scratch;
  auto const open = [&](std::string const& name) {
    return thrown<io_error>([&] { io::detail::input_file const file(scratch / name); });
  };
  CHECK(names(open("missing"), "missing", "there is no such file"));
  CHECK(names(open(""), scratch.path().string(), "not a regular file"));
  write_bytes(scratch / "file", "x");
  CHECK(open("file/inside").find("(nothing") == std::string::npos);
}

TEST_CASE("a file that was changed before its last byte was read says so with that") {
  scratch_folder const scratch;
  write_bytes(scratch / "a", "123456");
  io::detail::input_file file(scratch / "a");
  char bytes[9];
  file.read(bytes, 3);
  std::filesystem::last_write_time(scratch / "a",
                                   std::filesystem::last_write_time(scratch / "a") + std::chrono::seconds(1));
  file.read(bytes, 2);
  CHECK(names(thrown<io_error>([&] { file.read(bytes, 1); }), (scratch / "a").string(), "changed while it was read",
              "written to"));
  std::filesystem::remove(scratch / "a"); // leaves the bytes to those who read them
  write_bytes(scratch / "b", "123456");
  io::detail::input_file removed(scratch / "b");
  std::filesystem::remove(scratch / "b");
  CHECK_NOTHROW(removed.read(bytes, 6));
}

TEST_CASE("a file that ends early says where") {
  scratch_folder const scratch;
  write_bytes(scratch / "short", "12345");
  io::detail::input_file file(scratch / "short");
  char bytes[9];
  file.read(bytes, 2);
  try {
    file.read(bytes, 9);
    FAIL("read beyond the end");
  } catch (io_error const& error) {
    CHECK(error.offset() == 5);
    CHECK(error.path() == (scratch / "short").string());
    CHECK(names(error.what(), "ends 6 bytes early"));
  }
}
