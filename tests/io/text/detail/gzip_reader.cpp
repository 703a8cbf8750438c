// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/gzip.hpp"
#include "support/scratch.hpp"

#include <glt/core/random.hpp>
#include <glt/io/text/detail/gzip_reader.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

using namespace glt;
using namespace glt_test;

namespace {

// Text that deflate cannot make small.
std::string noise(std::size_t bytes) {
  random_stream draws(random_key(3), 0);
  std::string made(bytes, ' ');
  for (auto& byte : made) {
    byte = static_cast<char>(draws.below(256));
  }
  return made;
}

struct packed_file {
  explicit packed_file(std::string const& bytes) { write_bytes(path(), bytes); }
  [[nodiscard]] std::filesystem::path path() const { return scratch / "a.gz"; }
  [[nodiscard]] std::string unpack(std::int64_t at_once = 1000) const {
    io::detail::gzip_reader reader{io::detail::input_file(path())};
    std::string text;
    std::string some(static_cast<std::size_t>(at_once), ' ');
    for (;;) {
      auto const count = reader.read_some(some.data(), at_once);
      text.append(some, 0, static_cast<std::size_t>(count));
      if (count < at_once) {
        REQUIRE(reader.position() == reader.file().size());
        REQUIRE(reader.read_some(some.data(), at_once) == 0);
        return text;
      }
    }
  }
  [[nodiscard]] std::string fault() const {
    return thrown<io_error>([&] { static_cast<void>(unpack()); });
  }
  scratch_folder scratch;
};

} // namespace

TEST_CASE("a packed file is unpacked, however much is asked for at once") {
  for (std::size_t const size : {0U, 1U, 999U, 1000U, 300'000U}) {
    auto const text = noise(size / 2) + std::string(size - size / 2, 'x');
    CAPTURE(size);
    packed_file const file(gzip(text));
    CHECK(file.unpack() == text);
    CHECK(file.unpack(1'000'000) == text);
    CHECK((size > 1000 || file.unpack(1) == text));
  }
}

TEST_CASE("several members make one text, also where a member ends with the bytes at hand") {
  CHECK(packed_file(gzip("one\n") + gzip("") + gzip("two\n", 0)).unpack() == "one\ntwo\n");
  // Unpacking reads blocks of 64 KiB: a second member begins at, before and behind the end of the first block.
  auto const overhead = gzip(noise(60'000), 0).size() - 60'000;
  for (std::size_t const end : {65'534U, 65'535U, 65'536U, 65'537U}) {
    auto text = noise(end - overhead);
    auto first = gzip(text, 0);
    while (first.size() > end) {
      text.pop_back();
      first = gzip(text, 0);
    }
    CAPTURE(first.size());
    CHECK(packed_file(first + gzip("more")).unpack() == text + "more");
  }
}

TEST_CASE("a packed file that is cut anywhere is refused") {
  auto const whole = gzip("some text that is packed, some text that is packed");
  for (std::size_t length = 2; length < whole.size(); ++length) {
    CAPTURE(length);
    REQUIRE(names(packed_file(whole.substr(0, length)).fault(),
                  "a.gz (at byte " + std::to_string(length) + "): ends within its packed data", "again"));
  }
  REQUIRE(names(packed_file(gzip("one") + whole.substr(0, 12)).fault(), "ends within its packed data"));
}

TEST_CASE("a packed file with a flipped bit is refused, unless the bit means nothing") {
  std::string const text = "some text that is packed, some text that is packed";
  auto const whole = gzip(text);
  int meaningless = 0;
  constexpr std::size_t header = 10; // of which time and system may be anything
  for (std::size_t byte = header; byte < whole.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      auto spoiled = whole;
      spoiled[byte] = static_cast<char>(spoiled[byte] ^ (1 << bit));
      CAPTURE(byte);
      packed_file const file(spoiled);
      if (file.fault() == "(nothing was thrown)") {
        REQUIRE(file.unpack() == text);
        ++meaningless; // fills the last byte of packed data
      } else {
        REQUIRE(names(file.fault(), "a.gz", "packed data"));
      }
    }
  }
  CHECK(meaningless < 8);
  auto check_sum = whole;
  check_sum[whole.size() - 8] ^= 1;
  CHECK(names(packed_file(check_sum).fault(), "damaged (incorrect data check)"));
}

TEST_CASE("what goes on behind a member is refused unless it is another") {
  auto const whole = gzip("text");
  for (auto const& tail : {std::string("x"), std::string(512, '\0'), std::string("\x1f\x8a"), std::string("text\n")}) {
    CHECK(names(packed_file(whole + tail).fault(), "a.gz (at byte " + std::to_string(whole.size()) + ")",
                "goes on for " + std::to_string(tail.size()) + " bytes that are no gzip data"));
  }
  CHECK(names(packed_file(whole + "\x1f").fault(), "ends within its packed data"));
}

TEST_CASE("what is not packed is refused at once") {
  CHECK(names(packed_file("").fault(), "a.gz: does not begin as a gzip file"));
  CHECK(names(packed_file("plain text").fault(), "does not begin as a gzip file"));
}
