// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>

#include <ATen/core/grad_mode.h>

namespace glt::detail {

/// To be called in a backward pass whose own operations leave no trace for another one.
///
/// @throws precondition_error  if such a trace is asked for
inline void refuse_second_order() {
  if (at::GradMode::is_enabled()) {
    throw precondition_error(
        "backward pass of aggregate_neighbors with create_graph; it has no second derivatives, leave create_graph out");
  }
}

} // namespace glt::detail
