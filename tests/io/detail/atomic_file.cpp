// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/detail/atomic_file.hpp>

#include <filesystem>
#include <string>

namespace fs = std::filesystem;
using namespace glt;
using namespace glt_test;

TEST_CASE("a file appears when it is committed, and replaces the one before it") {
  scratch_folder const scratch;
  write_bytes(scratch / "a", "old");
  {
    io::detail::atomic_file file(scratch / "a");
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
    io::detail::atomic_file first(scratch / "a");
    io::detail::atomic_file second(scratch / "a"); // under way at the same time
    first.write("x", 1);
    CHECK(scratch.num_entries() == 2);
  }
  CHECK(scratch.num_entries() == 0);
}

TEST_CASE("a file whose name is taken by a folder leaves nothing") {
  scratch_folder const scratch;
  std::filesystem::create_directories(scratch / "a/b");
  CHECK(names(thrown<io_error>([&] {
                io::detail::atomic_file file(scratch / "a");
                file.commit();
              }),
              "/a", "cannot be given its name"));
  CHECK(scratch.num_entries() == 1);
}

TEST_CASE("a file in a folder that does not exist cannot be created") {
  scratch_folder const scratch;
  CHECK(names(thrown<io_error>([&] { io::detail::atomic_file const file(scratch / "no/a"); }), "no/a",
              "cannot be created"));
  CHECK(scratch.num_entries() == 0);
}

TEST_CASE("a folder appears when it is committed") {
  scratch_folder const scratch;
  for (char const* name : {"plain", "with separator/"}) {
    CAPTURE(name);
    io::detail::atomic_folder folder(scratch / name);
    write_bytes(folder.make_folder("inner") / "a", "x");
    CHECK_FALSE(std::filesystem::exists(scratch / name));
    folder.commit();
    CHECK(read_bytes(scratch / name / "inner/a") == "x");
  }
  CHECK(scratch.num_entries() == 2);
}

TEST_CASE("a folder that was removed while it was under way does not appear, though another one has its name") {
  scratch_folder const scratch;
  {
    io::detail::atomic_folder folder(scratch / "parts");
    fs::remove_all(folder.path());
    CHECK(names(thrown<io_error>([&] { folder.commit(); }), "parts"));
    fs::create_directory(folder.path());
    write_bytes(folder.path() / "rest", "of it");
    CHECK(names(thrown<io_error>([&] { folder.commit(); }), "parts", "removed meanwhile"));
  }
  CHECK(scratch.num_entries() == 0);
}

TEST_CASE("an empty folder may be there before, anything else stays as it is") {
  scratch_folder const scratch;
  std::filesystem::create_directory(scratch / "empty");
  {
    io::detail::atomic_folder folder(scratch / "empty");
    write_bytes(folder.path() / "a", "x");
    folder.commit();
  }
  CHECK(read_bytes(scratch / "empty/a") == "x");
  write_bytes(scratch / "file", "");
  for (char const* taken : {"empty", "file"}) {
    CHECK(names(thrown<io_error>([&] { io::detail::atomic_folder const folder(scratch / taken); }), taken,
                "is there already", "choose another"));
    CHECK(names(thrown<io_error>([&] { io::detail::check_new_folder(scratch / taken); }), taken, "is there already"));
  }
  io::detail::check_new_folder(scratch / "new");
  CHECK(scratch.num_entries() == 2);
}

TEST_CASE("a folder that is given up or cannot be created leaves nothing") {
  scratch_folder const scratch;
  {
    io::detail::atomic_folder folder(scratch / "a");
    write_bytes(folder.make_folder("inner") / "b", "x");
    CHECK(names(thrown<io_error>([&] { static_cast<void>(folder.make_folder("no/inner")); }), "a/no/inner"));
  }
  CHECK(names(thrown<io_error>([&] { io::detail::atomic_folder const folder(scratch / "no/a"); }), "no/a",
              "cannot be created"));
  CHECK(scratch.num_entries() == 0);
  {
    io::detail::atomic_folder folder(scratch / "a");
    write_bytes(scratch / "a", "somebody was faster");
    CHECK(names(thrown<io_error>([&] { folder.commit(); }), "/a", "cannot be given its name"));
  }
  CHECK(scratch.num_entries() == 1);
}

TEST_CASE("a place where nothing can be is told before the work") {
  scratch_folder const scratch;
  auto const fault = [](std::filesystem::path const& path) {
    return thrown<io_error>([&] { io::detail::check_place(path); });
  };
  CHECK(names(fault(""), "the name is empty"));
  CHECK(names(fault(scratch / "no" / "a"), "no/a", "no is no folder; make it"));
  CHECK(names(fault(scratch / std::string(300, 'a')), "a name of 300 bytes"));
  CHECK_NOTHROW(io::detail::check_place(scratch / "a"));
  CHECK_NOTHROW(io::detail::check_place("a"));
  CHECK(names(thrown<io_error>([&] { io::detail::check_new_folder(scratch / "no" / "a" / ""); }), "no is no folder"));
}
