// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/parts/manifest.hpp>
#include <glt/io/progress.hpp>

namespace glt::io {

/// Options of `write_parts`: data beside the data set.
struct write_options {
  /// Remote vertices whose rows the parts keep, by part and hottest first; original ids.
  struct hot_vertices {
    int node_type = 0;
    std::vector<std::vector<global_id>> by_part;
    std::vector<std::string> features{}; ///< the features to keep; all if empty
  };

  manifest::partitioner_note partitioner{};
  std::vector<hot_vertices> hot{};
  bool halo = false; ///< store the remote vertices that a part's edges touch
  progress::callback on_progress{};
};

} // namespace glt::io
