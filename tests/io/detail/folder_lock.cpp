// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/scratch.hpp"

#include <glt/io/detail/atomic_folder.hpp>

#include <filesystem>
#include <utility>

using namespace glt;
using namespace glt_test;
using lock_state = io::detail::folder_lock::state;

TEST_CASE("one object holds a folder at a time, and moving it keeps it") {
  scratch_folder const scratch;
  CHECK(io::detail::folder_lock().outcome() == lock_state::unknown);
  CHECK(io::detail::folder_lock(scratch / "none").outcome() == lock_state::taken);
  {
    io::detail::folder_lock first(scratch.path());
    CHECK(first.outcome() == lock_state::held);
    CHECK(io::detail::folder_lock(scratch.path()).outcome() == lock_state::taken);
    auto const second = std::move(first);
    CHECK(second.outcome() == lock_state::held);
    CHECK(io::detail::folder_lock(scratch.path()).outcome() == lock_state::taken);
    std::filesystem::rename(scratch.path(), scratch.path().string() + "x"); // a name moves with its lock
    CHECK(io::detail::folder_lock(scratch.path().string() + "x").outcome() == lock_state::taken);
    std::filesystem::rename(scratch.path().string() + "x", scratch.path());
  }
  CHECK(io::detail::folder_lock(scratch.path()).outcome() == lock_state::held);
}
