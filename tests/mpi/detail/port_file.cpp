// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/detail/port_file.hpp>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <array>
#include <chrono>
#include <filesystem>
#include <string>

TEST_CASE("a port is read from the file of its owner, who alone can read it") {
  glt_test::scratch_folder const folder;
  auto const path = folder.path() / "port";
  std::array<char, 64> const name{"some:port"};
  glt::detail::write_port_file(path, name);
  CHECK(std::filesystem::status(path).permissions() ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  std::array<char, 64> read{};
  glt::detail::read_port_file(path, std::chrono::seconds(1), read);
  CHECK(std::string(read.data()) == "some:port");
  std::array<char, 9> small{};
  CHECK(glt_test::names(
      glt_test::thrown<glt::error>([&] { glt::detail::read_port_file(path, std::chrono::seconds(1), small); }),
      "does not hold the name of a port"));
  glt::detail::remove_port_file(path);
  CHECK(!std::filesystem::exists(path));
  CHECK(glt_test::names(
      glt_test::thrown<glt::error>([&] { glt::detail::read_port_file(path, std::chrono::milliseconds(60), read); }),
      "is not there after 0.06 s", "start the servers first"));
  CHECK(glt_test::names(
      glt_test::thrown<glt::error>([&] { glt::detail::write_port_file(folder.path() / "none" / "port", name); }),
      "cannot be written"));
}
