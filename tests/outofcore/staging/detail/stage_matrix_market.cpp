// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "support/staging.hpp"

#include <glt/core/random.hpp>
#include <glt/io/text/detail/matrix_market.hpp>
#include <glt/outofcore/staging/detail/stage_text.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

using namespace glt;
using namespace glt_test;

namespace {

void check(std::string const& text, int threads = 1) {
  io::read_options const reading{.threads = threads, .on_progress = {}};
  check_staging(
      text, [&](std::filesystem::path const& file) { return io::detail::read_matrix_market(file, reading); },
      [&](auto comm, std::filesystem::path const& file, std::filesystem::path const& folder) {
        io::detail::stage_matrix_market(comm, file, folder, reading);
      });
}

std::string random_matrix(std::string const& field, std::string const& symmetry, std::int64_t num_entries,
                          std::int64_t said) {
  random_stream draws(random_key(6), static_cast<std::uint64_t>(num_entries));
  auto text = "%%MatrixMarket matrix coordinate " + field + " " + symmetry + "\n% of 30 rows\n\n30 30 " +
              std::to_string(said) + "\n";
  for (std::int64_t i = 0; i < num_entries; ++i) {
    auto const row = 2 + draws.below(29);
    auto const column = 1 + draws.below(row - 1);
    text += std::to_string(row) + " " + std::to_string(column);
    text += field == "pattern" ? "\n" : " -" + std::to_string(draws.below(1000)) + "\n";
    text += draws.below(9) == 0 ? "% a remark\n" : "";
  }
  return text;
}

} // namespace

TEST_CASE("any number of ranks make the folder of what one reads, of every kind of matrix") {
  for (std::int64_t const num_entries : {0, 1, 3, 200}) {
    for (char const* const symmetry : {"general", "symmetric", "skew-symmetric"}) {
      check(random_matrix("integer", symmetry, num_entries, num_entries));
      check(random_matrix("pattern", symmetry, num_entries, num_entries), 2);
    }
  }
}

TEST_CASE("faults are those of the reader, with the line in the whole file") {
  check("");
  check("%%MatrixMarket matrix array real general\n");
  check("%%MatrixMarket matrix coordinate real general\n3 4 1\n");
  check(random_matrix("integer", "symmetric", 50, 51));
  check(random_matrix("integer", "general", 50, 49));
  check(random_matrix("integer", "general", 0, 1));
  check(random_matrix("pattern", "general", 60, 61) + "31 1\n");
  check(random_matrix("pattern", "symmetric", 60, 61) + "1 2\n" + std::string(700, '\n'));
  check("%%MatrixMarket matrix coordinate pattern general\n4000000000 4000000000 1\n1 2\n");
}
