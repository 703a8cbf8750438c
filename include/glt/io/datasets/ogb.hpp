// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/data_set.hpp>
#include <glt/io/datasets/detail/ogb_reader.hpp>
#include <glt/io/datasets/detail/ogb_tables.hpp>
#include <glt/io/datasets/ogb_files.hpp>

#include <filesystem>
#include <utility>

namespace glt::io {

/// Reads a data set of the Open Graph Benchmark from the folder that it was unpacked to, or from raw/ in it: sets
/// for vertices and links, with and without types, of one graph.
///
/// Tables are CSV, packed or not: `edge`, `num-node-list`, `node-feat`, `node-label`, `edge-feat`; `node_year` and
/// `edge_year` become times, `edge_weight` weights, and every other `node_…` and `edge_…` a feature of that name.
/// With types: `num-node-dict`, `triplet-type-list`, relations/SOURCE___RELATION___DESTINATION/, node-feat/TYPE/ and
/// node-label/TYPE/. Edges are as stored: sets whose edges count for both directions have each once, and
/// `symmetrize` adds the others.
///
/// Splits of vertices are lists `train`, `valid` and `test` in split/NAME/, with types in split/NAME/TYPE/. Splits of
/// links are files of torch.save, `train.pt`, `valid.pt` and `test.pt`, or all in `split_dict.pt`: pairs as "edge" and
/// "edge_neg", as "source_node" and "target_node", or as "head" and "tail", NumPy's arrays or tensors. What else they
/// hold, and pairs in graphs with types, is left out and told to `on_note`. Pairs that were saved beside them as
/// `valid_edge.npy`, `valid_edge_neg.npy` and so on, [2, L] or [L, 2], are read instead.
///
/// @throws io_error  if the folder does not hold such a set, has several splits of which none was chosen, a file is
///                   missing, damaged or of the wrong row count, or names a vertex that does not exist
[[nodiscard]] inline data_set read_ogb(std::filesystem::path const& folder, ogb_options const& options = {}) {
  auto read = detail::ogb_reader(folder, options, detail::tables_in_memory(options.reading)).read();
  return {std::move(read.name), std::move(read.nodes), std::move(read.edges)};
}

} // namespace glt::io
