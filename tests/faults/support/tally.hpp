// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <map>
#include <string>

namespace glt_fault {

/// How a program took a fault.
enum class verdict {
  same_error,  ///< every rank ended with an error of the library
  aborted,     ///< the job was ended everywhere, with a line that names rank and cause
  right,       ///< the result is right all the same
  hang,        ///< not over within the limit
  wrong,       ///< it says that it succeeded, with another result
  crash,       ///< it ended without saying why
  launcher,    ///< all ranks ended, but not their launcher, which runs no code of glt; does not fail
  not_reached, ///< it was over before the fault could happen; not counted
};

inline char const* name_of(verdict of) {
  constexpr std::array names{"same error",     "aborted",      "unnoticed but right",
                             "hang",           "silent wrong", "crash without message",
                             "launcher hangs", "not reached"};
  return names[static_cast<std::size_t>(of)];
}

/// Counts verdicts, and prints those that must not be.
class tally {
public:
  explicit tally(std::string harness) : harness_(std::move(harness)) {}

  void add(verdict of, std::string const& what, std::string const& why = {}) {
    ++counts_[of];
    if (of == verdict::hang || of == verdict::wrong || of == verdict::crash || of == verdict::launcher) {
      std::printf("%s: %s\n%s", name_of(of), what.c_str(), why.c_str());
      if (!why.empty() && why.back() != '\n') {
        std::printf("\n");
      }
      std::fflush(stdout);
    }
  }

  /// Prints the line of the harness; returns the exit status of the program.
  int finish() {
    auto const injected = counts_[verdict::same_error] + counts_[verdict::aborted] + counts_[verdict::right] +
                          counts_[verdict::hang] + counts_[verdict::wrong] + counts_[verdict::crash] +
                          counts_[verdict::launcher];
    std::printf("%s: injected %d, same error %d, aborted %d, unnoticed but right %d, hang %d, silent wrong %d, "
                "crash without message %d\n",
                harness_.c_str(), injected, counts_[verdict::same_error], counts_[verdict::aborted],
                counts_[verdict::right], counts_[verdict::hang], counts_[verdict::wrong], counts_[verdict::crash]);
    if (counts_[verdict::launcher] > 0) {
      std::printf("%s: the launcher alone did not end, after all of its ranks had: %d of these\n", harness_.c_str(),
                  counts_[verdict::launcher]);
    }
    bool const failed = injected == 0 || counts_[verdict::hang] + counts_[verdict::wrong] + counts_[verdict::crash] > 0;
    return failed ? 1 : 0;
  }

private:
  std::string harness_;
  std::map<verdict, int> counts_;
};

} // namespace glt_fault
