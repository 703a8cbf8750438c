// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archives.hpp"
#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/array/detail/npz.hpp>

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

std::vector<std::int64_t> longs_of(io::array const& array) {
  auto const values = array.values<std::int64_t>();
  return {values.begin(), values.end()};
}

// Reads every member of an archive.
std::string fault_of(std::filesystem::path const& path) {
  return thrown<io_error>([&] {
    io::detail::npz_file file(path);
    for (auto const& name : file.names()) {
      static_cast<void>(file.read(name));
    }
  });
}

// An unsigned number of so many bytes in the text of an archive.
void patch(std::string& bytes, std::size_t at, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) {
    bytes[at + static_cast<std::size_t>(i)] = static_cast<char>(value >> (8 * i) & 0xFF);
  }
}

} // namespace

TEST_CASE("members stored and deflated are read by name, in any order and more than once") {
  scratch_folder const scratch;
  std::vector<std::int64_t> many(5001);
  std::iota(many.begin(), many.end(), -7);
  for (int const method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    CAPTURE(method);
    write_zip(scratch / "a.npz",
              {{"many.npy", npy_longs(many)}, {"none.npy", npy_longs({})}, {"kind.npy", npy_bytes("|S3", "()", "csr")}},
              method);
    io::detail::npz_file file(scratch / "a.npz");
    CHECK(file.names() == std::vector<std::string>{"many", "none", "kind"});
    CHECK(file.contains("none"));
    CHECK(file.unpacked_bytes() ==
          static_cast<double>(npy_longs(many).size() + npy_longs({}).size() + npy_bytes("|S3", "()", "csr").size()));
    CHECK(!file.contains("none.npy"));
    CHECK(file.read("none").empty());
    CHECK(longs_of(file.read("many")) == many);
    CHECK(longs_of(file.read("many")) == many);
    CHECK(file.read_string("kind") == "csr");
    CHECK(names(thrown<io_error>([&] { static_cast<void>(file.read("x")); }), "a.npz", "no array 'x'",
                R"("many", "none", "kind")"));
    CHECK(names(thrown<io_error>([&] { static_cast<void>(file.read("kind")); }), "a.npz/kind.npy", "'|S3'"));
  }
}

TEST_CASE("an archive with the 64-bit fields that numpy.savez always writes is read") {
  auto const array = npy_longs({5, 6});
  auto const crc = crc32(0, reinterpret_cast<Bytef const*>(array.data()), static_cast<uInt>(array.size()));
  std::string local("PK\3\4\x2d\0\0\0\0\0\0\0\x21\0", 14);
  local.resize(30);
  patch(local, 14, crc, 4);
  patch(local, 18, 0xFFFFFFFF, 4);
  patch(local, 22, 0xFFFFFFFF, 4);
  patch(local, 26, 5, 2);
  patch(local, 28, 20, 2);
  std::string extra(20, '\0');
  patch(extra, 0, 1, 2);
  patch(extra, 2, 16, 2);
  patch(extra, 4, array.size(), 8);
  patch(extra, 12, array.size(), 8);
  local += "a.npy" + extra + array;
  std::string central("PK\1\2\x2d\3\x2d\0\0\0\0\0\0\0\x21\0", 16);
  central.resize(46);
  patch(central, 16, crc, 4);
  patch(central, 20, 0xFFFFFFFF, 4);
  patch(central, 24, 0xFFFFFFFF, 4);
  patch(central, 28, 5, 2);
  patch(central, 30, 20, 2);
  central += "a.npy" + extra;
  std::string end("PK\5\6", 4);
  end.resize(22);
  patch(end, 8, 1, 2);
  patch(end, 10, 1, 2);
  patch(end, 12, central.size(), 4);
  patch(end, 16, local.size(), 4);
  scratch_folder const scratch;
  write_bytes(scratch / "a.npz", local + central + end);
  io::detail::npz_file file(scratch / "a.npz");
  CHECK(longs_of(file.read("a")) == std::vector<std::int64_t>{5, 6});

  // The same archive with a member that claims a petabyte.
  for (std::size_t const at : {local.find(extra) + 4, local.size() + central.find(extra) + 4}) {
    auto hostile = local + central + end;
    patch(hostile, at, std::uint64_t{1} << 50, 8);
    patch(hostile, at + 8, std::uint64_t{1} << 50, 8);
    write_bytes(scratch / "b.npz", hostile);
    CHECK(names(fault_of(scratch / "b.npz"), "b.npz"));
  }
}

TEST_CASE("an archive without members is read, and has no array") {
  scratch_folder const scratch;
  std::string end("PK\5\6", 4);
  end.resize(22);
  write_bytes(scratch / "a.npz", end);
  io::detail::npz_file file(scratch / "a.npz");
  CHECK(file.names().empty());
  CHECK(names(thrown<io_error>([&] { static_cast<void>(file.read("x")); }), "but none"));
}

TEST_CASE("an encrypted member is refused") {
  scratch_folder const scratch;
  write_zip(scratch / "a.npz", {{"a.npy", npy_longs({1})}}, ZIP_CM_DEFLATE, "secret");
  CHECK(names(fault_of(scratch / "a.npz"), "a.npz/a.npy", "is encrypted", "numpy.savez"));
}

TEST_CASE("a member that claims more than its bytes can hold allocates nothing") {
  scratch_folder const scratch;
  write_zip(scratch / "a.npz", {{"a.npy", npy_longs({1, 2, 3})}}, ZIP_CM_STORE);
  auto bytes = read_bytes(scratch / "a.npz");
  for (char const* const signature : {"PK\3\4", "PK\1\2"}) {
    auto const at = bytes.find(signature);
    patch(bytes, at + (signature[2] == '\3' ? 22 : 24), 0x7FFFFFFF, 4);
  }
  write_bytes(scratch / "a.npz", bytes);
  CHECK(names(fault_of(scratch / "a.npz"), "a.npz"));
}

TEST_CASE("an archive that is cut anywhere is refused") {
  scratch_folder const scratch;
  write_zip(scratch / "a.npz", {{"a.npy", npy_longs({1, 2, 3})}, {"b.npy", npy_longs({4})}});
  auto const whole = read_bytes(scratch / "a.npz");
  for (std::size_t length = 0; length < whole.size(); length += 3) {
    write_bytes(scratch / "cut.npz", whole.substr(0, length));
    REQUIRE(names(fault_of(scratch / "cut.npz"), "cut.npz"));
  }
  CHECK(names(fault_of(scratch / "none.npz"), "none.npz", "no such file"));
  CHECK(names(fault_of(scratch.path()), "not a regular file"));
  write_bytes(scratch / "text.npz", "an archive this is not");
  CHECK(names(fault_of(scratch / "text.npz"), "text.npz", "no whole .npz archive", "numpy.savez"));
}

TEST_CASE("a flipped bit of the elements is noticed") {
  scratch_folder const scratch;
  for (int const method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    std::vector<std::int64_t> values(100);
    std::iota(values.begin(), values.end(), 0);
    write_zip(scratch / "a.npz", {{"a.npy", npy_longs(values)}}, method);
    auto const whole = read_bytes(scratch / "a.npz");
    auto const data_end = whole.find("PK\1\2");
    for (std::size_t at = 40; at < data_end; at += 7) {
      auto bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ 4);
      write_bytes(scratch / "b.npz", bytes);
      REQUIRE(names(fault_of(scratch / "b.npz"), "b.npz/a.npy"));
    }
  }
}
