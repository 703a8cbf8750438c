// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/array/detail/mapped_file.hpp>
#include <glt/io/detail/input_watch.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

using namespace glt;
using namespace glt_test;
using io::detail::input_watch;

TEST_CASE("files are as they were until one is changed, at once and however little") {
  scratch_folder const scratch;
  write_bytes(scratch / "a", "abc");
  write_bytes(scratch / "b", "abc");
  input_watch watch;
  watch.check();
  watch.add(scratch / "a");
  watch.add(scratch / "b");
  watch.check();
  read_bytes(scratch / "b");
  watch.check();
  write_bytes(scratch / "b", "abd");
  CHECK(names(thrown<io_error>([&] { watch.check(); }), (scratch / "b").string(), "was changed while it was read",
              "written to", "start again"));
  input_watch const none;
  none.check();
}

TEST_CASE("a file that was replaced or removed is named") {
  scratch_folder const scratch;
  write_bytes(scratch / "a", "abc");
  write_bytes(scratch / "b", "abc");
  input_watch watch;
  watch.add(scratch / "a");
  std::filesystem::rename(scratch / "b", scratch / "a");
  CHECK(names(thrown<io_error>([&] { watch.check(); }), "another file has its name"));
  std::filesystem::remove(scratch / "a");
  CHECK(names(thrown<io_error>([&] { watch.check(); }), "not there any more"));
  CHECK(names(thrown<io_error>([&] { watch.add(scratch / "a"); }), "no such file"));
}

TEST_CASE("a change is thrown rather than what came of it") {
  scratch_folder const scratch;
  write_bytes(scratch / "a", "abc");
  input_watch watch;
  watch.add(scratch / "a");
  auto const fails = [] { throw std::runtime_error("came of it"); };
  CHECK(thrown<std::runtime_error>([&] { io::detail::with_inputs(&watch, fails); }) == "came of it");
  CHECK(thrown<std::runtime_error>([&] { io::detail::with_inputs(nullptr, fails); }) == "came of it");
  int calls = 0;
  io::detail::with_inputs(&watch, [&] { ++calls; });
  write_bytes(scratch / "a", "abcd");
  CHECK(names(thrown<io_error>([&] { io::detail::with_inputs(&watch, fails); }), "4 bytes instead of 3"));
  CHECK(names(thrown<io_error>([&] { io::detail::with_inputs(&watch, [&] { ++calls; }); }), "4 bytes"));
  CHECK(calls == 2);
}

#if defined(__linux__)
TEST_CASE("a watched mapping outlives its file's end, and so does the watch its mapping") {
  scratch_folder const scratch;
  write_bytes(scratch / "a", std::string(100000, '\1'));
  auto const watch = std::make_shared<input_watch>();
  {
    io::detail::mapped_file const file(scratch / "a", {.watch = watch});
    CHECK(file.data()[99999] == std::byte{1});
    std::filesystem::resize_file(scratch / "a", 10);
    CHECK(*static_cast<std::byte const volatile*>(file.data() + 99999) == std::byte{0});
    CHECK(names(thrown<io_error>([&] { watch->check(); }), "10 bytes instead of 100000"));
  }
  CHECK(names(thrown<io_error>([&] { watch->check(); }), "10 bytes instead of 100000"));
}

TEST_CASE("pages that are lost though the file is as it was are told") {
  scratch_folder const scratch;
  write_bytes(scratch / "a", std::string(100000, '\1'));
  write_bytes(scratch / "b", std::string(100000, '\1'));
  io::detail::mapped_file file(scratch / "a");
  input_watch watch;
  watch.add(scratch / "b");
  watch.guard(file.data(), file.size()); // as if it were the mapping of the other one
  watch.check();
  std::filesystem::resize_file(scratch / "a", 0);
  CHECK(*static_cast<std::byte volatile*>(file.data()) == std::byte{0});
  auto const lost = [&] { return thrown<io_error>([&] { watch.check(); }); };
  CHECK(names(lost(), (scratch / "b").string(), "could not be read", "disk"));
  watch.release(file.data());
  CHECK(names(lost(), "could not be read"));
}
#endif
