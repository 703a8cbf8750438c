// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/gzip.hpp"
#include "support/scratch.hpp"

#include <glt/core/random.hpp>
#include <glt/io/text/detail/columns.hpp>
#include <glt/outofcore/detail/slices.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

using namespace glt;
using namespace glt_test;

namespace {

std::string text_of(io::detail::text_source source) {
  std::string text;
  while (source.load()) {
    text += source.unread();
    source.skip(source.unread().size());
  }
  CHECK(source.bytes_read() == source.bytes_total());
  return text;
}

} // namespace

TEST_CASE("slices are whole lines, shared out without gaps") {
  scratch_folder const scratch;
  for (std::uint64_t number = 0; number < 30; ++number) {
    random_stream draws(random_key(number), 0);
    std::string text;
    for (auto left = draws.below(number < 25 ? 60 : 30000); left > 0; --left) {
      text += draws.below(number % 2 == 0 ? 7 : 5000) == 0 ? '\n' : static_cast<char>('a' + draws.below(26));
    }
    write_bytes(scratch / "a", text);
    auto const first_line = std::min(text.find('\n'), text.size() - 1) + 1;
    for (auto const begin : {std::int64_t{0}, text.empty() ? 0 : static_cast<std::int64_t>(first_line)}) {
      for (int const ranks : {1, 2, 3, 8}) {
        auto at = begin;
        for (int rank = 0; rank < ranks; ++rank) {
          auto const slice = io::detail::slice_lines(scratch / "a", begin, ranks, rank);
          REQUIRE(slice.begin == at);
          REQUIRE(slice.end >= slice.begin);
          auto const place = static_cast<std::size_t>(slice.begin);
          REQUIRE((slice.begin == 0 || slice.begin == std::ssize(text) || text[place - 1] == '\n'));
          REQUIRE(text_of(io::detail::text_source(scratch / "a", slice)) ==
                  text.substr(place, static_cast<std::size_t>(slice.end - slice.begin)));
          at = slice.end;
        }
        REQUIRE(at == std::ssize(text));
      }
    }
  }
}

TEST_CASE("ranks go on where a header ended, and a packed file is for rank 0") {
  scratch_folder const scratch;
  std::string const text = "\xEF\xBB\xBFhead\n1\n22\n333\n4444\n";
  write_bytes(scratch / "a", text);
  write_bytes(scratch / "b", gzip(text));
  for (char const* const name : {"a", "b"}) {
    for (int const ranks : {1, 3}) {
      std::string all;
      for (int rank = 0; rank < ranks; ++rank) {
        io::detail::text_source source(scratch / name);
        CHECK(io::detail::next_line(source) == "head");
        bool const packed = source.packed();
        CHECK(io::detail::rank_at_end(source, ranks) == (packed ? 0 : ranks - 1));
        auto const own = text_of(io::detail::source_of_rank(std::move(source), ranks, rank));
        CHECK((!packed || rank == 0 || own.empty()));
        all += own;
      }
      CHECK(all == "1\n22\n333\n4444\n");
    }
  }
}

TEST_CASE("errors in a slice count the lines before it") {
  scratch_folder const scratch;
  std::string text;
  for (int i = 0; i < 30000; ++i) {
    text += std::to_string(i) + "\n";
  }
  write_bytes(scratch / "a", text);
  io::detail::text_source source(scratch / "a", io::detail::slice_lines(scratch / "a", 2, 3, 2));
  REQUIRE(source.load());
  auto const number = std::stoi(std::string(source.unread().substr(0, source.unread().find('\n'))));
  CHECK(number > 15000);
  CHECK(names(thrown<io_error>([&] { source.fail(source.unread().data(), "bad"); }),
              "line " + std::to_string(number + 1) + ", at \"" + std::to_string(number) + "\"",
              "(at byte " + std::to_string(text.find("\n" + std::to_string(number) + "\n") + 1) + ")"));
  CHECK(source.place(source.unread().data()).line == 1);
}
