// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <exception>
#include <string>

namespace glt::detail {

/// Returns the text of the exception that `work` throws; empty if it returns. So a failed precondition becomes the
/// failure that a rank reports.
template <class Work>
[[nodiscard]] std::string failure_of(Work work) {
  try {
    work();
  } catch (std::exception const& failure) {
    return *failure.what() != '\0' ? failure.what() : "exception without a text";
  } catch (...) {
    return "unknown exception";
  }
  return {};
}

} // namespace glt::detail
