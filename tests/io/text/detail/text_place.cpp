// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/random.hpp>
#include <glt/io/text/detail/text_source.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

using namespace glt;

TEST_CASE("line ends are counted in texts of any length, from any place on") {
  random_stream draws(random_key(5), 0);
  std::string mixed(700, 'x');
  for (auto& letter : mixed) {
    letter = draws.below(3) == 0 ? '\n' : static_cast<char>(draws.below(256));
  }
  for (auto const& text : {mixed, std::string(700, '\n'), std::string(700, '\0')}) {
    for (std::size_t const first : {0U, 1U, 7U, 128U}) {
      std::int64_t expected = 0;
      for (std::size_t last = first; last <= text.size(); ++last) {
        REQUIRE(io::detail::count_lines(text.data() + first, text.data() + last) == expected);
        expected += last < text.size() && text[last] == '\n' ? 1 : 0;
      }
    }
  }
}
