// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/instances/data_set.hpp>

template class glt::dist::data_set<glt::device::cpu, glt::global_id>;
template glt::dist::data_set<glt::device::cpu, glt::global_id>::data_set(
    glt::mpi_comm&, glt::dist::data_part<glt::device::cpu, glt::global_id>&&, glt::dist::reading, glt::dist::topology);
