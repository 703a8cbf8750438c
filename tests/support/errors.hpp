// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace glt_test {

/// Runs f and returns the text of the `Error` it throws; another result is a text that no test expects.
template <class Error, class F>
std::string thrown(F&& f) {
  try {
    f();
  } catch (Error const& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

/// True if every one of `words` occurs in the text.
template <class... Words>
bool names(std::string const& text, Words const&... words) {
  return ((text.find(words) != std::string::npos) && ...);
}

} // namespace glt_test
