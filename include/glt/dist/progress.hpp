// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/dist/loading/detail/batch_range.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace glt::detail {

/// Returns the line that tells how far an epoch is: `epoch 3: 37 of 120 batches, 12.3/s, 7 s left`.
[[nodiscard]] inline std::string progress_text(std::string const& title, std::int64_t done, std::int64_t all,
                                               double seconds) {
  auto text = message(title, title.empty() ? "" : ": ", done, " of ", all, " batches");
  if (done > 0 && seconds > 0) {
    auto const rate = static_cast<double>(done) / seconds;
    text +=
        message(", ", std::round(rate * 10) / 10, "/s, ", std::ceil(static_cast<double>(all - done) / rate), " s left");
  }
  return text;
}

/// Job control of a process, as Linux tells it in /proc; zeros elsewhere.
struct process_state {
  char state = 0;
  int parent = 0;
  int group = 0;
  int session = 0;
  int terminal = 0;
  int front = 0; ///< process group in front of the terminal

  explicit process_state(std::string const& process) {
    std::string text;
    std::getline(std::ifstream("/proc/" + process + "/stat"), text);
    std::istringstream(text.substr(text.rfind(')') + 1)) >> state >> parent >> group >> session >> terminal >> front;
  }
};

/// Tells whether this process writes to a terminal and is in front of it, or its parent is. An `mpiexec` gives every
/// rank a terminal as standard output, so the one that controls the job counts.
[[nodiscard]] inline bool has_terminal_in_front() {
  auto const is_terminal = [](char const* stream) {
    std::error_code none;
    auto const file = std::filesystem::read_symlink(stream, none).string();
    return file.starts_with("/dev/pts/") || file.starts_with("/dev/tty");
  };
  process_state const own("self");
  return own.front > 0 && (is_terminal("/proc/self/fd/1") || is_terminal("/proc/self/fd/2")) &&
         (own.front == own.group || own.front == process_state(std::to_string(own.parent)).group);
}

/// Line of the terminal that is written again and again; does nothing where the process has no terminal in front.
class terminal_line {
public:
  explicit terminal_line(bool wanted) {
    if (wanted && has_terminal_in_front()) {
      to_.open("/dev/tty");
    }
  }
  terminal_line(terminal_line const&) = delete;
  terminal_line& operator=(terminal_line const&) = delete;
  ~terminal_line() {
    if (has_text_) {
      to_ << clear << std::flush;
    }
  }

  [[nodiscard]] bool is_shown() const { return to_.is_open(); }
  void show(std::string const& text) {
    to_ << clear << text << std::flush;
    has_text_ = true;
  }

private:
  static constexpr char const* clear = "\r\033[K"; // the line

  std::ofstream to_;
  bool has_text_ = false;
};

} // namespace glt::detail

namespace glt::dist {

/// Batches of an epoch, with a line on the terminal that tells how far it is. Only rank 0 shows it, and only where the
/// job has a terminal in front: nothing is written to files, pipes or logs. The line goes at the end of the loop.
///
///     for (auto const& batch : glt::dist::progress(loader.epoch(3), "epoch 3")) { … }
///
/// @cost   of a batch a look at the clock; ten lines a second
template <class Source>
class progress {
  using clock = std::chrono::steady_clock;

public:
  class iterator {
  public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = typename Source::batch_type;
    using difference_type = std::ptrdiff_t;

    [[nodiscard]] value_type const& operator*() const noexcept { return *at_; }
    iterator& operator++() {
      ++at_;
      of_->count();
      return *this;
    }
    void operator++(int) { ++*this; }
    [[nodiscard]] bool operator==(std::default_sentinel_t end) const noexcept { return at_ == end; }

  private:
    friend progress;
    iterator(progress& of, typename detail::batch_range<Source>::iterator at) : of_(&of), at_(at) {}

    progress* of_;
    typename detail::batch_range<Source>::iterator at_;
  };

  explicit progress(detail::batch_range<Source> epoch, std::string title = {})
      : epoch_(std::move(epoch)), title_(std::move(title)), line_(epoch_.rank() == 0) {}

  /// Begins the epoch; each call begins it again.
  [[nodiscard]] iterator begin() & {
    begun_ = clock::now();
    done_ = 0;
    return {*this, epoch_.begin()};
  }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }
  [[nodiscard]] std::int64_t size() const noexcept { return epoch_.size(); }

private:
  void count() {
    ++done_;
    auto const now = clock::now();
    if (line_.is_shown() && (done_ == size() || now - shown_ > std::chrono::milliseconds(100))) {
      shown_ = now;
      line_.show(detail::progress_text(title_, done_, size(), std::chrono::duration<double>(now - begun_).count()));
    }
  }

  detail::batch_range<Source> epoch_;
  std::string title_;
  detail::terminal_line line_;
  std::int64_t done_ = 0;
  clock::time_point begun_;
  clock::time_point shown_;
};

} // namespace glt::dist
