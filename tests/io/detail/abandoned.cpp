// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/scratch.hpp"

#include <glt/io/detail/abandoned.hpp>

#include <filesystem>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("what nobody works in any more is removed, and nothing else") {
  scratch_folder const scratch;
  auto const target = scratch / "parts";
  io::detail::atomic_folder const alive(target);
  CHECK(alive.path() == scratch / "parts.partial0");
  for (char const* const name :
       {"parts.partial0.scratch-1", "parts.partial1", "parts.partial1.scratch-0", "parts.partial7.scratch-0",
        "parts.partial", "parts.partialx", "other.partial1", "parts.part", "parts"}) {
    std::filesystem::create_directories(scratch / name / "inner");
  }
  write_bytes(scratch / "parts.partial2", "a file");
  std::filesystem::create_directory_symlink(scratch / "parts", scratch / "parts.partial3");
  std::vector<std::filesystem::path> const abandoned{scratch / "parts.partial1", scratch / "parts.partial1.scratch-0",
                                                     scratch / "parts.partial7.scratch-0"};
  CHECK(io::detail::remove_abandoned(target / "") == abandoned);
  CHECK(scratch.num_entries() == 9);
  CHECK(io::detail::remove_abandoned(target).empty());
  CHECK(io::detail::remove_abandoned(scratch / "nowhere" / "parts").empty());
}

TEST_CASE("a folder is removed once its process has let go of it") {
  scratch_folder const scratch;
  std::filesystem::create_directory(scratch / "parts.partial0");
  {
    io::detail::folder_lock const lock(scratch / "parts.partial0");
    CHECK(lock.outcome() == io::detail::folder_lock::state::held);
    CHECK(io::detail::remove_abandoned(scratch / "parts").empty());
  }
  CHECK(io::detail::remove_abandoned(scratch / "parts").size() == 1);
  CHECK(scratch.num_entries() == 0);
}
