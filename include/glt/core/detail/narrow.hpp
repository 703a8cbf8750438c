// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>

#include <concepts>
#include <source_location>
#include <string_view>
#include <utility>

namespace glt::detail {

/// Converts an integer to a narrower type and refuses to lose its value.
///
/// @throws precondition_error  if `value` does not fit `To`; `what` names it in the text
template <std::integral To, std::integral From>
[[nodiscard]] To narrow(From value, std::string_view what,
                        std::source_location where = std::source_location::current()) {
  if (!std::in_range<To>(value)) {
    throw precondition_error(
        message(what, " is ", value, ", which does not fit a ", sizeof(To) * 8, "-bit integer; use a wider id type"),
        where);
  }
  return static_cast<To>(value);
}

} // namespace glt::detail
