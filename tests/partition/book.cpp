// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"

#include <glt/partition/book.hpp>

#include <cstdint>
#include <limits>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

std::string complaint(std::vector<global_id> offsets) {
  return thrown<precondition_error>([&] { partition_book{offsets}; });
}

} // namespace

TEST_CASE("every vertex has the owner and the local id that a linear search finds") {
  for (std::vector<global_id> const& offsets :
       {std::vector<global_id>{0, 0}, std::vector<global_id>{0, 1}, std::vector<global_id>{0, 5, 5, 5, 9, 10},
        std::vector<global_id>{0, 0, 0, 3, 3}, std::vector<global_id>{0, 17, 40, 41, 41, 99, 99}}) {
    partition_book const book(offsets);
    CHECK(book.num_parts() == static_cast<int>(offsets.size()) - 1);
    CHECK(book.num_vertices() == offsets.back());
    std::int64_t seen = 0;
    for (int part = 0; part < book.num_parts(); ++part) {
      CHECK(book.size(part) == book.end(part) - book.begin(part));
      for (auto v = book.begin(part); v < book.end(part); ++v, ++seen) {
        CHECK(book.owner(v) == part);
        CHECK(book.local(v) == v - book.begin(part));
      }
    }
    CHECK(seen == book.num_vertices());
    CHECK(book == partition_book(offsets));
    CHECK_FALSE(book == partition_book({0, 1000}));
    partition_book const from_file(offsets, 7);
    CHECK_FALSE(from_file == book);
    CHECK((from_file.matches(book) && book.matches(from_file) && from_file.matches(partition_book(offsets, 7))));
    CHECK_FALSE(from_file.matches(partition_book(offsets, 8)));
  }
}

TEST_CASE("a book without anything is one empty part") {
  CHECK(partition_book{}.num_parts() == 1);
  CHECK(partition_book{}.num_vertices() == 0);
}

TEST_CASE("global ids go beyond 32 bits, local ids do not") {
  auto const largest = std::int64_t{std::numeric_limits<local_id>::max()};
  partition_book const book({0, largest, 2 * largest, 3 * largest});
  CHECK(book.owner(3 * largest - 1) == 2);
  CHECK(book.local(3 * largest - 1) == largest - 1);
  CHECK(names(complaint({0, 3, 3 + largest + 1}), "part 1", "2147483648"));
}

TEST_CASE("bad offsets are refused with their place and value") {
  CHECK(names(complaint({}), "0 offsets"));
  CHECK(names(complaint({0}), "1 offsets"));
  CHECK(names(complaint({2, 3}), "offset 0", "is 2"));
  CHECK(names(complaint({0, 7, 6, 9}), "offset 2", "is 6", "7"));
  CHECK(names(complaint({0, -1}), "offset 1", "is -1"));
}

TEST_CASE("ids outside the book are refused") {
  partition_book const book({0, 4, 9});
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(book.owner(-1)); }), "vertex -1", "[0, 9)"));
  CHECK(names(thrown<precondition_error>([&] { static_cast<void>(book.local(9)); }), "vertex 9", "[0, 9)"));
  CHECK_THROWS_AS(static_cast<void>(partition_book{}.owner(0)), precondition_error);
}
