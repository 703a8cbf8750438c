// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/datasets/detail/ogb_files.hpp>
#include <glt/io/datasets/detail/ogb_reader.hpp>
#include <glt/io/datasets/detail/ogb_tables.hpp>
#include <glt/io/raw_data.hpp>

#include <filesystem>

namespace glt::io::detail {

/// Reads a data set of the Open Graph Benchmark from its unpacked folder, or from raw/ in it. Reads sets of one graph,
/// for vertices and links, with and without types.
///
/// Tables are CSV, packed or not: `edge`, `num-node-list`, `node-feat`, `node-label`, `edge-feat`; `node_year` and
/// `edge_year` become times, `edge_weight` weights, and every other `node_…` and `edge_…` a feature of that name.
/// With types: `num-node-dict`, `triplet-type-list`, relations/SOURCE___RELATION___DESTINATION/, node-feat/TYPE/ and
/// node-label/TYPE/. Edges stay as stored: if edges count in both directions, each is stored once, and `symmetrize`
/// adds the reverse edges.
///
/// Splits of vertices are lists `train`, `valid` and `test` in split/NAME/, with types in split/NAME/TYPE/. Splits of
/// links are arrays `valid_edge.npy`, `valid_edge_neg.npy` and so on, [2, L] or [L, 2], with types in
/// split/NAME/SOURCE___RELATION___DESTINATION/. The benchmark has `valid.pt` or `split_dict.pt` instead:
/// examples/convert.py writes them as arrays.
///
/// @throws io_error  if the folder does not hold such a set, no split was chosen of several, a split is only in a .pt
///                   file, a file is missing, damaged or of the wrong row count, or names a vertex that does not exist
[[nodiscard]] inline raw_data read_ogb(std::filesystem::path const& folder, ogb_options const& options = {}) {
  auto read = ogb_reader(folder, options, tables_in_memory(options.reading)).read();
  return {std::move(read.name), std::move(read.nodes), std::move(read.edges)};
}

} // namespace glt::io::detail
