// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/io/text/detail/text_source.hpp>

#include <algorithm>
#include <string>
#include <string_view>

using namespace glt;

namespace {

std::string in_quotes(std::string_view text) {
  return io::detail::quoted(text.data(), text.data() + text.size());
}

} // namespace

TEST_CASE("printable text is quoted as it is, and everything else is escaped") {
  CHECK(in_quotes("") == R"("")");
  CHECK(in_quotes("0 1, a;~") == R"("0 1, a;~")");
  CHECK(in_quotes("say \"a\\b\"") == R"("say \"a\\b\"")");
  CHECK(in_quotes("1\t2\r\n") == R"("1\t2\x0d\x0a")");
  CHECK(in_quotes(std::string_view("\0\x1f\x7f\x80\xff", 5)) == R"("\x00\x1f\x7f\x80\xff")");
}

TEST_CASE("whatever the bytes are, what is quoted is one line of printable text") {
  for (int byte = 0; byte < 256; ++byte) {
    CAPTURE(byte);
    auto const text = in_quotes(std::string(1, static_cast<char>(byte)));
    CHECK(text.size() >= 3);
    CHECK(std::ranges::all_of(text, [](char letter) { return letter >= ' ' && letter <= '~'; }));
  }
}
