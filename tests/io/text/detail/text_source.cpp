// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/gzip.hpp"
#include "support/scratch.hpp"

#include <glt/core/random.hpp>
#include <glt/io/text/detail/text_source.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

using namespace glt;
using namespace glt_test;

namespace {

std::string random_lines(std::uint64_t number) {
  random_stream draws(random_key(number), 0);
  std::string text;
  for (auto left = draws.below(300); left > 0; --left) {
    auto const kind = draws.below(40);
    text += kind < 8 ? '\n' : kind == 8 ? '\r' : static_cast<char>('a' + draws.below(26));
  }
  return text;
}

// Takes the text piece by piece and checks what the source says about it.
std::string take(io::detail::text_source& source, std::string const& expected, int pieces = 1) {
  std::string text;
  while (source.load(pieces)) {
    auto const piece = source.unread();
    REQUIRE_FALSE(piece.empty());
    REQUIRE((piece.ends_with('\n') || text.size() + piece.size() == expected.size()));
    auto const here = source.place(piece.data() + piece.size() / 2);
    auto const before = text.size() + piece.size() / 2;
    REQUIRE(here.offset == static_cast<std::int64_t>(before));
    REQUIRE(here.line == 1 + std::count(expected.begin(), expected.begin() + here.offset, '\n'));
    text += piece;
    source.skip(piece.size());
    REQUIRE(source.bytes_read() <= source.bytes_total());
  }
  REQUIRE(source.bytes_read() == source.bytes_total());
  REQUIRE(source.end_place().offset == static_cast<std::int64_t>(text.size()));
  return text;
}

std::string fault_at(std::string_view text, std::size_t offset) {
  return thrown<io_error>([&] {
    io::detail::text_source source("a.txt", text);
    REQUIRE(source.load());
    source.fail(source.unread().data() + offset, "what is wrong");
  });
}

} // namespace

TEST_CASE("a text comes in pieces of whole lines, from memory, a plain file and a packed one") {
  scratch_folder const scratch;
  for (std::uint64_t number = 0; number < 60; ++number) {
    auto const text = number == 0 ? std::string() : random_lines(number);
    write_bytes(scratch / "plain", text);
    write_bytes(scratch / "packed", gzip(text));
    for (std::int64_t const piece : {1, 2, 7, 64, 100'000}) {
      CAPTURE(number);
      CAPTURE(piece);
      io::detail::text_source memory("memory", text, {.piece_bytes = piece});
      REQUIRE(take(memory, text) == text);
      io::detail::text_source plain(scratch / "plain", {.piece_bytes = piece});
      REQUIRE_FALSE(plain.packed());
      REQUIRE(take(plain, text, 3) == text);
      io::detail::text_source packed(scratch / "packed", {.piece_bytes = piece});
      REQUIRE(packed.packed());
      REQUIRE(take(packed, text) == text);
    }
  }
}

TEST_CASE("lines may be passed over one by one") {
  io::detail::text_source source("a", "one\ntwo\nthree");
  REQUIRE(source.load());
  source.skip(4);
  REQUIRE(source.load());
  CHECK(source.unread() == "two\n");
  source.skip(4);
  REQUIRE(source.load());
  CHECK(source.unread() == "three");
  CHECK(source.place(source.unread().data()).line == 3);
  source.skip(5);
  CHECK_FALSE(source.load());
  CHECK_FALSE(source.load());
}

TEST_CASE("a byte order mark is skipped, and counts as bytes") {
  for (std::string const text : {"1 2\n", "", "\n"}) {
    auto const marked = "\xEF\xBB\xBF" + text;
    io::detail::text_source source("a", marked);
    CHECK(source.load() == !text.empty());
    CHECK(source.unread() == text);
    CHECK((text.empty() || source.place(source.unread().data()).offset == 3));
  }
}

TEST_CASE("line ends are counted in long and short texts") {
  for (std::size_t size = 0; size < 700; size += 13) {
    std::string text(size, '\n');
    CHECK(io::detail::count_lines(text.data(), text.data() + size) == static_cast<std::int64_t>(size));
    std::fill(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size / 2), 'x');
    CHECK(io::detail::count_lines(text.data(), text.data() + size) == static_cast<std::int64_t>(size - size / 2));
  }
}

