// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/data_set.hpp>
#include <glt/mpi/communicator.hpp>

#include <filesystem>

// Data sets of the usual types over MPI are compiled in glt::instances: a program that includes this header links it and
// does not compile them.
/// @cond
extern template class glt::dist::data_set<glt::device::cpu, glt::global_id>;
extern template glt::dist::data_set<glt::device::cpu, glt::global_id>::data_set(
    glt::mpi_comm&, glt::dist::data_part<glt::device::cpu, glt::global_id>&&, glt::dist::reading, glt::dist::topology);
/// @endcond

namespace glt::io {

/// Opens a folder of parts, as `open_data_set` of `<glt/io/parts/open_data_set.hpp>` does without options, compiled in
/// glt::instances.
///
/// @comm   collective, as there
/// @throws collective_error  as there
[[nodiscard]] dist::data_set<device::cpu> open_data_set(mpi_comm& comm, std::filesystem::path const& folder);

} // namespace glt::io
