// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stops one rank of a job with a time limit at one MPI call after the other: the others must end the job.
#include "support/places.hpp"
#include "support/sweep.hpp"
#include "support/targets.hpp"

int main(int argc, char** argv) {
  using namespace glt_fault;
  auto const chosen = parse(argc, argv);
  glt_test::scratch_folder const scratch;
  tally counts("stops");
  sweep sweeping(chosen, glt_test::places::fail_mpi, counts);
  for (auto job : make_targets(scratch)) {
    if (job.ranks > 1) {
      if (!job.made.empty()) {
        job.program.insert(job.program.end(), {"--timeout", "1"});
      }
      sweeping.run(job, "stopped", {{"GLT_FAULT_STOP", "1"}, {"GLT_FAULT_TIMEOUT", "1"}}, chosen.full ? 70 : 2);
    }
  }
  return counts.finish();
}
