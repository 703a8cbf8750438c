// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/view.hpp>
#include <glt/sample/link/detail/exclusions.hpp>

#include <cstdint>

namespace glt_test {

/// A list of edges as `edge_exclusions` takes them.
struct row_edges {
  glt::host_view<glt::detail::row_edge const> list;
  [[nodiscard]] std::int64_t size() const { return list.size(); }
  [[nodiscard]] glt::detail::row_edge operator()(std::int64_t x) const { return list[x]; }
};

} // namespace glt_test
