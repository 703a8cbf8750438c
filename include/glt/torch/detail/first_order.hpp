// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <ATen/core/grad_mode.h>

namespace glt::detail {

/// Refuses to differentiate the backward pass of `function`. Call it in that pass, whose operations are not recorded.
///
/// @throws precondition_error  if a differentiable gradient is asked for
inline void refuse_second_order(std::string_view function) {
  if (at::GradMode::is_enabled()) {
    throw precondition_error(message("backward pass of ", function,
                                     " with create_graph; it has no second derivatives, leave create_graph out"));
  }
}

} // namespace glt::detail
