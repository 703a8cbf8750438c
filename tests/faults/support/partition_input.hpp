// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/random_ids.hpp"

#ifdef GLT_TEST_PARTITION
#include <glt/core/view.hpp>
#include <glt/io/array/npy.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace glt_fault {

/// A folder of .npy files for glt-partition: a random graph with features of 4 numbers, labels of 7 classes and splits.
inline void write_partition_input(std::filesystem::path const& folder, std::int64_t num_vertices,
                                  std::int64_t num_edges) {
  std::filesystem::create_directory(folder);
  auto const edges = glt_test::random_ids(2 * num_edges, num_vertices, static_cast<std::uint64_t>(num_edges));
  std::vector<float> features(static_cast<std::size_t>(num_vertices * 4));
  std::vector<std::int64_t> labels(static_cast<std::size_t>(num_vertices));
  for (std::size_t i = 0; i < features.size(); ++i) {
    features[i] = static_cast<float>(i % 1009);
  }
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i] = static_cast<std::int64_t>(i % 7);
  }
  std::vector<std::int64_t> train;
  for (std::int64_t v = 0; v < num_vertices; v += 5) {
    train.push_back(v);
  }
  glt::io::write_npy(folder / "edge_index.npy", glt::host_matrix<std::int64_t const>(edges.data(), 2, num_edges));
  glt::io::write_npy(folder / "node_feat.npy", glt::host_matrix<float const>(features.data(), num_vertices, 4));
  glt::io::write_npy(folder / "node_label.npy", labels);
  glt::io::write_npy(folder / "train_idx.npy", train);
}

} // namespace glt_fault
#endif
