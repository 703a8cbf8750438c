// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/array_values.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/raw_data.hpp>

namespace glt::io::detail {

/// Layout of pairs of vertices in a matrix; `either` reads [2, 2] as rows.
enum class pair_layout { rows /* [2, E] */, columns /* [E, 2] */, either };

/// Returns the pairs of vertices that a matrix holds.
///
/// @shape  pairs [2, E] or [E, 2] of any element type → sources [E] · destinations [E]
/// @throws io_error  naming `path` if the shape is different, or an element is not a whole number
[[nodiscard]] inline link_split::pairs to_pairs(array const& pairs, std::string const& path, pair_layout layout) {
  bool const matrix = pairs.shape().size() == 2;
  if (matrix && pairs.rows() == 2 && layout != pair_layout::columns) {
    return {integers_of_row(pairs, 0, path), integers_of_row(pairs, 1, path)};
  }
  if (!matrix || pairs.columns() != 2 || layout == pair_layout::rows) {
    throw io_error(path, 0,
                   glt::detail::message("has the shape ", shape_text(pairs.shape()), "; pairs of vertices are ",
                                        layout == pair_layout::rows      ? "[2, E] here, save the transpose"
                                        : layout == pair_layout::columns ? "[E, 2] here, save the transpose"
                                                                         : "[2, E] or [E, 2]"));
  }
  auto const all = integers_of(pairs, path);
  link_split::pairs made;
  made.sources.reserve(all.size() / 2);
  made.destinations.reserve(all.size() / 2);
  for (std::size_t i = 0; i < all.size(); i += 2) {
    made.sources.push_back(all[i]);
    made.destinations.push_back(all[i + 1]);
  }
  return made;
}

} // namespace glt::io::detail
