// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets one MPI call after the other fail on one rank of a job: once, and from then on.
#include "support/places.hpp"
#include "support/sweep.hpp"
#include "support/targets.hpp"

int main(int argc, char** argv) {
  using namespace glt_fault;
  auto const chosen = parse(argc, argv);
  glt_test::scratch_folder const scratch;
  tally counts("mpi calls");
  sweep sweeping(chosen, glt_test::places::fail_mpi, counts);
  long const more = chosen.full ? 70 : 1;
  for (auto const& job : make_targets(scratch)) {
    if (job.ranks > 1) {
      sweeping.run(job, "once", {}, 4 * more);
      sweeping.run(job, "from then on", {{"GLT_FAULT_LASTING", "1"}}, 2 * more);
    }
  }
  return counts.finish();
}
