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

/// A folder that was made beside a target, and the one that it belongs to: itself, or that of an `atomic_folder` whose
/// name it continues.
struct folder_beside {
  std::filesystem::path path;
  std::filesystem::path owner;
};

/// The folders that `atomic_folder` and what works in it have made beside `target`; those that others hold as well.
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
  std::ranges::sort(found, {}, &folder_beside::path); // an owner before what belongs to it
  return found;
}

/// Removes the folders beside `target` that an `atomic_folder` of a process left behind which was killed, and says which.
///
/// Those that a process works in stay, as do all where the file system cannot tell.
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
