// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/array/npy.hpp>

#include <csignal>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

template <class T>
std::vector<T> values_of(io::array::typed<T> const& array) {
  return {array.data.begin(), array.data.end()};
}

template <class T>
void check_round_trip(scratch_folder const& scratch) {
  for (std::int64_t const n : {0, 1, 7, 1001}) {
    std::vector<T> values(static_cast<std::size_t>(n));
    std::iota(values.begin(), values.end(), T(3));
    if (n > 1) {
      values[1] = std::numeric_limits<T>::lowest();
      values[0] = std::numeric_limits<T>::max();
    }
    io::write_npy(scratch / "a.npy", values);
    auto const read = io::read_npy<T>(scratch / "a.npy", 1);
    CHECK(read.shape == std::vector<std::int64_t>{n});
    CHECK(values_of(read) == values);
    CHECK(io::detail::read_npy_header(scratch / "a.npy").data_offset % 64 == 0);
  }
}

} // namespace

TEST_CASE("what is written is read, in every type and length") {
  scratch_folder const scratch;
  check_round_trip<std::int8_t>(scratch);
  check_round_trip<std::uint8_t>(scratch);
  check_round_trip<std::int32_t>(scratch);
  check_round_trip<std::int64_t>(scratch);
  check_round_trip<std::uint64_t>(scratch);
  check_round_trip<float>(scratch);
  check_round_trip<double>(scratch);
  CHECK(scratch.num_entries() == 1);
}

TEST_CASE("shapes") {
  scratch_folder const scratch;
  std::vector<std::int32_t> const values{1, 2, 3, 4, 5, 6};
  io::write_npy(scratch / "matrix.npy", host_matrix<std::int32_t const>(values.data(), 2, 3));
  auto const matrix = io::read_npy<std::int32_t>(scratch / "matrix.npy", 2);
  CHECK(matrix.shape == std::vector<std::int64_t>{2, 3});
  CHECK(matrix.matrix()(1, 0) == 4);
  io::write_npy(scratch / "cube.npy", values, std::array<std::int64_t, 3>{1, 6, 1});
  CHECK(io::read_npy<std::int32_t>(scratch / "cube.npy").shape == std::vector<std::int64_t>{1, 6, 1});
  io::write_npy(scratch / "number.npy", std::array{42.5}, std::span<std::int64_t const>());
  auto const number = io::read_npy<double>(scratch / "number.npy");
  CHECK(number.shape.empty());
  CHECK(number.data[0] == 42.5);
  io::write_npy(scratch / "none.npy", host_matrix<float>(nullptr, 0, 5));
  CHECK(io::read_npy<float>(scratch / "none.npy", 2).shape == std::vector<std::int64_t>{0, 5});

  for (std::vector<std::int64_t> const& shape : {std::vector<std::int64_t>{5}, {2, 2}, {-2, -3}, {INT64_MAX, 4}, {}}) {
    CHECK(names(thrown<precondition_error>([&] { io::write_npy(scratch / "x.npy", values, shape); }), "x.npy",
                "6 values"));
  }
  CHECK(scratch.num_entries() == 4);
}

TEST_CASE("the bytes are those of NumPy") {
  scratch_folder const scratch;
  io::write_npy(scratch / "a.npy", std::array<std::uint8_t, 3>{1, 2, 255});
  std::string expected("\x93NUMPY\1\0\x76\0{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", 67);
  expected += std::string(127 - expected.size(), ' ') + "\n\1\2\xFF";
  CHECK(read_bytes(scratch / "a.npy") == expected);
}

TEST_CASE("another type or number of dimensions is refused, another order is not") {
  scratch_folder const scratch;
  std::vector<std::int32_t> const values{1, 2, 3};
  auto const path = scratch / "a.npy";
  io::write_npy(path, values);
  auto const fault = thrown<io_error>([&] { static_cast<void>(io::read_npy<float>(path)); });
  CHECK(names(fault, "a.npy", "'<i4'", "'<f4'", "astype"));
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::read_npy<std::int32_t>(path, 2)); }), "shape (3,)",
              "2 dimensions"));
  std::vector<std::int64_t> const shape{3, 2};
  io::write_npy(path, std::vector<std::int32_t>{1, 3, 5, 2, 4, 6 << 24}, shape);
  auto bytes = read_bytes(path);
  write_bytes(path, bytes.replace(bytes.find("False"), 5, "True "));
  CHECK(std::ranges::equal(io::read_npy<std::int32_t>(path).data, std::vector{1, 2, 3, 4, 5, 6 << 24}));
  write_bytes(path, bytes.replace(bytes.find("'<i4'"), 5, "'>i4'"));
  CHECK(std::ranges::equal(io::read_npy<std::int32_t>(path).data,
                           std::vector{1 << 24, 2 << 24, 3 << 24, 4 << 24, 5 << 24, 6}));
}

TEST_CASE("a file that is cut anywhere, or too long, is refused") {
  scratch_folder const scratch;
  std::vector<std::int64_t> const values{1, 2, 3};
  auto const path = scratch / "a.npy";
  io::write_npy(path, values);
  auto const whole = read_bytes(path);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_bytes(path, whole.substr(0, length));
    REQUIRE(names(thrown<io_error>([&] { static_cast<void>(io::read_npy<std::int64_t>(path)); }), "a.npy"));
  }
  write_bytes(path, whole + "x");
  CHECK(names(thrown<io_error>([&] { static_cast<void>(io::read_npy<std::int64_t>(path)); }),
              "at byte " + std::to_string(whole.size()), "goes on for 1 bytes"));
}

TEST_CASE("a shape that no file can hold allocates nothing") {
  scratch_folder const scratch;
  auto const path = scratch / "a.npy";
  io::write_npy(path, std::array<std::int64_t, 1>{1});
  auto const whole = read_bytes(path);
  for (std::string const shape : {"(1152921504606846977,), }", "(4294967296, 4294967296), }"}) {
    auto bytes = whole;
    write_bytes(path, bytes.replace(bytes.find("(1,), }"), shape.size(), shape));
    CHECK(names(thrown<io_error>([&] { static_cast<void>(io::read_npy<std::int64_t>(path)); }), "too few"));
  }
}

TEST_CASE("a failed write leaves nothing new") {
  scratch_folder const scratch;
  std::vector<double> const values(5000, 1.5);
  CHECK(names(thrown<io_error>([&] { io::write_npy(scratch / "no/a.npy", values); }), "no/a.npy", "cannot be created"));

  io::write_npy(scratch / "a.npy", std::array{7.0});
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  auto const signal_before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 4096;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0); // the disk is full, so to say
  auto const fault = thrown<io_error>([&] { io::write_npy(scratch / "a.npy", values); });
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, signal_before);
  CHECK(names(fault, "a.npy", "cannot be written"));
  CHECK(scratch.num_entries() == 1);
  CHECK(io::read_npy<double>(scratch / "a.npy").data[0] == 7.0);
}

TEST_CASE("a shape of more dimensions than a header can name is refused and nothing is written") {
  scratch_folder const scratch;
  std::vector<std::int64_t> const shape(40'000, 1);
  std::vector<float> const values{1};
  CHECK(names(thrown<precondition_error>([&] { io::write_npy(scratch / "deep.npy", values, shape); }), "deep.npy",
              "40000 dimensions"));
  CHECK(scratch.num_entries() == 0);
}
