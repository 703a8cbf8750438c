// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/atomic_file.hpp>
#include <glt/io/detail/folder_lock.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace glt::io::detail {

/// Folder that was made beside a target, and its owner: itself, or the `atomic_folder` whose name it continues.
struct folder_beside {
  std::filesystem::path path;
  std::filesystem::path owner;
};

/// Lists the folders that `atomic_folder` and jobs inside it made beside `target`, including those in use.
[[nodiscard]] inline std::vector<folder_beside> list_beside(std::filesystem::path const& target) {
  auto const whole = without_trailing_separator(target);
  auto const start = whole.filename().string() + ".partial";
  auto const parent = whole.has_parent_path() ? whole.parent_path() : std::filesystem::path(".");
  std::vector<folder_beside> found;
  std::error_code fault;
  std::filesystem::directory_iterator entry(parent, fault);
  for (; !fault && entry != std::filesystem::directory_iterator(); entry.increment(fault)) {
    auto const name = entry->path().filename().string();
    auto const end = std::min(name.find_first_not_of("0123456789", std::min(start.size(), name.size())), name.size());
    std::error_code ignored;
    if (name.starts_with(start) && end > start.size() && entry->is_directory(ignored) && !entry->is_symlink(ignored)) {
      found.push_back({entry->path(), parent / name.substr(0, end)});
    }
  }
  std::ranges::sort(found, {}, &folder_beside::path); // an owner before the folders that belong to it
  return found;
}

/// Removes the folders beside `target` that killed processes left from an `atomic_folder`; returns their paths.
///
/// Folders that a process works in stay; all stay if the file system does not support locks.
[[nodiscard]] inline std::vector<std::filesystem::path> remove_abandoned(std::filesystem::path const& target) {
  std::vector<std::filesystem::path> removed;
  for (auto const& [path, owner] : list_beside(target)) {
    folder_lock lock;
    std::error_code fault;
    if (path == owner) {
      lock = folder_lock(path);
    }
    bool const abandoned =
        path == owner ? lock.outcome() == folder_lock::state::held : !std::filesystem::exists(owner, fault);
    if (abandoned && std::filesystem::remove_all(path, fault) > 0 && !fault) {
      removed.push_back(path);
    }
  }
  return removed;
}

} // namespace glt::io::detail
