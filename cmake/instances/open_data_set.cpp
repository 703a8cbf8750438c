// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/instances/data_set.hpp>
#include <glt/io/parts/open_data_set.hpp>

namespace glt::io {

dist::data_set<device::cpu> open_data_set(mpi_comm& comm, std::filesystem::path const& folder) {
  return open_data_set(comm, folder, {});
}

} // namespace glt::io
