// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace glt::io {

/// Progress of a long task.
///
/// @units  done and total count units named by `unit`, such as "bytes"; total is 0 if it is not known
struct progress {
  /// Callback of the thread that started the task, called now and then; may throw to end the task.
  using callback = std::function<void(progress const&)>;

  std::string_view what; ///< such as "reading edges"
  std::string_view unit;
  std::int64_t done = 0;
  std::int64_t total = 0;
};

/// Options of readers of text.
struct read_options {
  int threads = 1;
  progress::callback on_progress{};
};

} // namespace glt::io
