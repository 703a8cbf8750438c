// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/gzip.hpp"
#include "support/scratch.hpp"

#include <glt/io/array/npy.hpp>
#include <glt/io/text/detail/assignment.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace glt;
using namespace glt_test;

namespace {

using parts = std::vector<local_id>;

parts list_of(buffer<device::cpu, local_id> const& values) {
  return {values.begin(), values.end()};
}

parts read(std::string_view text, int threads = 1, std::int64_t piece = 1 << 20) {
  io::detail::text_source source("a.part", text, {.piece_bytes = piece});
  return list_of(io::detail::read_assignment(source, {.threads = threads}));
}

std::string fault_of(std::string_view text) {
  return thrown<io_error>([&] { static_cast<void>(read(text)); });
}

} // namespace

TEST_CASE("every line is the part of a vertex") {
  parts expected;
  std::string text;
  for (local_id v = 0; v < 500; ++v) {
    expected.push_back(v * v % 7);
    text += std::to_string(expected.back()) + (v % 4 == 0 ? "\r\n" : v % 4 == 1 ? " \n# note\n" : "\n");
  }
  for (int const threads : {1, 2, 5}) {
    for (std::int64_t const piece : {5, 1 << 20}) {
      CHECK(read(text, threads, piece) == expected);
      CHECK(read(text + "\n  \n\n", threads, piece) == expected);
    }
  }
  CHECK(read("").empty());
  CHECK(read("\n\n").empty());
  CHECK(read("1\n\n \n2\n") == parts{1, 2});
  CHECK(read("2147483647") == parts{2'147'483'647});
}

TEST_CASE("lines that are no part are refused") {
  CHECK(names(fault_of("0\n-1\n"), "a.part (at byte 2): line 2, at \"-1\"", "a part must not be negative"));
  CHECK(names(fault_of("0\n2147483648\n"), "line 2", "a part does not fit an integer of 32 bits"));
  CHECK(names(fault_of("0 1\n"), "line 1, at \"1\"", "should end here, behind the part of a vertex"));
  CHECK(names(fault_of("0\none\n"), "line 2, at \"one\"", "a part should be here"));
}

TEST_CASE("an assignment may be packed, or an array") {
  scratch_folder const scratch;
  write_bytes(scratch / "a.part.4.gz", gzip("3\n1\n"));
  CHECK(list_of(io::detail::read_assignment(scratch / "a.part.4.gz")) == parts{3, 1});
  io::write_npy(scratch / "narrow.npy", std::vector<std::int32_t>{2, 0, 1});
  CHECK(list_of(io::detail::read_assignment(scratch / "narrow.npy")) == parts{2, 0, 1});
  io::write_npy(scratch / "wide.npy", std::vector<std::int64_t>{5, 0});
  CHECK(list_of(io::detail::read_assignment(scratch / "wide.npy")) == parts{5, 0});
}

TEST_CASE("an array of what are no parts is refused") {
  scratch_folder const scratch;
  auto const fault = [&] {
    return thrown<io_error>([&] { static_cast<void>(io::detail::read_assignment(scratch / "a.npy")); });
  };
  io::write_npy(scratch / "a.npy", std::vector<std::int64_t>{0, -5});
  CHECK(names(fault(), "a.npy", "vertex 1 has the part -5"));
  io::write_npy(scratch / "a.npy", std::vector<std::int64_t>{std::int64_t{1} << 31});
  CHECK(names(fault(), "vertex 0 has the part 2147483648"));
  io::write_npy(scratch / "a.npy", std::vector<float>{0});
  CHECK(names(fault(), "'<f4'", "astype"));
}
