// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

namespace example {

/// A bar that fills with the steps of an epoch and gives way to the epoch's line.
class progress_bar {
public:
  /// A bar that is not `shown` stays silent.
  progress_bar(bool shown, std::string label, std::int64_t num_steps)
      : shown_(shown), label_(std::move(label)), num_steps_(num_steps) {}
  progress_bar(progress_bar const&) = delete;
  progress_bar& operator=(progress_bar const&) = delete;
  ~progress_bar() {
    if (shown_) {
      std::printf("\r\033[K");
      std::fflush(stdout);
    }
  }

  void advance() {
    ++step_;
    if (!shown_) {
      return;
    }
    constexpr std::int64_t width = 40;
    auto const filled = static_cast<std::size_t>(num_steps_ > 0 ? width * step_ / num_steps_ : width);
    auto const bar = std::string(filled, '#') + std::string(width - filled, '.');
    std::printf("\r%s [%s] %lld/%lld", label_.c_str(), bar.c_str(), static_cast<long long>(step_),
                static_cast<long long>(num_steps_));
    std::fflush(stdout);
  }

private:
  bool shown_;
  std::string label_;
  std::int64_t num_steps_;
  std::int64_t step_ = 0;
};

} // namespace example
