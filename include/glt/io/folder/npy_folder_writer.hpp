// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/guard.hpp>
#include <glt/comm/serial.hpp>
#include <glt/core/core.hpp>
#include <glt/core/detail/atomic_file.hpp>
#include <glt/dist/detail/exchange/agree.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/data_set.hpp>
#include <glt/io/data_set_view.hpp>
#include <glt/io/detail/atomic_folder.hpp>
#include <glt/io/folder/detail/npy_folder_layout.hpp>
#include <glt/io/folder/detail/npy_together.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace glt::io {

namespace detail {

// Writer of the arrays of a data set of which every rank holds some rows.
template <communicator Comm>
class npy_folder_writer {
public:
  npy_folder_writer(Comm& comm, std::filesystem::path const& folder, npy_folder_tables const& tables)
      : comm_(comm), folder_(folder), tables_(tables) {}

  void write(node_table const& nodes, npy_node_table const& table) {
    auto const suffix = suffix_in(table);
    if (comm_.rank() == 0) {
      remember([&] { write_npy(path_of("num_nodes", suffix), std::vector{nodes.num_nodes}); });
    }
    write_features(nodes.features, "node_feat", suffix);
    if (any(nodes.labels.shape().empty() ? 0 : 1)) {
      write_npy_together(comm_, path_of("node_label", suffix), nodes.labels);
    }
    write_list("node_time", suffix, host_view<std::int64_t const>(nodes.times));
    write_list("train_idx", suffix, host_view<global_id const>(nodes.train));
    write_list("valid_idx", suffix, host_view<global_id const>(nodes.valid));
    write_list("test_idx", suffix, host_view<global_id const>(nodes.test));
  }

  void write(edge_table_view const& edges, npy_edge_table const& table) {
    auto const suffix = suffix_in(table);
    auto const& columns = edges.columns;
    write_pairs_together(comm_, path_of("edge_index", suffix), columns.sources, columns.destinations);
    write_features(edges.features, "edge_feat", suffix);
    write_list("edge_weight", suffix, columns.weights);
    write_list("edge_time", suffix, columns.times);
    for (auto const& split : edges.links) {
      // A split without pairs is still written.
      bool const negatives = any(split.negatives.sources.size());
      if (any(split.edges.sources.size()) || !negatives) {
        write_pairs_together(comm_, path_of(split.name + "_edge", suffix), split.edges.sources,
                             split.edges.destinations);
      }
      if (negatives) {
        write_pairs_together(comm_, path_of(split.name + "_edge_neg", suffix), split.negatives.sources,
                             split.negatives.destinations);
      }
    }
  }

  // Returns the first failure of writing the files of rank 0 alone; empty if there is none.
  [[nodiscard]] std::string const& failure() const noexcept { return failure_; }

private:
  template <class Table>
  [[nodiscard]] std::string suffix_in(Table const& table) const {
    return tables_.without_types() ? std::string() : suffix_of(table);
  }
  [[nodiscard]] std::filesystem::path path_of(std::string const& kind, std::string const& suffix) const {
    return folder_ / (kind + suffix + ".npy");
  }

  template <class Work>
  void remember(Work work) {
    if (failure_.empty()) {
      failure_ = glt::detail::failure_of(work);
    }
  }

  // True if the count is not 0 on at least one rank.
  bool any(std::int64_t count) { return reduce_over_ranks(comm_, count, reduction::max) > 0; }

  void write_features(std::span<named_array const> features, char const* kind, std::string const& suffix) {
    for (auto const& [name, values] : features) {
      write_npy_together(comm_, path_of(feature_kind(kind, name), suffix), values);
    }
  }

  template <class T>
  void write_list(char const* kind, std::string const& suffix, host_view<T const> values) {
    if (any(values.size())) {
      write_npy_together(comm_, path_of(kind, suffix), values);
    }
  }

  Comm& comm_;
  std::filesystem::path const& folder_;
  npy_folder_tables const& tables_;
  std::string failure_;
};

/// Writes the files of `write_npy_folder` into an existing folder. Every rank holds some rows of the arrays, rank 0's
/// rows first.
///
/// @shape  piece: types, features and link splits equal on all ranks, `num_nodes` the total over all ranks; any number
///         of rows of every array and list
/// @comm   collective; some header exchanges for every array
/// @throws collective_error  on every rank, as `write_npy_folder`, except for wrong numbers of rows; incomplete files
///                           may remain
template <communicator Comm>
void write_npy_folder_together(Comm comm, std::filesystem::path const& folder, data_set_view const& piece) {
  glt::detail::call_site const site{.what = glt::detail::operation::shuffle};
  auto const same = [](auto, auto) { return "has other types or features than rank 0; give the same to all ranks"; };
  detail::npy_folder_tables tables;
  auto failure = glt::detail::failure_of([&] {
    tables = detail::tables_of(piece);
    if (comm.rank() == 0 && detail::needs_tables(tables)) {
      glt::detail::write_file(folder / "meta.json", detail::tables_text(tables));
    }
  });
  glt::detail::agree(comm, site, failure, detail::layout_fingerprint(piece), same);
  detail::npy_folder_writer<Comm> writer(comm, folder, tables);
  for (std::size_t t = 0; t < piece.nodes.size(); ++t) {
    writer.write(piece.nodes[t], tables.nodes[t]);
  }
  for (std::size_t t = 0; t < piece.edges.size(); ++t) {
    writer.write(piece.edges[t], tables.edges[t]);
  }
  glt::detail::agree(comm, site, writer.failure(), 0, same);
}

// Writes the folder from all rows at once, after checks.
inline void write_checked_folder(std::filesystem::path const& folder, data_set_view const& data) {
  static_cast<void>(tables_text(tables_of(data)));
  check_rows_of(data);
  try {
    write_npy_folder_together(serial_comm(), folder, data);
  } catch (collective_error const& fault) {
    throw io_error(folder.string(), 0, fault.cause());
  }
}

} // namespace detail

/// Writes a data set as a new folder of arrays. `read_npy_folder` reads and `mapped_data_set` maps it as the same data
/// set, with the folder's name.
///
/// The files are listed at `read_npy_folder`. A meta.json states under "tables" the facts that file names cannot: an
/// order of types that is not alphabetical, and names of features unless there is a single `node_feat` or `edge_feat`.
/// The folder appears only when it is complete; a failed call leaves no folder.
///
/// @pre    ids of vertices exist; not checked here, but when the folder is read
/// @throws precondition_error  if there are no edges, the name of a type or feature cannot be part of a file name, an
///                             array does not have one row for every vertex or edge, or the link splits are not some of
///                             "train", "valid" and "test", each once and in this order
/// @throws io_error            if the folder exists and is not empty, or cannot be written
inline void write_npy_folder(std::filesystem::path const& folder, data_set_view const& data) {
  detail::atomic_folder staged(folder);
  detail::write_checked_folder(staged.path(), data);
  staged.commit();
}

/// Writes a data set in memory in the same way.
inline void write_npy_folder(std::filesystem::path const& folder, data_set const& data) {
  write_npy_folder(folder, view_of(data));
}

} // namespace glt::io
