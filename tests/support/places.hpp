// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Paths and commands that depend on where the tests are built. `glt_add_places` of tests/CMakeLists.txt compiles them in a
/// unit of a few lines for each program, so that no other unit mentions the folder and a compiler cache serves all clones.
namespace glt_test::places {

extern char const* const data;              ///< folder of public data sets
extern char const* const partition_program; ///< glt-partition
extern char const* const formats_guide;     ///< docs/guides/formats.md
extern char const* const launcher;          ///< command that starts ranks of MPI, without their number
extern char const* const environment;       ///< `NAME=value` words for the launcher
extern char const* const fail_allocations;  ///< library to preload: allocations fail
extern char const* const fail_mpi;          ///< library to preload: MPI calls fail
extern char const* const job_sample;        ///< programs of tests/faults/jobs
extern char const* const job_start;
extern char const* const job_node;
extern char const* const job_full_batch;
extern char const* const job_served;
extern char const* const job_saved;
extern char const* const jobs_that_throw; ///< all programs of jobs/throw*.cpp

} // namespace glt_test::places
