// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/progress.hpp>
#include <glt/memory/memory.hpp>
#include <glt/outofcore/detail/memory_plan.hpp>
#include <glt/sample/hotness/hotness.hpp>

namespace glt::io::detail {

/// Options of estimating the hotness of a graph whose edges stay on disk.
struct hotness_estimate_options {
  hotness_options hotness{};
  memory_plan plan{};
  device::cpu policy{}; ///< threads of a rank
  progress::callback on_progress{};
};

} // namespace glt::io::detail
