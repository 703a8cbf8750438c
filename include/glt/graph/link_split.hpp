// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt {

/// Vertex pairs by position: source i belongs to destination i.
struct vertex_pairs {
  std::vector<global_id> sources{};
  std::vector<global_id> destinations{};
};

/// Edges that a link predictor is to tell from pairs that are not edges.
struct link_split {
  std::string name; ///< such as "train", "valid" or "test"
  vertex_pairs edges{};
  vertex_pairs negatives{};
};

} // namespace glt
