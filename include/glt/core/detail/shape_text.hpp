// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace glt::detail {

/// Returns the shape of a tensor for the text of an error: "[2, 3]".
[[nodiscard]] inline std::string shape_text(std::span<std::int64_t const> shape) {
  std::string text = "[";
  for (auto const size : shape) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  }
  return text + "]";
}

} // namespace glt::detail
