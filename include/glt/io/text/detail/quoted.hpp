// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace glt::io::detail {

/// Returns a piece of text in quotation marks for an error message; bytes that are not printable are escaped.
[[nodiscard]] inline std::string quoted(char const* at, char const* end) {
  std::string made = "\"";
  for (; at != end; ++at) {
    auto const byte = static_cast<unsigned char>(*at);
    if (*at == '"' || *at == '\\') {
      made.append({'\\', *at});
    } else if (byte >= 0x20 && byte < 0x7F) {
      made += *at;
    } else if (*at == '\t') {
      made += "\\t";
    } else {
      constexpr std::string_view hex = "0123456789abcdef";
      made.append({'\\', 'x', hex[byte >> 4], hex[byte & 15]});
    }
  }
  return made + '"';
}

} // namespace glt::io::detail
