// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "archives.hpp"
#include "scratch.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace glt_test {

/// Files of a folder, by name and bytes.
using named_files = std::vector<std::pair<std::string, std::string>>;

inline named_files without(named_files all, std::vector<std::string> const& gone) {
  std::erase_if(all, [&](auto const& file) { return std::ranges::find(gone, file.first) != gone.end(); });
  return all;
}

inline named_files with(named_files all, std::string const& name, std::string const& bytes) {
  all = without(std::move(all), {name});
  all.emplace_back(name, bytes);
  return all;
}

inline void write(scratch_folder const& folder, named_files const& all) {
  for (auto const& [name, bytes] : all) {
    write_bytes(folder / name, bytes);
  }
}

/// Four vertices, five edges with a self-loop and a double edge, everything that a folder may hold.
inline named_files small_folder() {
  return {{"edge_index.npy", npy_pairs({0, 1, 2, 2, 0, 1, 2, 2, 0, 1})},
          {"edge_feat.npy", npy_bytes("<f2", "(5, 2)", std::string(20, '\1'))},
          {"edge_weight.npy", npy_floats({1, 2, 3, 4, 5})},
          {"edge_time.npy", npy_longs({5, 4, 3, 2, 1})},
          {"valid_edge.npy", npy_pairs({0, 3})},
          {"valid_edge_neg.npy", npy_pairs({0, 1, 3, 3})},
          {"test_edge_neg.npy", npy_pairs({2, 3})},
          {"node_feat.npy", npy_bytes("<f4", "(4, 2)", raw(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}))},
          {"node_label.npy", npy_bytes("<i4", "(4,)", raw(std::vector<std::int32_t>{0, 1, 2, 0}))},
          {"node_time.npy", npy_longs({1990, 1991, 1992, 1993})},
          {"train_idx.npy", npy_longs({3, 0})},
          {"valid_idx.npy", npy_bytes("<u4", "(1,)", raw(std::vector<std::uint32_t>{1}))},
          {"test_idx.npy", npy_longs({})},
          {"edge_index_raw.npy", "not read"}};
}

} // namespace glt_test
