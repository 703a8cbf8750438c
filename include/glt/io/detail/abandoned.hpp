// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/atomic_folder.hpp>
#include <glt/io/detail/folder_lock.hpp>

#include <filesystem>
#include <system_error>

namespace glt::io::detail {

/// The folders beside `target` that an `atomic_folder` has made and marked, of any process; those under way as well.
[[nodiscard]] inline std::vector<std::filesystem::path> list_beside(std::filesystem::path const& target) {
  auto const whole = glt::detail::without_trailing_separator(target);
  auto const start = whole.filename().string() + partial_ending;
  auto const parent = whole.has_parent_path() ? whole.parent_path() : std::filesystem::path(".");
  std::vector<std::filesystem::path> found;
  std::error_code fault;
  std::filesystem::directory_iterator entry(parent, fault);
  for (; !fault && entry != std::filesystem::directory_iterator(); entry.increment(fault)) {
    std::error_code ignored;
    if (entry->path().filename().string().starts_with(start) && !entry->is_symlink(ignored) &&
        entry->is_directory(ignored) && is_marked(entry->path())) {
      found.push_back(entry->path());
    }
  }
  std::ranges::sort(found);
  return found;
}

/// Removes the folders beside `target` that killed processes left from an `atomic_folder`; returns their paths.
///
/// Those that a process works in stay, as do all where the file system cannot tell, and those without the mark.
[[nodiscard]] inline std::vector<std::filesystem::path> remove_abandoned(std::filesystem::path const& target) {
  std::vector<std::filesystem::path> removed;
  for (auto const& path : list_beside(target)) {
    if (folder_lock const lock(path); lock.outcome() == folder_lock::state::held && remove_marked(path)) {
      removed.push_back(path);
    }
  }
  return removed;
}

} // namespace glt::io::detail
