// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/places.hpp"

#include "child.hpp"

#include <glt/core/random.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace glt_fault {

/// What the command line of a harness says; all of them take the same options.
struct settings {
  bool full = false;      ///< --full: thousands of cases instead of about a hundred
  double limit = 15;      ///< --limit SECONDS of a case, after which it hangs
  std::uint64_t seed = 1; ///< --seed NUMBER of the choice of cases
  std::string only{};     ///< --only TEXT: cases whose name holds it
  bool stacks = false;    ///< --stacks: where ranks hang, by gdb
  int cases = 0;          ///< --cases NUMBER of each series, instead of the usual one
};

inline settings parse(int argc, char** argv) {
  settings made;
  for (int i = 1; i < argc; ++i) {
    std::string_view const word = argv[i];
    auto const value = [&]() -> char const* {
      if (i + 1 == argc) {
        std::fprintf(stderr, "%s needs a value\n", argv[i]);
        std::exit(2);
      }
      return argv[++i];
    };
    if (word == "--full") {
      made.full = true;
    } else if (word == "--limit") {
      made.limit = std::atof(value());
    } else if (word == "--seed") {
      made.seed = static_cast<std::uint64_t>(std::atoll(value()));
    } else if (word == "--only") {
      made.only = value();
    } else if (word == "--stacks") {
      made.stacks = true;
    } else if (word == "--cases") {
      made.cases = std::atoi(value());
    } else {
      std::fprintf(stderr,
                   "usage: %s [--full] [--limit SECONDS] [--seed NUMBER] [--only TEXT] [--cases NUMBER] "
                   "[--stacks]\n",
                   argv[0]);
      std::exit(2);
    }
  }
  return made;
}

/// Up to `cases` numbers of 1 to `count`, spread over the range.
inline std::vector<long> spread(long count, long cases, std::uint64_t seed) {
  std::vector<long> chosen;
  glt::random_stream draws(glt::random_key(seed), 0);
  for (long i = 0; i < std::min(count, cases); ++i) {
    auto const first = count * i / std::min(count, cases);
    auto const next = count * (i + 1) / std::min(count, cases);
    chosen.push_back(1 + first + static_cast<long>(draws.below(static_cast<std::uint64_t>(next - first))));
  }
  return chosen;
}

/// What starts `ranks` ranks of a program, with preloaded libraries.
inline std::vector<std::string> launch(int ranks, std::string const& preload, std::vector<std::string> const& program) {
  auto words = words_of(glt_test::places::launcher);
  words.insert(words.end(), {"-n", std::to_string(ranks)});
  if (!preload.empty()) {
    words.insert(words.end(), {"env", "LD_PRELOAD=" + preload});
  }
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

/// The environment in which the launcher works.
inline std::vector<std::pair<std::string, std::string>> launch_environment() {
  std::vector<std::pair<std::string, std::string>> made;
  for (auto const& word : words_of(glt_test::places::environment)) {
    auto const sign = word.find('=');
    made.emplace_back(word.substr(0, sign), word.substr(sign + 1));
  }
  return made;
}

} // namespace glt_fault
