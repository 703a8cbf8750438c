// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt {

/// Edges that a link predictor is to tell from pairs that are not edges.
struct link_split {
  /// Vertex pairs by position: source i belongs to destination i.
  struct pairs {
    std::vector<global_id> sources{};
    std::vector<global_id> destinations{};
  };

  std::string name; ///< such as "train", "valid" or "test"
  pairs edges{};
  pairs negatives{};
};

} // namespace glt
