// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/parts/parts_loaded.hpp>

#include <filesystem>

namespace glt::io {

/// Loads what a rank owns, as `load_for_rank(parts_folder(folder), rank, num_ranks)` of `<glt/io/parts/parts.hpp>` does, which
/// glt::instances has compiled.
///
/// @throws precondition_error  as there
/// @throws io_error            as there
[[nodiscard]] loaded_part load_for_rank(std::filesystem::path const& folder, int rank, int num_ranks);

} // namespace glt::io
