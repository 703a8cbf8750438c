// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <exception>
#include <string>
#include <utility>

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

/// Runs `work` unless there is a failure already; the text of its exception becomes the failure.
template <class Work>
void attempt(std::string& failure, Work work) {
  if (failure.empty()) {
    failure = failure_of(std::move(work));
  }
}

} // namespace glt::detail
