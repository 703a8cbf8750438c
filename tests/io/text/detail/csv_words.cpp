// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/archives.hpp"
#include "support/errors.hpp"
#include "support/scratch.hpp"

#include <glt/io/datasets/detail/ogb.hpp>

#include <string>
#include <vector>

using namespace glt;
using namespace glt_test;

using table = std::vector<std::vector<std::string>>;

TEST_CASE("words are read from plain and packed text, with either line end and without the last") {
  scratch_folder const scratch;
  table const expected{{"author", "affiliated_with", "institution"}, {"a", "", "c"}, {"single"}, {"", ""}};
  std::string const text = "author,affiliated_with,institution\r\n\na,,c\nsingle\n,";
  for (std::string const& whole : {text, text + "\n", text + "\r\n\r\n"}) {
    write_bytes(scratch / "t.csv", whole);
    CHECK(io::detail::read_csv_words(scratch / "t.csv") == expected);
    write_gzip(scratch / "t.csv.gz", whole);
    CHECK(io::detail::read_csv_words(scratch / "t.csv.gz") == expected);
  }
  write_bytes(scratch / "t.csv", "");
  CHECK(io::detail::read_csv_words(scratch / "t.csv").empty());
}

TEST_CASE("a missing, cut or huge file is refused") {
  scratch_folder const scratch;
  auto const fault_of = [&](std::string const& name) {
    return thrown<io_error>([&] { static_cast<void>(io::detail::read_csv_words(scratch / name)); });
  };
  CHECK(names(fault_of("none.csv"), "none.csv", "no such file"));
  write_gzip(scratch / "t.csv.gz", "a,b,c\n");
  auto const whole = read_bytes(scratch / "t.csv.gz");
  write_bytes(scratch / "t.csv.gz", whole.substr(0, whole.size() - 6));
  CHECK(names(fault_of("t.csv.gz"), "t.csv.gz"));
  write_gzip(scratch / "bomb.csv.gz", std::string(3 << 20, 'a'));
  CHECK(names(fault_of("bomb.csv.gz"), "bomb.csv.gz", "1048576"));
}