TEST_CASE("a fault quotes what is there, shortened and harmless") {
  CHECK(fault_at("1 2\n3 x\n", 6) == "a.txt (at byte 6): line 2, at \"x\": what is wrong");
  CHECK(fault_at("1 2\r\n3 x\r\n", 7) == "a.txt (at byte 7): line 2, at \"x\": what is wrong");
  CHECK(names(fault_at("1 2\n3 4\n", 7), "line 2, at its end behind \"3 4\": what"));
  CHECK(names(fault_at("1 2\r\n", 3), "line 1, at its end behind \"1 2\": what"));
  CHECK(names(fault_at("1 2\n\n3", 4), "line 2, which is empty: what"));
  CHECK(names(fault_at(std::string("a\0\"\\\t\x1b[1m\xff", 10), 0), R"(at "a\x00\"\\\t\x1b[1m\xff": what)"));
  CHECK(names(fault_at(std::string(100, 'y'), 0), "at \"" + std::string(40, 'y') + "\"…: what"));
  CHECK(names(fault_at(std::string(100, 'y'), 60), "at \"" + std::string(40, 'y') + "\": what"));
  CHECK(names(fault_at(std::string(100, 'y') + '\n', 100), "behind \"" + std::string(40, 'y') + "\": what"));
}

TEST_CASE("offsets and lines of a packed file are those of its text") {
  scratch_folder const scratch;
  write_bytes(scratch / "a.gz", gzip("1 2\n3 x\n"));
  CHECK(names(thrown<io_error>([&] {
                io::detail::text_source source(scratch / "a.gz");
                REQUIRE(source.load());
                source.fail(source.unread().data() + 6, "wrong");
              }),
              "a.gz (at byte 6): line 2 of the unpacked text, at \"x\": wrong"));
}

TEST_CASE("limits hold for lines and texts, also for a small file that unpacks to a large one") {
  scratch_folder const scratch;
  write_bytes(scratch / "a.gz", gzip(std::string(1'000'000, 'x')));
  CHECK(names(thrown<io_error>([&] {
                io::detail::text_source source(scratch / "a.gz", {.piece_bytes = 1000, .line_bytes = 5000});
                source.load();
              }),
              "a.gz: line 1 of the unpacked text", "the line has more than 5000 bytes"));
  CHECK(names(thrown<io_error>([&] {
                io::detail::text_source source("a", "1 2\n3 4\n5 6\n", {.piece_bytes = 4, .text_bytes = 8});
                while (source.load()) {
                  source.skip(source.unread().size());
                }
              }),
              "a (at byte 8): has more than 8 bytes of text"));
  for (auto const& limits : {io::detail::text_limits{.piece_bytes = 0}, io::detail::text_limits{.line_bytes = 0},
                             io::detail::text_limits{.text_bytes = -1}}) {
    CHECK(names(thrown<precondition_error>([&] { io::detail::text_source const source("a", "", limits); }),
                "a limit below 1"));
  }
}

TEST_CASE("files that cannot be read are named") {
  scratch_folder const scratch;
  CHECK(
      names(thrown<io_error>([&] { io::detail::text_source const source(scratch / "none"); }), "none", "no such file"));
  CHECK(names(thrown<io_error>([&] { io::detail::text_source const source(scratch.path()); }), "not a regular file"));
  auto const whole = gzip("1 2\n3 4\n");
  write_bytes(scratch / "cut.gz", whole.substr(0, whole.size() - 3));
  CHECK(names(thrown<io_error>([&] {
                io::detail::text_source source(scratch / "cut.gz");
                while (source.load()) {
                  source.skip(source.unread().size());
                }
              }),
              "cut.gz", "ends within its packed data"));
}
