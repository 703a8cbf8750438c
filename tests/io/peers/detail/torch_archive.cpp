// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/io/peers/detail/torch_archive.hpp>

#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/pickle_writer.hpp"

#include <filesystem>
#include <string>

using glt::io::detail::torch_archive;
using glt_test::names;

namespace {

std::string refused(std::filesystem::path const& path) {
  return glt_test::thrown<glt::io_error>([&] { torch_archive const archive(path); });
}

} // namespace

TEST_CASE("Files of an archive are read by their names, whatever its folder is called") {
  glt_test::scratch_folder const dir;
  for (std::string const folder : {"archive", "node_pb", "a b"}) {
    auto const path = dir / "x.pt";
    glt_test::write_archive(
        path,
        {{folder + "/data.pkl", "pickle"}, {folder + "/data/0", std::string(70000, 'a')}, {folder + "/empty", ""}});
    torch_archive const archive(path);
    CHECK(archive.has("data/0"));
    CHECK_FALSE(archive.has("data/1"));
    CHECK(archive.size("data/0") == 70000);
    auto const bytes = archive.read("data.pkl");
    CHECK(std::string(reinterpret_cast<char const*>(bytes.data()), 6) == "pickle");
    CHECK(archive.read("data/0").size() == 70000);
    CHECK(archive.read("empty").empty());
    CHECK(names(glt_test::thrown<glt::io_error>([&] { static_cast<void>(archive.read("data/1")); }), "x.pt",
                "no file data/1"));
  }
}

TEST_CASE("Archives of other things are refused") {
  glt_test::scratch_folder const dir;
  auto const path = dir / "x.pt";
  CHECK(names(refused(path), "no such file"));
  glt_test::write_bytes(path, "PK\3\4 and no more");
  CHECK(names(refused(path), "no whole archive"));
  glt_test::write_archive(path, {{"data.pkl", "x"}});
  CHECK(names(refused(path), "no data.pkl in a folder"));
  glt_test::write_archive(path, {{"a/b/data.pkl", "x"}});
  CHECK(names(refused(path), "no data.pkl in a folder"));
}

TEST_CASE("Compressed and damaged files of an archive are refused") {
  glt_test::scratch_folder const dir;
  auto const path = dir / "x.pt";
  glt_test::write_archive(path, {{"archive/data.pkl", std::string(100000, 'a')}}, true);
  {
    torch_archive const archive(path);
    CHECK(names(glt_test::thrown<glt::io_error>([&] { static_cast<void>(archive.read("data.pkl")); }), "compressed"));
  }
  glt_test::write_archive(path, {{"archive/data.pkl", "here are the bytes"}});
  auto bytes = glt_test::read_bytes(path);
  bytes[bytes.find("the bytes")] ^= 1;
  glt_test::write_bytes(path, bytes);
  torch_archive const archive(path);
  CHECK(names(glt_test::thrown<glt::io_error>([&] { static_cast<void>(archive.read("data.pkl")); }), "x.pt/data.pkl",
              "damaged"));
}

TEST_CASE("No cut of an archive is taken for a whole one") {
  glt_test::scratch_folder const dir;
  auto const path = dir / "x.pt";
  glt_test::write_archive(path, {{"archive/data.pkl", "pickle"}, {"archive/data/0", "elements"}});
  auto const bytes = glt_test::read_bytes(path);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    glt_test::write_bytes(path, bytes.substr(0, length));
    CHECK(refused(path) != "(nothing was thrown)");
  }
}
