// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/places.hpp"
#include "support/scratch.hpp"

#include "child.hpp"
#include "partition_input.hpp"
#include "settings.hpp"
#include "tally.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace glt_fault {

using folder_files = std::map<std::string, std::string>;

/// A way to call glt-partition.
struct partition_call {
  std::string name;
  int ranks; ///< 0: without a launcher
  std::vector<std::string> more;
};

inline std::vector<partition_call> partition_calls() {
  return {{"in memory", 0, {}}, {"--memory", 0, {"--memory", "64MB"}}, {"2 ranks", 2, {}}};
}

/// glt-partition of `folder`/input to `folder`/parts.
inline command partition_command(partition_call const& call, std::filesystem::path const& input,
                                 std::filesystem::path const& out) {
  std::vector<std::string> words{
      glt_test::places::partition_program, input.string(), "--parts", "2", "--out", out.string()};
  words.insert(words.end(), call.more.begin(), call.more.end());
  return {call.ranks > 0 ? launch(call.ranks, "", words) : words, launch_environment()};
}

/// What a call makes without a fault, and how long it takes.
struct reference {
  folder_files files;
  double seconds = 0;
};

inline reference run_reference(partition_call const& call, std::filesystem::path const& input,
                               std::filesystem::path const& out, std::filesystem::path const& output) {
  reference made;
  for (int turn = 0; turn < 2; ++turn) { // the first one warms up
    std::filesystem::remove_all(out);
    auto const start = std::chrono::steady_clock::now();
    child running(partition_command(call, input, out), output);
    if (!running.wait(60) || running.status() != 0) {
      throw std::runtime_error(call.name + " fails without a fault: " + running.text());
    }
    made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    made.files = glt_test::files_of(out);
  }
  std::filesystem::remove_all(out);
  return made;
}

/// What is in a folder, beside some names.
inline std::set<std::string> names_in(std::filesystem::path const& folder, std::set<std::string> const& beside = {}) {
  std::set<std::string> found;
  for (auto const& entry : std::filesystem::directory_iterator(folder)) {
    if (auto const name = entry.path().filename().string(); beside.count(name) == 0) {
      found.insert(name);
    }
  }
  return found;
}

/// True if glt-partition ended with an error of its own.
inline bool says_error(child const& over) {
  auto const text = over.text();
  return over.signal() == 0 && over.status() != 0 && text.find("glt-partition: ") != std::string::npos &&
         text.find("terminate called") == std::string::npos && text.find("bad_alloc") == std::string::npos;
}

} // namespace glt_fault
