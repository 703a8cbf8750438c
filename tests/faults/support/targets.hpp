// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/partition_input.hpp"
#include "sweep.hpp"

#include <vector>

namespace glt_fault {

/// Jobs of several kinds; the files of those of glt-partition are in `scratch`.
inline std::vector<target> make_targets([[maybe_unused]] glt_test::scratch_folder const& scratch) {
  std::vector<target> made{
      {"sample", 3, {GLT_FAULT_SAMPLE}},
      {"node", 3, {GLT_FAULT_NODE}},
      {"full batch", 3, {GLT_FAULT_FULL_BATCH}},
      {.name = "server and clients", .ranks = 3, .program = {GLT_FAULT_SERVED}},
      {.name = "worker and trainers", .ranks = 3, .program = {GLT_FAULT_SERVED, "shared"}},
      {.name = "two servers", .ranks = 3, .program = {GLT_FAULT_SERVED, "two"}}};
#ifdef GLT_PARTITION_PROGRAM
  write_partition_input(scratch / "input", 300, 2000);
  auto const partition = [&](std::string name, int ranks, std::vector<std::string> more) {
    auto const out = scratch / name;
    std::vector<std::string> words{
        GLT_PARTITION_PROGRAM, (scratch / "input").string(), "--parts", "2", "--out", out.string()};
    words.insert(words.end(), more.begin(), more.end());
    made.push_back({name, ranks, words, "mpi", out, false});
  };
  partition("partition-2", 2, {});
  partition("partition-1", 1, {});
  partition("partition-memory", 1, {"--memory", "64MB"});
#endif
  return made;
}

} // namespace glt_fault
