// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>
#include <glt/io/detail/file_state.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/detail/page_guard.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace glt::io::detail {

/// Input files as they were when they were opened: a job that reads them more than once, or piece by piece, makes sure
/// before it uses what it made of them that they still are.
///
/// Concurrent calls: `check` may run concurrently with itself.
class input_watch {
public:
  /// From now on the file is to stay as it is. Waits a moment if it was changed a moment ago, so that a change right now
  /// shows.
  ///
  /// @throws io_error  if the system does not tell its state
  void add(input_file const& file) {
    auto state = file.state();
    for (int attempt = 0; attempt < 5 && is_fresh(state); ++attempt) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      state = file.state();
    }
    files_.push_back({file.path(), state, nullptr});
  }
  /// @throws io_error  as `input_file`, and of an open file
  void add(std::filesystem::path const& path) { add(input_file(path)); }

  /// Guards the mapping of the file that was added last; whoever unmaps it calls `release` first.
  ///
  /// @pre    a file was added; not checked
  void guard(std::byte* begin, std::int64_t size) {
    files_.back().guard = std::make_unique<page_guard>(begin, size);
    files_.back().begin = begin;
  }
  /// Ends the guard of a mapping; what was lost before is remembered.
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
  /// @cost   one question to the system a file
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

/// Makes sure that watched files, if any, are as they were.
///
/// @throws io_error  as `input_watch::check`
inline void check_inputs(input_watch const* inputs) {
  if (inputs != nullptr) {
    inputs->check();
  }
}

/// Does work on watched files, if any; throws that one of them was changed rather than what `work` makes of it.
///
/// @throws io_error  as `input_watch::check`; and what `work` throws
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
