// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/guard.hpp>
#include <glt/dist/feature_store.hpp>
#include <glt/dist/graph.hpp>
#include <glt/io/parts/parts.hpp>
#include <glt/io/parts/parts_content.hpp>
#include <glt/io/parts/parts_folder.hpp>
#include <glt/io/parts/parts_loaded.hpp>
#include <glt/memory/memory.hpp>

#include <filesystem>

namespace glt::io {

/// One rank's part of a data set; the other ranks hold the other parts.
struct opened_part {
  dist::graph<device::cpu> graph;
  dist::feature_store<device::cpu, float> features; ///< with labels, if they are whole numbers
  std::vector<global_id> train;                     ///< global ids of this part's training vertices
  std::vector<global_id> valid;
  std::vector<global_id> test;
  std::int64_t num_classes; ///< one more than the largest label of all ranks; 0 without labels
};

/// Connects a part that was loaded or made with the parts of the other ranks.
///
/// @comm   collective; the exchanges of `dist::graph` and `dist::feature_store`, a header exchange and a reduction
/// @throws collective_error  as `dist::graph` and `dist::feature_store`
template <communicator Comm>
[[nodiscard]] opened_part open_part(Comm& comm, loaded_part part) {
  dist::graph graph(comm, std::move(part.graph));
  dist::feature_store features(comm, graph.book(), std::move(part.features));
  std::int64_t num_classes = 0;
  for (auto const label : features.local().labels) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    num_classes = std::max(num_classes, std::min(label, most - 1) + 1);
  }
  return {std::move(graph),      std::move(features),  std::move(part.train),
          std::move(part.valid), std::move(part.test), reduce_over_ranks(comm, num_classes, reduction::max)};
}

/// Loads this rank's part of a folder of `write_parts` by `load_for_rank`, and connects it with the other ranks' parts.
///
/// @comm   collective; one header exchange more than with a part that was loaded
/// @throws collective_error  on every rank, if one cannot load its part, or manifests differ: parts of two partitionings may
///                           have the same sizes
template <communicator Comm>
[[nodiscard]] opened_part open_part(Comm& comm, std::filesystem::path const& folder, load_options const& options = {}) {
  loaded_part part;
  run_together(comm, [&] { part = load_for_rank(parts_folder(folder), comm.rank(), comm.size(), options); });
  return open_part(comm, std::move(part));
}

} // namespace glt::io
