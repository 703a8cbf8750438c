// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/gzip.hpp"
#include "support/scratch.hpp"

#include <glt/io/text/detail/text_source.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>

using namespace glt;
using namespace glt_test;
using io::detail::plain_text;

namespace {

// All that is left of a text, read piece by piece; a piece that is not full is the last one.
template <class Input>
std::string rest_of(Input& input, std::int64_t piece) {
  std::string text;
  std::string some(static_cast<std::size_t>(piece), ' ');
  for (;;) {
    auto const count = input.read_some(some.data(), piece);
    text.append(some, 0, static_cast<std::size_t>(count));
    if (count < piece) {
      CHECK(input.read_some(some.data(), piece) == 0);
      CHECK(input.position() == input.size());
      return text;
    }
  }
}

std::string text_of(std::filesystem::path const& path) {
  auto input = io::detail::open_text(path);
  return std::visit([](auto& opened) { return rest_of(opened, 3); }, input);
}

} // namespace

TEST_CASE("a text in memory, a file and a slice of one are read in pieces of any size") {
  scratch_folder const scratch;
  std::string const text = "0 1\n1 2\n2 3\n";
  write_bytes(scratch / "a.txt", "before\n" + text + "behind\n");
  write_bytes(scratch / "b.txt", text);
  for (std::int64_t const piece : {1, 5, 12, 13, 100}) {
    CAPTURE(piece);
    io::detail::memory_text memory(text);
    CHECK(memory.size() == 12);
    CHECK(memory.position() == 0);
    CHECK(rest_of(memory, piece) == text);
    plain_text whole(io::detail::input_file(scratch / "b.txt"));
    CHECK(whole.size() == 12);
    CHECK(whole.slice().begin == 0);
    CHECK(whole.slice().end == 12);
    CHECK(rest_of(whole, piece) == text);
    plain_text slice(io::detail::input_file(scratch / "a.txt"), {7, 19});
    CHECK(slice.size() == 12);
    CHECK(slice.position() == 0);
    CHECK(rest_of(slice, piece) == text);
    CHECK(slice.slice().begin == 7);
    CHECK(slice.file().size() == 26);
  }
  plain_text none(io::detail::input_file(scratch / "a.txt"), {7, 7});
  CHECK(rest_of(none, 4).empty());
}

TEST_CASE("a packed file is told from a plain one by its first bytes, not by its name") {
  scratch_folder const scratch;
  for (std::string const text : {"", "\x1f", "x", "plain text", "\x1f\x8c text"}) {
    CAPTURE(text);
    write_bytes(scratch / "a.gz", text);
    CHECK(std::holds_alternative<plain_text>(io::detail::open_text(scratch / "a.gz")));
    CHECK(text_of(scratch / "a.gz") == text);
    write_bytes(scratch / "a.txt", gzip(text));
    CHECK(std::holds_alternative<io::detail::gzip_reader>(io::detail::open_text(scratch / "a.txt")));
    CHECK(text_of(scratch / "a.txt") == text);
  }
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::detail::open_text(scratch / "none.txt")); }), "none.txt",
              "no such file"));
}
