// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/data_part.hpp>
#include <glt/dist/data_set.hpp>
#include <glt/io/parts/detail/rank_parts.hpp>
#include <glt/io/parts/parts_folder.hpp>

#include <filesystem>

namespace glt::io {

/// Opens a folder of parts, with types or without, on any number of ranks: loads this rank's rows by `load_for_rank`,
/// and joins them with the rows of the other ranks. Ranks of one machine read each other's rows in place, unless options
/// say otherwise, or features are read from disk.
///
///     auto const data = glt::io::open_data_set(comm, "parts");
///
/// @comm   collective; a header exchange, and the exchanges of `dist::data_set`
/// @throws collective_error  on every rank, if one cannot load its part, or manifests differ: parts of two
///                           partitionings may have the same sizes
template <communicator Comm>
[[nodiscard]] dist::data_set<device::cpu> open_data_set(Comm& comm, std::filesystem::path const& folder,
                                                        parts_folder::load_options const& options = {}) {
  dist::data_part<device::cpu> part;
  run_together(comm, [&] { part = parts_folder(folder).load_for_rank(comm.rank(), comm.size(), options); });
  return {comm, std::move(part), options.disk ? dist::reading::by_messages : options.reading, options.topology};
}

} // namespace glt::io
