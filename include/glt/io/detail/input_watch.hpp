// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/file_state.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/detail/page_guard.hpp>

#include <chrono>
#include <filesystem>
#include <thread>

namespace glt::io::detail {

/// Input files and their states at opening. A job that reads them more than once, or piece by piece, checks that they
/// are unchanged before it uses its result.
///
/// Concurrent calls: `check` may run concurrently with itself.
class input_watch {
public:
  /// Watches a file, which must not change from now on. Waits briefly if the file was changed just before, so that a
  /// change right now shows.
  ///
  /// @throws io_error  if the system does not report the file's state
  void add(input_file const& file) {
    auto state = file.state();
    for (int attempt = 0; attempt < 5 && is_fresh(state); ++attempt) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      state = file.state();
    }
    files_.push_back({file.path(), state, nullptr});
  }
  /// @throws io_error  as `input_file`, and as for an open file
  void add(std::filesystem::path const& path) { add(input_file(path)); }

  /// Guards the mapping of the file that was added last; call `release` before the mapping ends.
  ///
  /// @pre    a file was added; not checked
  void guard(std::byte* begin, std::int64_t size) {
    files_.back().guard = std::make_unique<page_guard>(begin, size);
    files_.back().begin = begin;
  }
  /// Ends the guard of a mapping and keeps its record of lost pages.
  void release(std::byte* begin) noexcept {
    auto const found = std::ranges::find(files_, begin, &watched::begin);
    if (found != files_.end()) {
      found->lost = found->guard->lost();
      found->guard.reset();
      found->begin = nullptr;
    }
  }

  /// @throws io_error  naming the first file that was changed, replaced or shortened, or could not be read, since it
  ///                   was added
  /// @cost   one system call a file
  void check() const {
    for (auto const& file : files_) {
      auto const now = state_of(file.path);
      if (!now || *now != file.before) {
        throw io_error(file.path.string(), 0,
                       "was changed while it was read: " + describe_change(file.before, now) +
                           "; leave input files alone until the work is over, and start again");
      }
      if (file.lost || (file.guard && file.guard->lost())) {
        throw io_error(
            file.path.string(), 0,
            "could not be read, though it was not changed: its disk fails; copy it elsewhere, and start again");
      }
    }
  }

private:
  struct watched {
    std::filesystem::path path;
    file_state before;
    std::byte* begin;
    std::unique_ptr<page_guard> guard{};
    bool lost = false;
  };
  std::vector<watched> files_;
};

/// Checks that watched files, if any, are unchanged.
///
/// @throws io_error  as `input_watch::check`
inline void check_inputs(input_watch const* inputs) {
  if (inputs != nullptr) {
    inputs->check();
  }
}

/// Runs `work` on watched files, if any. If `work` fails and a file was changed, throws the change instead.
///
/// @throws io_error  as `input_watch::check`; also any exception of `work`
template <class Work>
void with_inputs(input_watch const* inputs, Work work) {
  try {
    work();
  } catch (...) {
    check_inputs(inputs);
    throw;
  }
  check_inputs(inputs);
}

} // namespace glt::io::detail
