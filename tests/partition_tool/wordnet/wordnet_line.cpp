// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"

#include "partition/wordnet/wordnet_line.hpp"
#include <glt/io/detail/input_file.hpp>

#include <string>

using namespace glt;
using namespace glt_partition;
using namespace glt_test;

namespace {

// Calls `use` with a line that stands at byte 100 of a file.
template <class Use>
std::string fault_of(std::string const& text, Use use) {
  scratch_folder const scratch;
  write_bytes(scratch / "data.noun", "");
  io::detail::input_file const file(scratch / "data.noun");
  return thrown<io_error>([&] {
    wordnet_line line(file, text, 100);
    use(line);
  });
}

} // namespace

TEST_CASE("fields come one after the other") {
  CHECK(fault_of("00000016 1f dog 02 + 08 00 + 09 01 | a pet; x  ", [](auto& line) {
          CHECK(line.number("offset", 8, 10) == 16);
          CHECK(line.position() == 109);
          CHECK(line.number("count", 2, 16) == 31);
          CHECK(line.word("lemma") == "dog");
          CHECK(line.gloss(true) == "a pet; x  ");
        }) == "(nothing was thrown)");
  CHECK(fault_of("| gloss", [](auto& line) { CHECK(line.gloss(false) == "gloss"); }) == "(nothing was thrown)");
}

TEST_CASE("a field that is missing or no number is named with its byte") {
  CHECK(names(fault_of("", [](auto& line) { line.word("lemma"); }), "data.noun (at byte 100)", "no lemma"));
  CHECK(names(fault_of("dog", [](auto& line) { line.word("lemma"); }), "no lemma"));
  CHECK(names(fault_of("a  b",
                       [](auto& line) {
                         line.word("first");
                         line.word("second");
                       }),
              "(at byte 102)", "no second"));
  for (std::string const text : {"0016 ", "0000001x ", "-0000016 ", "+0000016 ", "0x000016 "}) {
    CHECK(names(fault_of(text, [](auto& line) { line.number("offset", 8, 10); }), "(at byte 100)", "the offset is '",
                "not a number of 8 digits"));
  }
  CHECK(names(fault_of("- gloss", [](auto& line) { static_cast<void>(line.gloss(false)); }), "no gloss"));
  CHECK(names(fault_of("01 - 08 00 | x", [](auto& line) { static_cast<void>(line.gloss(true)); }), "(at byte 103)",
              "no frame"));
}
