// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>
#include <glt/dist/data_part.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/io/parts/parts.hpp>
#include <glt/io/parts/parts_folder.hpp>
#include <glt/memory/memory.hpp>

#include <filesystem>

namespace glt::io {

/// Opens a folder of parts, with types or without: loads this rank's parts by `load_for_rank`, and joins them with the
/// parts of the other ranks. Ranks of one machine read each other's parts in place, unless options say otherwise.
///
///     auto const data = glt::io::open_data_set(comm, "parts");
///
/// @comm   collective; a header exchange, and the exchanges of `dist::data_set`
/// @throws collective_error  on every rank, if one cannot load its part, or manifests differ: parts of two
///                           partitionings may have the same sizes
template <communicator Comm>
[[nodiscard]] dist::data_set<device::cpu> open_data_set(Comm& comm, std::filesystem::path const& folder,
                                                        load_options const& options = {}) {
  dist::data_part<device::cpu> part;
  run_together(comm, [&] { part = load_for_rank(parts_folder(folder), comm.rank(), comm.size(), options); });
  return {comm, std::move(part), options.reading};
}

} // namespace glt::io
