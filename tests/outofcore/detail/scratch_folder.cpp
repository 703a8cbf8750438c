// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/outofcore/detail/parts.hpp>

#include <filesystem>

TEST_CASE("a folder for scratch goes away with what is in it, and is never one that others use") {
  glt_test::scratch_folder const around;
  {
    glt::io::detail::scratch_folder const scratch(around / "scratch");
    CHECK(scratch.path() == around / "scratch");
    std::filesystem::create_directories(scratch.path() / "deep/down");
    glt_test::write_bytes(scratch.path() / "deep/file", "bytes");
    CHECK(glt_test::names(glt_test::thrown<glt::io_error>([&] { glt::io::detail::scratch_folder(around / "scratch"); }),
                          "scratch", "is there already"));
    CHECK(std::filesystem::exists(scratch.path() / "deep/file"));
  }
  CHECK(around.num_entries() == 0);
  CHECK(glt_test::names(glt_test::thrown<glt::io_error>([&] { glt::io::detail::scratch_folder(around / "a/b"); }),
                        "a/b", "cannot be created"));
}
