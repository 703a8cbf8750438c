// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <ranges>
#include <string>

namespace glt::detail {

/// Returns the names of a range, for errors that list the existing names: `"a", "b"`, or `none`.
template <std::ranges::input_range Range, class Name = std::identity>
[[nodiscard]] std::string name_list(Range const& range, Name name = {}) {
  std::string names;
  for (auto const& each : range) {
    names += names.empty() ? "\"" : ", \"";
    names += std::invoke(name, each);
    names += '"';
  }
  return names.empty() ? "none" : names;
}

} // namespace glt::detail
