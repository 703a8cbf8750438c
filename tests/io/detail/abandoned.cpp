// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/scratch.hpp"

#include <glt/io/detail/atomic_folder.hpp>

#include <filesystem>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

// A folder as a killed process leaves it.
void leave(std::filesystem::path const& folder) {
  std::filesystem::create_directories(folder / "inner" / "deep");
  write_bytes(folder / "inner" / "file", "bytes");
  write_bytes(folder / io::detail::partial_mark, "");
}

} // namespace

TEST_CASE("what nobody works in any more is removed, and nothing else") {
  scratch_folder const scratch;
  auto const target = scratch / "parts";
  io::detail::atomic_folder const alive(target);
  CHECK(alive.path() == scratch / "parts.glt-partial0");
  for (char const* const name : {"parts.glt-partial1", "parts.glt-partial12.removed", "parts.glt-partial7",
                                 "parts.partial0", "other.glt-partial1"}) {
    leave(scratch / name);
  }
  for (char const* const name :
       {"parts.glt-partial2", "parts.glt-partial1.mine", "parts.glt-partial0.scratch-1", "parts.glt-partial7.scratch-0",
        "parts.glt-partial", "parts.glt-partialx", "parts.part", "parts"}) {
    std::filesystem::create_directories(scratch / name / "inner"); // somebody's own
  }
  write_bytes(scratch / "parts.glt-partial3", "a file");
  std::filesystem::create_directory_symlink(scratch / "other.glt-partial1", scratch / "parts.glt-partial4");
  std::filesystem::create_directories(scratch / "parts.glt-partial5" / io::detail::partial_mark);
  std::filesystem::create_directory(scratch / "parts.partial1");     // an empty one of somebody
  std::filesystem::create_directory(scratch / "parts.glt-partial6"); // one that was not marked yet
  std::vector<std::filesystem::path> const abandoned{scratch / "parts.glt-partial1",
                                                     scratch / "parts.glt-partial12.removed",
                                                     scratch / "parts.glt-partial6", scratch / "parts.glt-partial7"};
  CHECK(io::detail::remove_abandoned(target / "") == abandoned);
  CHECK(scratch.num_entries() == 15);
  CHECK(io::detail::remove_abandoned(target).empty());
  CHECK(io::detail::remove_abandoned(scratch / "nowhere" / "parts").empty());
}

TEST_CASE("a folder is removed once its process has let go of it") {
  scratch_folder const scratch;
  leave(scratch / "parts.glt-partial0");
  {
    io::detail::folder_lock const lock(scratch / "parts.glt-partial0");
    CHECK(lock.outcome() == io::detail::folder_lock::state::held);
    CHECK(io::detail::remove_abandoned(scratch / "parts").empty());
  }
  CHECK(io::detail::remove_abandoned(scratch / "parts").size() == 1);
  CHECK(scratch.num_entries() == 0);
}
