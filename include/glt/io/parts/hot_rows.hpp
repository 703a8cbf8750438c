// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/hotness/hot_rows.hpp>
#include <glt/dist/hotness/named_hot_rows.hpp>
#include <glt/feature/feature_store.hpp>
#include <glt/io/array/detail/array_convert.hpp>
#include <glt/io/data_set.hpp>
#include <glt/io/parts/feature_tables.hpp>
#include <glt/io/parts/parts_content.hpp>
#include <glt/io/parts/parts_loaded.hpp>
#include <glt/memory/memory.hpp>

namespace glt::io {

/// Moves the hot rows of `features` out of a part, for `dist::loader` and `dist::feature_collector`; none if the folder
/// has none.
///
///     auto const hot = glt::io::extract_hot_rows(part);
///     loader.use(hot);
///
/// @throws precondition_error  if the part has hot rows, but none of these features
/// @cost   the table that finds them; a copy if the features are not float32
[[nodiscard]] inline dist::hot_rows<device::cpu, float> extract_hot_rows(loaded_part& part) {
  auto hot = std::exchange(part.hot, {});
  if (hot.ids.empty()) {
    return {};
  }
  auto const found = std::ranges::find(hot.features, part.feature, &named_array::name);
  if (found == hot.features.end()) {
    throw precondition_error(glt::detail::message("part ", part.graph.part, " has hot rows, but not of the features \"",
                                                  part.feature, "\"; partition the data set again"));
  }
  auto const rows = found->values.rows();
  auto const columns = found->values.columns();
  return {std::move(hot.ids),
          feature_store<device::cpu, float>(rows, columns, detail::convert<float>(std::move(found->values)))};
}

/// Moves the hot rows of all features of a vertex type out of a part, for `dist::named_collector`.
///
/// @pre    there is such a type; not checked
/// @cost   the table that finds them
[[nodiscard]] inline dist::named_hot_rows<device::cpu> extract_hot_rows(part_content& part, int type = 0) {
  auto hot = std::exchange(part.nodes[static_cast<std::size_t>(type)].hot, {});
  auto const rows = hot.ids.size();
  return {std::move(hot.ids), detail::make_feature_table(rows, std::move(hot.features))};
}

} // namespace glt::io
