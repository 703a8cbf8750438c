// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/io/detail/input_watch.hpp>
#include <glt/io/folder/npy_folder_writer.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/io/raw_data_view.hpp>
#include <glt/outofcore/staging/detail/staged_edges.hpp>

#include <filesystem>
#include <system_error>

namespace glt::io::detail {

// Makes a folder in one that exists, unless it is there and empty.
inline void make_empty_folder(std::filesystem::path const& folder) {
  std::error_code fault;
  std::filesystem::create_directory(folder, fault);
  if (fault || !std::filesystem::is_empty(folder, fault) || fault) {
    throw io_error(folder.string(), 0,
                   fault ? "cannot be made a folder: " + fault.message() + "; choose another place"
                         : "is not empty; remove it or choose another");
  }
}

/// Reads a graph without types piece by piece, and writes it as `write_npy_folder` would. Every rank reads some of the
/// lines.
///
/// `read(edges)` reads this rank's share and returns its rows of the vertices' features. `count(num_edges, edges)` gets
/// the number of edges on all ranks and the edges of this rank, and returns the number of vertices. `read` adds a file to the watch before it reads it:
/// a file that is changed before all ranks have read it is an error.
///
/// @comm   collective; `read` must not communicate, `count` may
template <communicator Comm, class Read, class Count>
void stage_graph(Comm& comm, input_watch const& watch, std::filesystem::path const& folder, Read read, Count count) {
  auto const agreed = [&](auto work) {
    glt::detail::agree(comm, {.what = glt::detail::operation::shuffle}, glt::detail::failure_of(work));
  };
  agreed([&] {
    if (comm.rank() == 0) {
      make_empty_folder(folder);
    }
  });
  raw_data::node_table nodes;
  staged_edges::columns columns;
  agreed([&] {
    staged_edges edges(folder, "rank" + std::to_string(comm.rank()));
    with_inputs(&watch, [&] { nodes.features = read(edges); });
    columns = std::move(edges).finish();
  });
  agreed([&] { watch.check(); });
  auto num_edges = columns.sources.size();
  comm.all_reduce(std::span<std::int64_t>(&num_edges, 1), reduction::sum);
  nodes.num_nodes = count(num_edges, columns.view());
  raw_data::edge_table const untyped;
  raw_data_view piece{.name = {}, .nodes = {&nodes, 1}, .edges = {}};
  piece.edges.push_back({.source = untyped.source,
                         .name = untyped.name,
                         .destination = untyped.destination,
                         .columns = columns.view(),
                         .features = {},
                         .links = {}});
  write_npy_folder_together(comm, folder, piece);
}

} // namespace glt::io::detail
