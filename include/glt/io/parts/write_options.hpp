// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/types.hpp>
#include <glt/io/parts/manifest.hpp>
#include <glt/io/progress.hpp>

#include <string>
#include <vector>

namespace glt::io {

/// Vertices of other parts whose rows parts keep, by part and hottest first; original ids.
struct hot_vertices {
  int node_type = 0;
  std::vector<std::vector<global_id>> by_part;
  std::vector<std::string> features{}; ///< which ones are kept; all if none is named
};

/// What `write_parts` writes beside the data set.
struct write_options {
  partitioner_note partitioner{};
  std::vector<hot_vertices> hot{};
  bool halo = false; ///< store which remote vertices a part touches
  progress_callback on_progress{};
};

} // namespace glt::io
