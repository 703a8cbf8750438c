// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets one allocation after the other fail on one rank of a job: once, and from then on; the first ones of `main` as
// well.
#include "support/sweep.hpp"
#include "support/targets.hpp"

int main(int argc, char** argv) {
  using namespace glt_fault;
  auto const chosen = parse(argc, argv);
  glt_test::scratch_folder const scratch;
  tally counts("allocations");
  sweep sweeping(chosen, glt_test::places::fail_allocations, counts);
  long const more = chosen.full ? 50 : 1;
  for (auto const& job : make_targets(scratch)) {
    sweeping.run(job, "any, once", {}, 4 * more);
    sweeping.run(job, "4 KiB or more, once", {{"GLT_FAULT_BYTES", "4096"}}, more);
    sweeping.run(job, "any, from then on", {{"GLT_FAULT_LASTING", "1"}}, 2 * more);
    if (chosen.full) {
      sweeping.run(job, "malloc, once", {{"GLT_FAULT_LEVEL", "malloc"}}, 2 * more);
    }
  }
  // The first ones of `main`: no guard of all ranks runs yet.
  target const start{
      .name = "start", .ranks = 3, .program = {glt_test::places::job_start}, .arm = "mpi", .says_ranks = false};
  sweeping.run_first(start, "any, once", {}, 10);
  sweeping.run_first(start, "any, once, with a time limit", {{"GLT_FAULT_TIMEOUT", "20"}}, 10);
  sweeping.run_first(start, "any, from then on", {{"GLT_FAULT_LASTING", "1"}}, chosen.full ? 10 : 2);
  return counts.finish();
}
