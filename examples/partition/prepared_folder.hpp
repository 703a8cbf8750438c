// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "added_edge_files.hpp"
#include "added_edges.hpp"
#include "console.hpp"
#include "input.hpp"
#include "options.hpp"

#include <glt/core/detail/atomic_file.hpp>
#include <glt/core/types.hpp>
#include <glt/core/view.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/detail/atomic_folder.hpp>
#include <glt/io/folder/detail/npy_folder_files.hpp>
#include <glt/io/raw_data.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace glt_partition {

/// A folder of links to the files of another one, of which some can be replaced.
inline void link_folder(std::filesystem::path const& folder, std::filesystem::path const& made) {
  for (auto const& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      std::filesystem::create_symlink(std::filesystem::absolute(entry.path()), made / entry.path().filename());
    }
  }
}

/// Replaces a file of the float features `what` by one whose rows are divided by their sums, row by row.
template <class T>
void normalize_file(std::filesystem::path const& path, glt::io::array const& values, std::string const& what) {
  auto const head = glt::io::detail::npy_start(glt::io::detail::npy_own_name_of(values.type()), values.shape());
  std::filesystem::remove(path); // the link, which is not followed
  glt::detail::atomic_file file(path);
  file.write(head->data(), std::ssize(*head));
  auto const rows = values.matrix<T>();
  std::vector<T> row(static_cast<std::size_t>(rows.columns()));
  for (std::int64_t r = 0; r < rows.rows(); ++r) {
    std::ranges::copy(rows.row(r), row.begin());
    normalize_row(glt::host_view<T>(row), r, what);
    file.write(row.data(), std::ssize(row) * static_cast<std::int64_t>(sizeof(T)));
  }
  file.commit();
}

/// Does what `prepare` does of a data set that stays on disk, in a folder of arrays, and returns the folder that then
/// holds it: the same, or one below `scratch` of new files and links to the others.
inline std::filesystem::path prepare_folder(std::filesystem::path const& folder, glt::io::raw_data_view const& data,
                                            options const& chosen, std::filesystem::path const& scratch, console& out) {
  namespace io = glt::io;
  check_finite(data, chosen, out);
  if (!adds_edges(chosen) && !chosen.normalize) {
    return folder;
  }
  auto const made = io::detail::make_folders(scratch, std::filesystem::path("prepared") / data.name);
  link_folder(folder, made);
  io::detail::npy_folder_files const files(made);
  if (adds_edges(chosen)) {
    added_edge_files(made, data, chosen, io::detail::make_folders(scratch, "added")).write();
  }
  for (std::size_t t = 0; chosen.normalize && t < data.nodes.size(); ++t) {
    auto const& paths = files.node_types()[t].features;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      auto const& [name, values] = data.nodes[t].features[i];
      auto const what = features_of(name, data.nodes[t]);
      visit_float_type(values.type(), [&]<class T>(T) { normalize_file<T>(paths[i].path, values, what); });
    }
  }
  return made;
}

} // namespace glt_partition
