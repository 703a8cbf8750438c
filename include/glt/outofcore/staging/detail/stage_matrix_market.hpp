// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/io/detail/input_watch.hpp>
#include <glt/io/progress.hpp>
#include <glt/io/text/detail/matrix_market.hpp>
#include <glt/io/text/detail/parse_lines.hpp>
#include <glt/io/text/detail/text_source.hpp>
#include <glt/outofcore/detail/text_slices.hpp>
#include <glt/outofcore/staging/detail/stage_graph.hpp>
#include <glt/outofcore/staging/detail/staged_edges.hpp>

#include <filesystem>

namespace glt::io::detail {

/// Reads a square sparse matrix and writes it as a folder of arrays, piece by piece and all ranks together. The folder
/// equals `write_npy_folder` of the result of `read_matrix_market`.
///
/// Every rank reads the lines that begin in its share of a plain file; a packed file cannot be cut, and rank 0 reads
/// all of it.
///
/// @shape  file, folder: the same for all ranks, on a disk that all of them reach
/// @comm   collective; a few header exchanges
/// @where  memory for a piece of text and its edges; the edges are stored in the folder, twice for a moment
/// @throws collective_error  on every rank, as `read_matrix_market`, with the fault of the first line at fault; or if
///                           the folder cannot be made or written, or is not empty
template <communicator Comm>
void stage_matrix_market(Comm comm, std::filesystem::path const& file, std::filesystem::path const& folder,
                         read_options const& read = {}) {
  detail::input_watch watch;
  detail::matrix_market_header header;
  std::int64_t num_entries = 0;
  std::optional<text_source> source;
  int at_end = 0;
  auto const read_own = [&](detail::staged_edges& edges) {
    watch.add(file);
    text_source head(file);
    header = detail::read_matrix_market_header(head);
    detail::matrix_market_lines lines(header);
    at_end = detail::rank_at_end(head, comm.size());
    source.emplace(detail::source_of_rank(std::move(head), comm.size(), comm.rank()));
    detail::parse_pieces(*source, read, "reading entries", lines,
                         [&](detail::matrix_market_lines& all) { edges.take(all.edges()); });
    num_entries = lines.num_entries();
    return std::vector<raw_data::named_array>();
  };
  auto const count = [&](std::int64_t, detail::edge_columns const&) {
    comm.all_reduce(std::span<std::int64_t>(&num_entries, 1), reduction::sum);
    auto const failure = glt::detail::failure_of([&] {
      if (comm.rank() == at_end) {
        detail::check_entries(*source, header, num_entries);
      }
    });
    glt::detail::agree(comm, {.what = glt::detail::operation::shuffle}, failure);
    return header.size;
  };
  detail::stage_graph(comm, watch, folder, read_own, count);
}

} // namespace glt::io::detail
