// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/detail/atomic_folder.hpp>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace fs = std::filesystem;
using namespace glt;
using namespace glt_test;

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
  CHECK(read_bytes(scratch / "parts.glt-partial0/rest") == "of it"); // somebody else's
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

TEST_CASE("a folder bears its mark until it is complete") {
  scratch_folder const scratch;
  {
    io::detail::atomic_folder folder(scratch / "a");
    CHECK(fs::is_regular_file(folder.path() / io::detail::partial_mark));
    write_bytes(folder.path() / "b", "x");
    folder.commit();
  }
  CHECK(files_of(scratch.path()).size() == 1);
}

TEST_CASE("names that others have taken beside a folder are passed over") {
  scratch_folder const scratch;
  fs::create_directory(scratch / "a.glt-partial0");
  write_bytes(scratch / "a.glt-partial1", "a file");
  fs::create_symlink(scratch / "nowhere", scratch / "a.glt-partial2");
  io::detail::atomic_folder folder(scratch / "a");
  CHECK(folder.path() == scratch / "a.glt-partial3");
  folder.commit();
  CHECK(scratch.num_entries() == 4);
}

TEST_CASE("a folder that could not get its name is refused before the work") {
  scratch_folder const scratch;
  fs::create_directory(scratch / "empty");
  fs::create_symlink(scratch / "nowhere", scratch / "dangling");
  fs::create_directory_symlink(scratch / "empty", scratch / "link");
  auto const fault = [](fs::path const& path) { return thrown<io_error>([&] { io::detail::check_new_folder(path); }); };
  CHECK(names(fault(scratch / "no" / "a" / ""), "no is no folder"));
  CHECK(names(fault(scratch / "dangling"), "dangling", "symbolic link, which is not followed"));
  CHECK(names(fault(scratch / "link"), "link", "symbolic link, which is not followed"));
  CHECK(names(fault(scratch / "link" / ""), "link", "symbolic link, which is not followed"));
  for (char const* const name : {".", "..", "/", "empty/.", "./"}) {
    CHECK(names(fault(name), "cannot be created: it is a folder that cannot be replaced"));
  }
  CHECK(names(fault("/proc"), "/proc", "root of a file system"));
  CHECK(names(thrown<io_error>([&] { io::detail::atomic_folder const folder(scratch / "link"); }), "symbolic link"));
  CHECK(scratch.num_entries() == 3);
}

TEST_CASE("folders are made in a folder that exists, which is never made again") {
  scratch_folder const scratch;
  auto const base = scratch / "base";
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::detail::make_folders(base, "a/b")); }), "base/a",
              "cannot be created"));
  CHECK_FALSE(fs::exists(base));
  fs::create_directory(base);
  for (int turn = 0; turn < 2; ++turn) { // they may be there already
    CHECK(io::detail::make_folders(base, "a/b") == base / "a" / "b");
    CHECK(fs::is_directory(base / "a" / "b"));
  }
}

TEST_CASE("while another thread keeps folders from being made, none is there") {
  scratch_folder const scratch;
  std::optional<std::scoped_lock<std::mutex>> hold(io::detail::making_of_folders);
  std::atomic<bool> made = false;
  std::thread other([&] {
    io::detail::atomic_folder const folder(scratch / "folder");
    made = true;
    CHECK(scratch.num_entries() == 1);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK_FALSE(made);
  CHECK(scratch.num_entries() == 0);
  hold.reset();
  other.join();
  CHECK(made);
}
