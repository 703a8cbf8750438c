// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/errors.hpp"
#include "support/scratch.hpp"
#include "support/wordnet_files.hpp"

#include "partition/wordnet/wordnet_database.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

using namespace glt;
using namespace glt_partition;
using namespace glt_test;

namespace {

std::string fault_of(std::filesystem::path const& folder) {
  return thrown<io_error>([&] { static_cast<void>(read_wordnet_database(folder)); });
}

// The fault after one edit of a file of the good database.
std::string damaged(std::string const& file, std::string const& was, std::string const& becomes) {
  scratch_folder const scratch;
  write_wordnet(scratch.path());
  auto bytes = read_bytes(scratch / file);
  auto const at = bytes.find(was);
  REQUIRE(at != std::string::npos);
  write_bytes(scratch / file, bytes.replace(at, was.size(), becomes));
  return fault_of(scratch.path());
}

} // namespace

TEST_CASE("synsets, words and pointers of a small database") {
  scratch_folder const scratch;
  write_wordnet(scratch.path());
  auto const database = read_wordnet_database(scratch.path());
  CHECK(database.num_synsets() == 6);
  CHECK(database.classes == std::vector<std::int64_t>{3, 5, 38, 0, 0, 2});
  CHECK(database.texts[1] == "dog Canis_familiaris a pet; \"a dog\"  ");
  CHECK(database.texts[3] == "doggy like a dog  ");
  CHECK(database.sources == std::vector<local_id>{0, 1, 1, 1, 2, 3, 4, 4});
  CHECK(database.targets == std::vector<local_id>{1, 0, 2, 1, 1, 4, 3, 5});
}

TEST_CASE("a file that is missing, empty or cut is named") {
  for (std::string const file : {"data.noun", "data.verb", "data.adj", "data.adv"}) {
    scratch_folder const scratch;
    write_wordnet(scratch.path());
    auto const whole = read_bytes(scratch / file);
    write_bytes(scratch / file, whole.substr(0, whole.size() - 5));
    CHECK(names(fault_of(scratch.path()), file, "ends in the middle of a line"));
    write_bytes(scratch / file, "");
    CHECK(names(fault_of(scratch.path()), file, "holds no synset"));
    std::filesystem::remove(scratch / file);
    CHECK(names(fault_of(scratch.path()), file, "no such file"));
  }
}

TEST_CASE("contradictions are named with their byte") {
  CHECK(names(damaged("data.noun", "00000016 03", "00000017 03"), "data.noun (at byte 16)", "stands at byte 17"));
  CHECK(
      names(damaged("data.verb", "00000076", "00000077"), "data.verb (at byte 43)", "synset at byte 77", "data.noun"));
  CHECK(names(damaged("data.noun", " 03 ", " 45 "), "data.noun (at byte 25)", "lexicographer file 45"));
  CHECK(names(damaged("data.verb", "38 v", "38 n"), "data.verb (at byte 28)", "synset type n"));
  CHECK(names(damaged("data.noun", " n 0000", " x 0000"), "data.noun", "part of speech x"));
  CHECK(names(damaged("data.verb", " v 01 ", " v 02 "), "data.verb", "not a number"));
  CHECK(names(damaged("data.adv", "|", "-"), "data.adv", "no gloss"));
}
