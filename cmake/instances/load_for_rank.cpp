// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <glt/instances/load_for_rank.hpp>
#include <glt/io/parts/parts.hpp>

namespace glt::io {

dist::data_part<device::cpu> load_for_rank(std::filesystem::path const& folder, int rank, int num_ranks) {
  return load_for_rank(parts_folder(folder), rank, num_ranks);
}

} // namespace glt::io
