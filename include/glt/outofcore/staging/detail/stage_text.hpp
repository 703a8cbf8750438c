// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/io/detail/input_watch.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/io/text/detail/columns.hpp>
#include <glt/io/text/detail/edge_lines.hpp>
#include <glt/io/text/detail/matrix_market.hpp>
#include <glt/io/text/detail/metis_graph.hpp>
#include <glt/io/text/detail/text_cursor.hpp>
#include <glt/io/text/detail/text_source.hpp>
#include <glt/io/text/edge_list.hpp>
#include <glt/outofcore/detail/slices.hpp>
#include <glt/outofcore/staging/detail/stage_graph.hpp>

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

// Counts the rows of all ranks before this one; reads the text once.
template <communicator Comm>
std::int64_t count_rows_before(Comm& comm, std::filesystem::path const& file, input_watch& watch) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(comm.size()), 0);
  auto const failure = glt::detail::failure_of([&] {
    watch.add(file);
    text_source head(file);
    static_cast<void>(read_metis_header(head));
    if (comm.size() == 1 || head.packed()) {
      return;
    }
    auto source = source_of_rank(std::move(head), comm.size(), comm.rank());
    while (source.load()) {
      auto const text = source.unread();
      rows[static_cast<std::size_t>(comm.rank())] += metis_lines::count_rows(text_cursor(source, text));
      source.skip(text.size());
    }
  });
  glt::detail::agree(comm, {.what = glt::detail::operation::shuffle}, failure);
  comm.all_reduce(std::span<std::int64_t>(rows), reduction::sum);
  return std::accumulate(rows.begin(), rows.begin() + comm.rank(), std::int64_t{0});
}

/// Reads a METIS graph and writes it as a folder of arrays, piece by piece and all ranks together. The folder equals
/// `write_npy_folder` of the result of `read_metis_graph`.
///
/// Every rank reads the lines that begin in its share of a plain file; several ranks read it twice to number the
/// vertices. A packed file cannot be cut, and rank 0 reads all of it.
///
/// @shape  file, folder: the same for all ranks, on a disk that all of them reach
/// @comm   collective; a few header exchanges
/// @where  memory for a piece of text and its edges; the edges are stored in the folder, twice for a moment
/// @throws collective_error  on every rank, as `read_metis_graph`, with the fault of the first line at fault; or if the
///                           folder cannot be made or written, or is not empty
template <communicator Comm>
void stage_metis_graph(Comm comm, std::filesystem::path const& file, std::filesystem::path const& folder,
                       read_options const& read = {}) {
  detail::input_watch watch;
  auto const rows_before = detail::count_rows_before(comm, file, watch);
  detail::metis_header header;
  std::array<std::int64_t, 2> counts{}; // of rows and of neighbours
  std::optional<text_source> source;
  std::optional<detail::metis_lines> lines;
  int at_end = 0;
  auto const read_own = [&](detail::staged_edges& edges) {
    text_source head(file);
    header = detail::read_metis_header(head);
    lines.emplace(header, rows_before);
    at_end = detail::rank_at_end(head, comm.size());
    source.emplace(detail::source_of_rank(std::move(head), comm.size(), comm.rank()));
    auto const name = "rank" + std::to_string(comm.rank());
    detail::staged_rows sizes(folder / (name + "-sizes"), element_type::int64, {});
    detail::staged_rows weights(folder / (name + "-own-weights"), element_type::int64, {header.num_weights});
    detail::parse_pieces(*source, read, "reading neighbours", *lines, [&](detail::metis_lines& all) {
      edges.take(all.edges());
      sizes.append(host_view<std::int64_t const>(all.sizes()));
      weights.append(host_view<std::int64_t const>(all.weights()));
      all.sizes().clear();
      all.weights().clear();
    });
    counts = {lines->num_rows(), lines->num_neighbors()};
    std::vector<raw_data::named_array> features;
    if (header.vertex_sizes) {
      features.push_back({"size", std::move(sizes).finish()});
    }
    if (header.num_weights > 0) {
      features.push_back({"weight", std::move(weights).finish()});
    }
    return features;
  };
  auto const count = [&](std::int64_t, detail::edge_columns const& edges) {
    comm.all_reduce(std::span<std::int64_t>(counts), reduction::sum);
    std::optional<detail::one_sided_sums> memory;
    auto const failure = glt::detail::failure_of([&] {
      memory.emplace();
      if (comm.rank() == at_end) {
        detail::check_counts(*source, header, counts[0], counts[1]);
      }
    });
    glt::detail::agree(comm, {.what = glt::detail::operation::shuffle}, failure);
    auto const one_sided = glt::detail::failure_of([&] {
      detail::check_both_ways(file.string(), header, *lines, edges, *memory,
                              [&](std::span<std::int64_t> numbers) { comm.all_reduce(numbers, reduction::sum); });
    });
    glt::detail::agree(comm, {.what = glt::detail::operation::shuffle}, one_sided);
    return header.num_vertices;
  };
  detail::stage_graph(comm, watch, folder, read_own, count);
}

} // namespace glt::io::detail
