// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/core/detail/atomic_file.hpp>

#include <filesystem>
#include <iterator>
#include <string>
#include <utility>

namespace fs = std::filesystem;
using namespace glt;
using namespace glt_test;

TEST_CASE("a file appears when it is committed, and replaces the one before it") {
  scratch_folder const scratch;
  write_bytes(scratch / "a", "old");
  {
    detail::atomic_file file(scratch / "a");
    file.write("newer", 5);
    CHECK(read_bytes(scratch / "a") == "old");
    file.commit();
  }
  CHECK(read_bytes(scratch / "a") == "newer");
  CHECK(scratch.num_entries() == 1);
}

TEST_CASE("a file that is given up leaves nothing") {
  scratch_folder const scratch;
  {
    detail::atomic_file first(scratch / "a");
    detail::atomic_file second(scratch / "a"); // under way at the same time
    first.write("x", 1);
    CHECK(scratch.num_entries() == 2);
  }
  CHECK(scratch.num_entries() == 0);
}

TEST_CASE("a file whose name is taken by a folder leaves nothing") {
  scratch_folder const scratch;
  std::filesystem::create_directories(scratch / "a/b");
  CHECK(names(thrown<io_error>([&] {
                detail::atomic_file file(scratch / "a");
                file.commit();
              }),
              "/a", "it is a folder"));
  CHECK(scratch.num_entries() == 1);
}

TEST_CASE("a file in a folder that does not exist cannot be created") {
  scratch_folder const scratch;
  CHECK(
      names(thrown<io_error>([&] { detail::atomic_file const file(scratch / "no/a"); }), "no/a", "cannot be created"));
  CHECK(scratch.num_entries() == 0);
}

TEST_CASE("no link is followed, neither of the name nor of a temporary one") {
  scratch_folder const scratch;
  write_bytes(scratch / "victim", "theirs");
  fs::create_symlink(scratch / "victim", scratch / "link");
  fs::create_symlink(scratch / "nowhere", scratch / "dangling");
  for (char const* const name : {"link", "dangling"}) {
    CHECK(names(thrown<io_error>([&] { detail::write_file(scratch / name, "mine"); }), name,
                "it is a symbolic link, which is not followed"));
  }
  for (char const* const name : {"a.partial", "a.partial0", "a.partial1"}) {
    fs::create_symlink(scratch / "victim", scratch / name);
  }
  detail::write_file(scratch / "a", "mine");
  CHECK(read_bytes(scratch / "a") == "mine");
  CHECK(read_bytes(scratch / "victim") == "theirs");
  CHECK_FALSE(fs::exists(scratch / "nowhere"));
  CHECK(scratch.num_entries() == 7);
}

TEST_CASE("what is there and no regular file is not replaced") {
  scratch_folder const scratch;
  fs::create_directory(scratch / "folder");
  for (auto const& [path, what] : {std::pair<fs::path, char const*>{scratch / "folder", "it is a folder"},
                                   {scratch / "new" / "", "it is a folder"},
                                   {scratch / "folder" / "", "it is a folder"},
                                   {scratch / "folder" / ".", "a folder that cannot be replaced"},
                                   {"/dev/null", "there and no regular file"},
                                   {"", "the name is empty"}}) {
    CAPTURE(path);
    CHECK(names(thrown<io_error>([&] { detail::write_file(path, "mine"); }), path.string(), "cannot be created", what));
  }
  CHECK(fs::is_character_file("/dev/null"));
  CHECK(scratch.num_entries() == 1);
  CHECK_FALSE(fs::exists(".partial0"));
}

TEST_CASE("files that are given up are closed") {
  scratch_folder const scratch;
  auto const num_open = [] {
    return fs::exists("/proc/self/fd") ? std::distance(fs::directory_iterator("/proc/self/fd"), {}) : 0;
  };
  auto const before = num_open();
  for (int i = 0; i < 3; ++i) {
    detail::atomic_file(scratch / "a").write("half", 4);
  }
  CHECK(num_open() == before);
  CHECK(scratch.num_entries() == 0);
}

TEST_CASE("a place where nothing can be is told before the work") {
  scratch_folder const scratch;
  auto const fault = [](std::filesystem::path const& path) {
    return thrown<io_error>([&] { detail::check_place(path); });
  };
  CHECK(names(fault(""), "the name is empty"));
  CHECK(names(fault(scratch / "no" / "a"), "no/a", "no is no folder; make it"));
  CHECK(names(fault(scratch / std::string(300, 'a')), "a name of 300 bytes"));
  CHECK(names(fault(scratch / std::string(224, 'a')), "a name of 224 bytes; choose one of 223 or fewer"));
  detail::write_file(scratch / std::string(223, 'a'), "room for temporary names");
  CHECK_NOTHROW(detail::check_place(scratch / "a"));
  CHECK_NOTHROW(detail::check_place("a"));
  CHECK(names(fault("."), "it is a folder that cannot be replaced"));
}
