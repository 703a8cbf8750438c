// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archives.hpp"
#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/npy.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

TEST_CASE("the pieces of a file are all its elements in order, as they are read") {
  scratch_folder const scratch;
  for (std::int64_t const count : {0, 1, (1 << 16) - 1, 1 << 16, (1 << 16) + 1, 150000}) {
    std::vector<std::uint32_t> numbers;
    for (std::int64_t i = 0; i < count; ++i) {
      numbers.push_back(static_cast<std::uint32_t>(i * 77777));
    }
    io::write_npy(scratch / "a.npy", numbers);
    io::detail::npy_pieces pieces(scratch / "a.npy");
    CHECK(pieces.type() == element_type::int64);
    CHECK(pieces.num_elements() == count);
    CHECK(pieces.header().shape == std::vector<std::int64_t>{count});
    std::int64_t next = 0;
    pieces.for_each([&](io::array const& piece, std::int64_t first) {
      CHECK(first == next);
      for (auto const number : piece.values<std::int64_t>()) {
        CHECK(number == numbers[static_cast<std::size_t>(next++)]);
      }
    });
    CHECK(next == count);
  }
}

TEST_CASE("the pieces of columns that are contiguous are rows") {
  scratch_folder const scratch;
  constexpr std::int64_t rows = (1 << 20) / 3 + 5; // a little more than a piece
  std::string elements;
  for (std::int64_t column = 0; column < 3; ++column) {
    for (std::int64_t row = 0; row < rows; ++row) {
      auto const number = static_cast<std::uint32_t>(row * 3 + column);
      for (int const shift : {24, 16, 8, 0}) {
        elements += static_cast<char>(number >> shift & 0xFF);
      }
    }
  }
  write_bytes(scratch / "a.npy", npy_bytes(">i4", "(" + std::to_string(rows) + ", 3)", elements, "True"));
  io::detail::npy_pieces pieces(scratch / "a.npy");
  std::int64_t next = 0;
  bool same = true;
  pieces.for_each([&](io::array const& piece, std::int64_t first) {
    same = same && first == next;
    for (auto const number : piece.values<std::int32_t>()) {
      same = same && number == next++;
    }
  });
  CHECK(same);
  CHECK(next == 3 * rows);
}

TEST_CASE("faults of a file and of a piece name it, with the place") {
  scratch_folder const scratch;
  write_bytes(scratch / "none.npy", "none");
  CHECK(names(thrown<io_error>([&] { io::detail::npy_pieces const pieces(scratch / "none.npy"); }), "none.npy"));
  std::vector<std::uint64_t> numbers(70000, 1);
  numbers[69000] = ~std::uint64_t{0};
  io::write_npy(scratch / "large.npy", numbers);
  io::detail::npy_pieces pieces(scratch / "large.npy");
  CHECK(names(thrown<io_error>([&] { pieces.for_each([](io::array const&, std::int64_t) {}); }), "large.npy",
              "element 69000 is 18446744073709551615, which does not fit int64"));
  auto const in_pieces = [&](auto use) {
    return thrown<io_error>([&] { io::detail::npy_pieces(scratch / "large.npy").for_each(use); });
  };
  numbers[69000] = 1;
  numbers[65536] = ~std::uint64_t{0};
  io::write_npy(scratch / "large.npy", numbers);
  CHECK(in_pieces([](io::array const&, std::int64_t) {}) ==
        thrown<io_error>([&] { static_cast<void>(io::detail::read_npy_any(scratch / "large.npy")); }));
  CHECK(in_pieces([](io::array const&, std::int64_t) { throw io_error("another", 5, "is full"); }) ==
        "another (at byte 5): is full");
  io::write_npy(scratch / "times.npy", std::vector<double>{1, 2.5});
  auto const path = (scratch / "times.npy").string();
  io::detail::npy_pieces times(path);
  auto const fault = thrown<io_error>([&] {
    times.for_each(
        [&](io::array const& piece, std::int64_t) { static_cast<void>(io::detail::integers_of(piece, path)); });
  });
  CHECK(names(fault, path, ": element 1 is 2.5"));
  CHECK(fault.find(path) == fault.rfind(path)); // once
  CHECK(fault.find("at byte") == std::string::npos);
}
