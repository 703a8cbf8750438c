// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/detail/input_file.hpp>

#include <chrono>
#include <filesystem>

using namespace glt_test;
namespace io = glt::io::detail;
namespace fs = std::filesystem;

TEST_CASE("a file that was written to, lengthened, replaced, renamed over or removed differs from before") {
  scratch_folder const scratch;
  auto const file = scratch / "a";
  write_bytes(file, "abc");
  auto const before = io::state_of(file).value();
  CHECK(before.size == 3);
  CHECK(io::state_of(file) == before);

  auto const later = fs::last_write_time(file) + std::chrono::seconds(1);
  fs::last_write_time(file, later);
  auto now = io::state_of(file);
  CHECK(now != before);
  CHECK_FALSE(now->same_bytes(before));
  CHECK(names(io::describe_change(before, now), "written to"));

  write_bytes(file, "abcde");
  now = io::state_of(file);
  CHECK_FALSE(now->same_bytes(before));
  CHECK(names(io::describe_change(before, now), "5 bytes instead of 3"));

  write_bytes(scratch / "b", "xyz");
  fs::rename(scratch / "b", file);
  now = io::state_of(file);
  CHECK(now != before);
  CHECK(names(io::describe_change(before, now), "another file"));

  fs::remove(file);
  now = io::state_of(file);
  CHECK_FALSE(now.has_value());
  CHECK(names(io::describe_change(before, now), "not there"));
}

TEST_CASE("a change of owner, permissions or names is seen, and known to leave the bytes") {
  io::file_state const before{.device = 1, .number = 2, .size = 3, .written = 4, .changed = 5};
  auto now = before;
  now.changed = 6;
  CHECK(now != before);
  CHECK(now.same_bytes(before));
  CHECK(names(io::describe_change(before, now), "permissions"));
}

TEST_CASE("a file is fresh for a moment") {
  scratch_folder const scratch;
  write_bytes(scratch / "a", "abc");
  auto state = io::state_of(scratch / "a").value();
  state.changed -= 1000000000;
  CHECK_FALSE(io::is_fresh(state));
  state.changed += 1000000000000;
  CHECK_FALSE(io::is_fresh(state)); // the clock of another machine
  state.changed =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  CHECK(io::is_fresh(state));
}
