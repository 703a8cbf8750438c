// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/io/detail/input_watch.hpp>
#include <glt/io/progress.hpp>
#include <glt/io/text/detail/edge_lines.hpp>
#include <glt/io/text/detail/one_graph.hpp>
#include <glt/io/text/detail/parse_lines.hpp>
#include <glt/io/text/detail/text_source.hpp>
#include <glt/io/text/edge_list.hpp>
#include <glt/outofcore/detail/text_slices.hpp>
#include <glt/outofcore/staging/detail/stage_graph.hpp>
#include <glt/outofcore/staging/detail/staged_edges.hpp>

#include <filesystem>

namespace glt::io::detail {

/// Reads a list of edges and writes it as a folder of arrays, piece by piece and all ranks together. The folder equals
/// `write_npy_folder` of the result of `read_edge_list`.
///
/// Every rank reads the lines that begin in its share of a plain file; a packed file cannot be cut, and rank 0 reads
/// all of it.
///
/// @shape  file, folder: the same for all ranks, on a disk that all of them reach
/// @comm   collective; a few header exchanges
/// @where  memory for a piece of text and its edges; the edges are stored in the folder, twice for a moment
/// @throws collective_error  on every rank, as `read_edge_list`, with the fault of the first line at fault; if vertices
///                           are to be relabelled, which needs all edges at once; or if the folder cannot be made or
///                           written, or is not empty
template <communicator Comm>
void stage_edge_list(Comm comm, std::filesystem::path const& file, std::filesystem::path const& folder,
                     edge_list_options const& options = {}, read_options const& read = {}) {
  global_id largest = -1;
  detail::input_watch watch;
  auto const read_own = [&](detail::staged_edges& edges) {
    if (options.relabel) {
      throw precondition_error("edge list to be relabelled piece by piece; relabelling needs all edges in memory: use "
                               "read_edge_list and write_npy_folder");
    }
    watch.add(file);
    text_source head(file);
    auto lines = detail::begin_edges(head, options);
    auto source = detail::source_of_rank(std::move(head), comm.size(), comm.rank());
    detail::parse_pieces(source, read, "reading edges", lines,
                         [&](detail::edge_lines& all) { edges.take(all.edges()); });
    largest = lines.largest();
    return std::vector<raw_data::named_array>();
  };
  auto const count = [&](std::int64_t num_edges, detail::edge_columns const&) {
    if (options.num_vertices != -1) {
      return options.num_vertices;
    }
    comm.all_reduce(std::span<std::int64_t>(&largest, 1), reduction::max);
    auto const failure = glt::detail::failure_of(
        [&] { detail::check_density(file, largest + 1, num_edges, detail::sparse_numbers_way_out); });
    glt::detail::agree(comm, {.what = glt::detail::operation::shuffle}, failure);
    return largest + 1;
  };
  detail::stage_graph(comm, watch, folder, read_own, count);
}

} // namespace glt::io::detail
