// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "partition/wordnet/hashed_words.hpp"

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

using namespace glt_partition;

namespace {

std::vector<float> row_of(std::string_view text, std::int64_t columns) {
  std::vector<float> row(static_cast<std::size_t>(columns), 99.0F);
  hash_words(text, row);
  return row;
}

} // namespace

TEST_CASE("case and what separates words make no difference") {
  CHECK(hash_word("Dog") == hash_word("dOG"));
  CHECK(hash_word("dog") != hash_word("god"));
  CHECK(row_of("a hot dog", 64) == row_of("  Hot;DOG \"a\"", 64));
}

TEST_CASE("the hash of a word is the same on every machine") {
  CHECK(hash_word("dog") == 14047505665425058299ULL);
}

TEST_CASE("the mean square of a row is 1, and 0 without words") {
  for (std::int64_t const columns : {1, 7, 256}) {
    auto const row = row_of("the quick brown fox jumps over one dog 42", columns);
    double squares = 0;
    for (float const value : row) {
      squares += static_cast<double>(value) * value;
    }
    CHECK(squares == doctest::Approx(static_cast<double>(columns)));
  }
  CHECK(row_of("", 3) == std::vector<float>(3));
  CHECK(row_of(" ,; ", 3) == std::vector<float>(3));
}

TEST_CASE("a word has one column, and counts as often as it occurs") {
  auto const once = row_of("dog", 16);
  CHECK(row_of("dog dog dog", 16) == once);
  int used = 0;
  for (float const value : once) {
    used += value != 0 ? 1 : 0;
  }
  CHECK(used == 1);
}
