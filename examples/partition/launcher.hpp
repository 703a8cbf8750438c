// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

namespace glt_partition {

/// How many ranks a launcher has started this process with, and the variable of the environment that says so.
struct launched {
  int ranks = 1;
  std::string_view variable{};
};

/// Asks the environment, `value_of(name)`, what launchers of MPI and srun leave in it. The innermost launcher counts: under
/// mpirun in a job of Slurm the step is that of its daemons, and a script of sbatch is no step.
template <class Lookup>
launched launched_ranks(Lookup value_of) {
  for (std::string_view const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    if (char const* const text = value_of(name.data())) {
      std::string_view const number = text;
      int ranks = 1;
      if (std::from_chars(number.data(), number.data() + number.size(), ranks).ec != std::errc{}) {
        ranks = 1;
      }
      return {ranks, name};
    }
  }
  return {};
}

/// The same of the environment of this process.
inline launched launched_ranks() {
  return launched_ranks([](char const* name) { return std::getenv(name); });
}

/// Refuses to be one of several processes that do not know of each other: `ranks` are those that MPI sees, 0 without MPI.
inline void check_launcher(launched const& found, int ranks) {
  if (found.ranks <= 1 || ranks > 1) {
    return;
  }
  bool const without_mpi = ranks == 0;
  throw glt::precondition_error(glt::detail::message(
      "a launcher started ", found.ranks, " ranks (", found.variable, "=", found.ranks, "), and ",
      without_mpi ? "this program was built without MPI" : "the MPI library of this program sees one",
      ": each of them would do all the work and write the same folder. Start it without the launcher, or ",
      without_mpi ? "build it with -DGLT_MPI=ON" : "with the mpirun of its MPI library (with srun: --mpi=pmix)",
      "; where it is meant to run alone, start it by env -u ", found.variable));
}

} // namespace glt_partition
