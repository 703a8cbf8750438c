// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/feature/detail/any_rows.hpp>
#include <glt/feature/detail/id_table.hpp>

namespace glt {

namespace detail {

/// One borrowed tensor of several that describe the same vertices or edges.
template <memory_space Space>
struct named_rows {
  std::string name;
  any_rows<Space> rows;
};

/// Borrowed tensors of the same vertices or edges; of edges with the view that finds the row of an edge.
template <memory_space Space>
struct table_view {
  std::vector<named_rows<Space>> rows;
  id_table_view<Space> edges{};
  bool of_edges = false;
};

// Returns the element of that name in a list of elements that have a `name`.
template <class List>
[[nodiscard]] auto const& find_named(List const& list, std::string_view name) {
  auto const found = std::ranges::find_if(list, [&](auto const& each) { return each.name == name; });
  if (found == list.end()) {
    std::string there;
    for (auto const& each : list) {
      there += (there.empty() ? "\"" : ", \"") + each.name + "\"";
    }
    throw precondition_error(message("no features \"", name, "\"; there are ", there.empty() ? "none" : there));
  }
  return *found;
}

} // namespace detail
} // namespace glt
