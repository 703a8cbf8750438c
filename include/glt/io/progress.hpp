// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace glt::io {

/// How far a long piece of work is.
///
/// @units  done and total count what `unit` says, such as "bytes"; total is 0 if it is not known
struct progress {
  std::string_view what; ///< such as "reading edges"
  std::string_view unit;
  std::int64_t done = 0;
  std::int64_t total = 0;
};

/// Called every now and then by the thread that started the work; may throw to end it.
using progress_callback = std::function<void(progress const&)>;

/// What readers of text take.
struct read_options {
  int threads = 1;
  progress_callback on_progress{};
};

} // namespace glt::io
