// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/core/error.hpp>

#include "partition/launcher.hpp"
#include "support/partition_tool.hpp"
#include "support/scratch.hpp"

#include <map>
#include <string>

using namespace glt_test;
using glt_partition::launched_ranks;

namespace {

int ranks_in(std::map<std::string, std::string> const& environment) {
  return launched_ranks([&](char const* name) {
           auto const found = environment.find(name);
           return found == environment.end() ? nullptr : found->second.c_str();
         })
      .ranks;
}

} // namespace

TEST_CASE("the innermost launcher says how many ranks there are") {
  CHECK(ranks_in({}) == 1);
  CHECK(ranks_in({{"OMPI_COMM_WORLD_SIZE", "4"}}) == 4);
  CHECK(ranks_in({{"PMI_SIZE", "3"}}) == 3);
  CHECK(ranks_in({{"SLURM_STEP_NUM_TASKS", "2"}}) == 2);
  CHECK(ranks_in({{"SLURM_NTASKS", "8"}, {"SLURM_NPROCS", "8"}, {"SLURM_PROCID", "0"}}) == 1); // a script of sbatch
  CHECK(ranks_in({{"OMPI_COMM_WORLD_SIZE", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}}) == 1);        // mpirun inside of it
  CHECK(ranks_in({{"PMI_SIZE", "many"}}) == 1);
}

TEST_CASE("only processes of one job that see each other may go on") {
  CHECK_NOTHROW(glt_partition::check_launcher({1, "PMI_SIZE"}, 0));
  CHECK_NOTHROW(glt_partition::check_launcher({4, "PMI_SIZE"}, 4));
  CHECK_NOTHROW(glt_partition::check_launcher({}, 1));
  CHECK_THROWS_WITH_AS(glt_partition::check_launcher({4, "PMI_SIZE"}, 0), doctest::Contains("built without MPI"),
                       glt::precondition_error);
  CHECK_THROWS_WITH_AS(glt_partition::check_launcher({4, "PMI_SIZE"}, 1), doctest::Contains("sees one"),
                       glt::precondition_error);
}

TEST_CASE("glt-partition under a launcher whose ranks it cannot see stops before it does anything") {
  scratch_folder const scratch;
  auto const out = scratch / "parts";
  auto const alone = run_tool(scratch, "nothing-there --parts 2 --out " + out.string(), "env SLURM_STEP_NUM_TASKS=2");
  CHECK(alone.status == 1);
  CHECK(alone.out.empty());
  CHECK(has(alone.errors, "a launcher started 2 ranks (SLURM_STEP_NUM_TASKS=2), and "));
  CHECK(has(alone.errors, "env -u SLURM_STEP_NUM_TASKS"));
}
