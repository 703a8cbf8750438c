// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/detail/table_checks.hpp>
#include <glt/io/raw_data.hpp>

#include <filesystem>

namespace glt::io::detail {

// Throws if an array is not a list.
inline void check_list(std::filesystem::path const& file, array const& values) {
  if (values.shape().size() > 1) {
    throw io_error(file.string(), 0,
                   "has the shape " + shape_text(values.shape()) + "; a list of one dimension belongs here");
  }
}

// True for one number 0 or 1 per vertex: a mask that was not saved as bool.
inline bool looks_like_mask(host_view<global_id const> ids, raw_data::node_table const& nodes) {
  return !ids.empty() && ids.size() == nodes.num_nodes &&
         std::ranges::all_of(ids, [](global_id id) { return id == 0 || id == 1; });
}

/// Returns the vertices of a split from the array of a file: ids, or a mask of type bool with one element per vertex.
///
/// @throws io_error  if it is not a list, a mask of another length or type, or has an id that is not a vertex or occurs
///                   twice
inline std::vector<global_id> split_of(array const& values, std::filesystem::path const& file,
                                       raw_data::node_table const& nodes) {
  check_list(file, values);
  if (!values.is_bool()) {
    auto ids = integers_of(values, file.string());
    check_ids(file.string(), ids, nodes);
    bool const is_byte = values.type() == element_type::uint8 || values.type() == element_type::int8;
    if (looks_like_mask(ids, nodes) && (is_byte || find_duplicate(ids))) {
      throw io_error(file.string(), 0,
                     glt::detail::message("has one ", glt::detail::name_of(values.type()), " 0 or 1 for each of ",
                                          nodes.num_nodes, " vertices; save a mask as bool, and ids as int64"));
    }
    check_unique(file.string(), ids);
    return ids;
  }
  check_rows(file.string(), values.rows(), nodes.num_nodes, vertices_of_type(nodes));
  std::vector<global_id> chosen;
  for (std::int64_t v = 0; v < nodes.num_nodes; ++v) {
    if (values.values<std::uint8_t>()[v] != 0) {
      chosen.push_back(v);
    }
  }
  return chosen;
}

} // namespace glt::io::detail
