// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/partition_input.hpp"
#include "support/places.hpp"
#include "sweep.hpp"

#include <filesystem>
#include <vector>

namespace glt_fault {

/// Jobs of several kinds; the files of those of glt-partition are in `scratch`.
inline std::vector<target> make_targets([[maybe_unused]] glt_test::scratch_folder const& scratch) {
  std::vector<target> made{
      {"sample", 3, {glt_test::places::job_sample}},
      {"node", 3, {glt_test::places::job_node}},
      {"full batch", 3, {glt_test::places::job_full_batch}},
      {.name = "server and clients", .ranks = 3, .program = {glt_test::places::job_served}},
      {.name = "worker and trainers", .ranks = 3, .program = {glt_test::places::job_served, "shared"}},
      {.name = "two servers", .ranks = 3, .program = {glt_test::places::job_served, "two"}}};
#ifdef GLT_TEST_SAVED
  std::filesystem::create_directory(scratch / "saved");
  made.push_back({"saved", 3, {glt_test::places::job_saved, (scratch / "saved").string()}});
#endif
#ifdef GLT_TEST_PARTITION
  write_partition_input(scratch / "input", 300, 2000);
  auto const partition = [&](std::string name, int ranks, std::vector<std::string> more) {
    auto const out = scratch / name;
    std::vector<std::string> words{
        glt_test::places::partition_program, (scratch / "input").string(), "--parts", "2", "--out", out.string()};
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
