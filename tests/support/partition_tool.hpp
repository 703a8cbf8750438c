// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "places.hpp"
#include "random_ids.hpp"
#include "scratch.hpp"

#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/io/array/npy.hpp>

#include <sys/wait.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace glt_test {

/// How a program ended, and what it printed.
struct outcome {
  int status = -1;
  std::string out;
  std::string errors;
};

/// Runs glt-partition, under a launcher if one is given.
inline outcome run_tool(scratch_folder const& scratch, std::string const& arguments, std::string const& launcher = "") {
  auto const out = scratch / "stdout";
  auto const errors = scratch / "stderr";
  auto const command =
      launcher + " " + places::partition_program + " " + arguments + " > " + out.string() + " 2> " + errors.string();
  int const status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_bytes(out), read_bytes(errors)};
}

inline bool has(std::string const& text, char const* word) {
  return text.find(word) != std::string::npos;
}

/// Writes a random folder of .npy files of a graph without types.
inline void write_folder(std::filesystem::path const& folder, std::int64_t num_vertices, std::int64_t num_edges,
                         std::int64_t columns) {
  std::filesystem::create_directory(folder);
  auto const edges = random_ids(2 * num_edges, num_vertices, static_cast<std::uint64_t>(num_edges));
  std::vector<float> features(static_cast<std::size_t>(num_vertices * columns));
  std::vector<std::int64_t> labels(static_cast<std::size_t>(num_vertices));
  for (std::size_t i = 0; i < features.size(); ++i) {
    features[i] = static_cast<float>(i % 1009);
  }
  std::vector<std::int64_t> train;
  for (std::int64_t v = 0; v < num_vertices; v += 7) {
    train.push_back(v);
  }
  glt::io::write_npy(folder / "edge_index.npy", glt::host_matrix<std::int64_t const>(edges.data(), 2, num_edges));
  glt::io::write_npy(folder / "node_feat.npy", glt::host_matrix<float const>(features.data(), num_vertices, columns));
  glt::io::write_npy(folder / "node_label.npy", labels);
  glt::io::write_npy(folder / "train_idx.npy", train);
}

} // namespace glt_test
