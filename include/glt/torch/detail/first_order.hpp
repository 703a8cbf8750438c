// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>

#include <ATen/core/grad_mode.h>

#include <string_view>

namespace glt::detail {

/// To be called in the backward pass of `function`, whose own operations leave no trace for another one.
///
/// @throws precondition_error  if such a trace is asked for
inline void refuse_second_order(std::string_view function) {
  if (at::GradMode::is_enabled()) {
    throw precondition_error(message("backward pass of ", function,
                                     " with create_graph; it has no second derivatives, leave create_graph out"));
  }
}

} // namespace glt::detail
