// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/attachment.hpp>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

TEST_CASE("a port is read from the file of its owner, who alone can read it") {
  glt_test::scratch_folder const folder;
  auto const path = folder.path() / "port";
  std::array<char, 64> const name{"some:port"};
  auto const of_others = {path.string() + ".partial0", path.string() + "." + std::to_string(::getpid())};
  for (auto const& file : of_others) {
    std::ofstream(file) << "kept";
  }
  glt::detail::write_port_file(path, name);
  for (auto const& file : of_others) {
    CHECK(std::filesystem::file_size(file) == 4);
  }
  CHECK(std::filesystem::status(path.string() + ".partial1").type() == std::filesystem::file_type::not_found);
  CHECK(std::filesystem::status(path).permissions() ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  std::array<char, 64> read{};
  glt::detail::read_port_file(path, std::chrono::seconds(1), read);
  CHECK(std::string(read.data()) == "some:port");
  std::array<char, 9> small{};
  CHECK(glt_test::names(
      glt_test::thrown<glt::error>([&] { glt::detail::read_port_file(path, std::chrono::seconds(1), small); }),
      "does not hold the name of a port"));
  auto const elsewhere = folder.path() / "odd";
  auto const refusal = [&] {
    auto const begun = std::chrono::steady_clock::now();
    auto const text =
        glt_test::thrown<glt::error>([&] { glt::detail::read_port_file(elsewhere, std::chrono::seconds(60), read); });
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(30));
    return text;
  };
  REQUIRE(::mkfifo(elsewhere.c_str(), 0600) == 0); // nobody writes to it
  CHECK(glt_test::names(refusal(), elsewhere.string(), "no regular file"));
  std::filesystem::remove(elsewhere);
  std::filesystem::create_directory(elsewhere);
  CHECK(glt_test::names(refusal(), elsewhere.string(), "no regular file"));
  std::filesystem::remove(elsewhere);
  for (std::string const text : {"", "garbage", "some:port\n", "glt port: some:port", "glt port: some:port\n\n"}) {
    std::ofstream(elsewhere) << text;
    CHECK(glt_test::names(refusal(), elsewhere.string(), "does not hold the name of a port"));
  }
  glt::detail::remove_port_file(path);
  CHECK(!std::filesystem::exists(path));
  CHECK(glt_test::names(
      glt_test::thrown<glt::error>([&] { glt::detail::read_port_file(path, std::chrono::milliseconds(60), read); }),
      "is not there after 0.06 s", "start the servers first"));
  CHECK(glt_test::names(
      glt_test::thrown<glt::error>([&] { glt::detail::write_port_file(folder.path() / "none" / "port", name); }),
      "none is no folder"));
  std::thread late([&] { // a file that appears within the patience is read
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
    glt::detail::write_port_file(path, name);
  });
  read = {};
  glt::detail::read_port_file(path, std::chrono::seconds(60), read);
  late.join();
  CHECK(std::string(read.data()) == "some:port");
  if (std::filesystem::exists("/proc/self")) {
    CHECK(glt_test::names(glt_test::thrown<glt::error>([&] { glt::detail::write_port_file("/proc/port", name); }),
                          "/proc/port: cannot be written"));
  }
  std::filesystem::create_symlink(folder.path() / "victim", folder.path() / "link");
  for (auto const& taken : {folder.path() / "link", std::filesystem::path("/dev/null")}) {
    CHECK(glt_test::names(glt_test::thrown<glt::error>([&] { glt::detail::write_port_file(taken, name); }),
                          "cannot be created: it is"));
  }
  CHECK(std::filesystem::is_character_file("/dev/null"));
}
