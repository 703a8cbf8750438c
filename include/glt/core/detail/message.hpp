// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sstream>
#include <string>

namespace glt::detail {

/// Joins its arguments into the text of an error.
template <class... Parts>
[[nodiscard]] std::string message(Parts const&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return std::move(text).str();
}

} // namespace glt::detail
