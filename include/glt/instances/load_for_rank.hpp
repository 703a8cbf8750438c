// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/data_part.hpp>

#include <filesystem>

namespace glt::io {

/// Loads a rank's rows, as `load_for_rank(parts_folder(folder), rank, num_ranks)` of `<glt/io/parts/parts.hpp>`,
/// compiled in glt::instances.
///
/// @throws precondition_error  as there
/// @throws io_error            as there
[[nodiscard]] dist::data_part<device::cpu> load_for_rank(std::filesystem::path const& folder, int rank, int num_ranks);

} // namespace glt::io
