// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: ptscotch_partitioner needs processes of MPI as ranks: pass a glt::mpi_comm
// needs: ptscotch
// lines: 17
#include <glt/comm/threads.hpp>
#include <glt/dist/builder/make_data_set.hpp>
#include <glt/ptscotch/partitioner.hpp>

#ifdef GLT_FAIL
using comm_type = glt::threads_comm;
#else
using comm_type = glt::mpi_comm;
#endif

inline glt::dist::data_set<glt::device::cpu> made_on_ranks(comm_type comm) {
  return glt::dist::make_data_set(comm, {}, glt::ptscotch_partitioner{});
}
