// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <exception>
#include <string>

namespace glt::detail {

/// The text of what `work` throws; empty if it returns. Precondition checks become the failure that a rank
/// reports.
template <class Work>
[[nodiscard]] std::string failure_of(Work work) {
  try {
    work();
  } catch (std::exception const& failure) {
    return *failure.what() != '\0' ? failure.what() : "exception without a text";
  }
  return {};
}

} // namespace glt::detail
