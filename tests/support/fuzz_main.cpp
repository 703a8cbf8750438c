// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fuzz_<target> [first case] [number of cases] [folder]: runs a fuzz target without libFuzzer, on its seeds changed at
// random. All of a case follows from its number, which is told if the case ends the program. With a folder it only
// writes the seeds there, for libFuzzer to begin with.
#include "fuzz.hpp"

#include <glt/core/random.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::uint64_t volatile running = 0;

extern "C" void tell_case(int signal) {
  std::fprintf(stderr, "case %llu ended the program\n", static_cast<unsigned long long>(running));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

constexpr std::array<std::string_view, 24> words{"\n",
                                                 "\r\n",
                                                 "\r",
                                                 " ",
                                                 "\t",
                                                 ",",
                                                 ";",
                                                 "#",
                                                 "%",
                                                 "-",
                                                 "0",
                                                 "1",
                                                 "7",
                                                 "255",
                                                 "1.5",
                                                 ".",
                                                 "1e9",
                                                 "1e-400",
                                                 "1e400",
                                                 "nan",
                                                 "9223372036854775807",
                                                 "9223372036854775808",
                                                 "4294967296",
                                                 "\xEF\xBB\xBF"};

std::string make_case(std::vector<std::string> const& seeds, std::uint64_t number) {
  glt::random_stream draws(glt::random_key(number), 0);
  auto const below = [&](std::size_t limit) {
    return limit == 0 ? std::size_t{0} : static_cast<std::size_t>(draws.below(limit));
  };
  auto made = seeds[below(seeds.size())];
  for (auto left = below(6); left > 0; --left) {
    auto const at = below(made.size() + 1);
    auto const length = below(std::min<std::size_t>(made.size() - at, 1 + below(12)) + 1);
    switch (below(8)) {
    case 0:
    case 1:
      made.insert(at, words[below(words.size())]);
      break;
    case 2:
      made.replace(at, length, words[below(words.size())]);
      break;
    case 3:
      made.erase(at, length);
      break;
    case 4:
      made.insert(below(made.size() + 1), made.substr(at, length));
      break;
    case 5:
      if (at < made.size()) {
        made[at] = static_cast<char>(made[at] ^ (1 << below(8)));
      }
      break;
    case 6:
      if (at < made.size()) {
        made[at] = static_cast<char>(below(256));
      }
      break;
    default: {
      auto const& other = seeds[below(seeds.size())];
      made = made.substr(0, at) + other.substr(below(other.size() + 1));
    }
    }
  }
  return made;
}

void run(std::string const& input) {
  // A copy of exactly its size, so that sanitizers see the first byte behind it.
  std::vector<std::uint8_t> const bytes(input.begin(), input.end());
  static_cast<void>(LLVMFuzzerTestOneInput(bytes.data(), bytes.size()));
}

} // namespace

int main(int argc, char** argv) {
  auto const argument = [&](int i, std::uint64_t otherwise) {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  auto const first = argument(1, 0);
  auto const count = argument(2, 10'000);
  auto const seeds = glt_test::fuzz_seeds();
  if (argc > 3) {
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      std::ofstream(std::filesystem::path(argv[3]) / ("seed" + std::to_string(i)), std::ios::binary) << seeds[i];
    }
    return 0;
  }
  std::signal(SIGABRT, tell_case);
  std::signal(SIGSEGV, tell_case);
  try {
    for (auto const& seed : seeds) {
      run(seed);
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      running = first + i;
      run(make_case(seeds, running));
    }
  } catch (std::exception const& error) {
    std::fprintf(stderr, "case %llu threw: %s\n", static_cast<unsigned long long>(running), error.what());
    return 1;
  }
  std::printf("%llu cases from %llu on, and %zu seeds\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(first), seeds.size());
}
