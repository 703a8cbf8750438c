// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/atomic_file.hpp>
#include <glt/io/detail/input_file.hpp>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <system_error>

#if defined(__unix__)
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace glt::io::detail {

/// Lock that marks a folder as in use by this process. The lock ends with the process, so that others can tell a folder
/// in use from an abandoned one.
class folder_lock {
public:
  enum class state : std::uint8_t {
    held,   // by this object
    taken,  // by another process, or the folder does not exist
    unknown // the file system cannot tell
  };

  folder_lock() = default;
  explicit folder_lock([[maybe_unused]] std::filesystem::path const& folder) noexcept {
#if defined(__unix__)
    descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0) {
      state_ = errno == ENOENT ? state::taken : state::unknown;
    } else if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      state_ = errno == EWOULDBLOCK ? state::taken : state::unknown;
    } else {
      state_ = names_it(folder) ? state::held : state::taken;
    }
#endif
  }
  folder_lock(folder_lock&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), state_(std::exchange(other.state_, state::unknown)) {}
  folder_lock& operator=(folder_lock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(state_, other.state_);
    return *this;
  }
  ~folder_lock() {
#if defined(__unix__)
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
#endif
  }

  [[nodiscard]] state outcome() const noexcept { return state_; }

  /// False if the folder was removed or replaced by another one; true if the system cannot tell.
  [[nodiscard]] bool names_it([[maybe_unused]] std::filesystem::path const& folder) const noexcept {
#if defined(__unix__)
    struct ::stat locked{};
    struct ::stat named{};
    return descriptor_ < 0 || (::fstat(descriptor_, &locked) == 0 && ::stat(folder.c_str(), &named) == 0 &&
                               locked.st_ino == named.st_ino && locked.st_dev == named.st_dev);
#else
    return true;
#endif
  }

private:
  int descriptor_ = -1;
  state state_ = state::unknown;
};

// Calls `wait` with the descriptor of a file or folder; throws if the disk does not take its content.
template <class Wait>
void wait_for_disk([[maybe_unused]] std::filesystem::path const& path, [[maybe_unused]] Wait wait) {
#if defined(__unix__)
  int const descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  int const fault = descriptor < 0 || wait(descriptor) == 0 ? 0 : errno;
  if (descriptor >= 0) {
    ::close(descriptor);
  }
  if (fault != 0 && fault != EINVAL && fault != EROFS) { // returned by file systems without this function
    throw io_error(path.string(), 0, glt::detail::message("cannot be written: ", std::strerror(fault)));
  }
#endif
}

// Waits until the whole content of a folder is on the disk, where it survives a power cut.
inline void sync_folder([[maybe_unused]] std::filesystem::path const& folder) {
#if defined(__linux__)
  wait_for_disk(folder, [](int descriptor) { return ::syncfs(descriptor); }); // one wait instead of one a file
#elif defined(__unix__)
  for (auto const& entry : std::filesystem::recursive_directory_iterator(folder)) {
    wait_for_disk(entry.path(), [](int descriptor) { return ::fsync(descriptor); });
  }
  wait_for_disk(folder, [](int descriptor) { return ::fsync(descriptor); });
#endif
}

// Waits until the entries of a folder, but not the content of its files, are on the disk.
inline void sync_entries([[maybe_unused]] std::filesystem::path const& folder) {
#if defined(__unix__)
  wait_for_disk(folder, [](int descriptor) { return ::fsync(descriptor); });
#endif
}

/// Checks early the name of a folder that a long job makes at its end.
///
/// @throws io_error  as `check_place`, or if `folder` is a link or the root of a file system, or exists and is not an
///                   empty folder
inline void check_new_folder(std::filesystem::path const& folder) {
  glt::detail::check_place(folder);
  auto const whole = glt::detail::without_trailing_separator(folder);
  glt::detail::check_no_link(whole);
  auto const parent = whole.has_parent_path() ? whole.parent_path() : std::filesystem::path(".");
#if defined(__unix__)
  if (::access(parent.c_str(), W_OK | X_OK) != 0) {
    throw io_error(
        folder.string(), 0,
        glt::detail::message("cannot be created: ", std::strerror(errno), "; choose a folder that can be written"));
  }
#endif
  auto const there = state_of(whole);
  auto const around = state_of(parent);
  if (there && around && there->device != around->device) {
    throw io_error(folder.string(), 0, "cannot be created: it is the root of a file system; choose a folder in it");
  }
  std::error_code fault;
  if (std::filesystem::exists(folder, fault) &&
      !(std::filesystem::is_directory(folder, fault) && std::filesystem::is_empty(folder, fault))) {
    throw io_error(folder.string(), 0, "is there already and not an empty folder; remove it or choose another");
  }
}

/// Makes the folders of a relative path in a folder that exists, or was removed by another thread or process: it is
/// never created again. Those that are there already stay.
///
/// @returns  the path of the last one
/// @throws io_error  if one cannot be created
inline std::filesystem::path make_folders(std::filesystem::path folder, std::filesystem::path const& below) {
  for (auto const& step : below) {
    std::error_code fault;
    std::filesystem::create_directory(folder /= step, fault);
    if (fault) {
      throw io_error(folder.string(), 0, "cannot be created: " + fault.message());
    }
  }
  return folder;
}

/// Name of the mark, a file in every unfinished `atomic_folder`, and ending of the name of such a folder.
inline constexpr char const* partial_mark = ".glt-partial";
inline constexpr char const* partial_ending = ".glt-partial";

/// Returns false for a folder that may belong to another program: it is not empty and has no mark.
[[nodiscard]] inline bool is_marked(std::filesystem::path const& folder) {
  std::error_code fault;
  return std::filesystem::is_regular_file(std::filesystem::symlink_status(folder / partial_mark, fault)) ||
         std::filesystem::is_empty(folder, fault); // before the mark is made
}

/// Removes a folder and its content, the mark last: after a failure the folder is still marked.
///
/// @returns  false if the folder is still there
inline bool remove_marked(std::filesystem::path const& folder) {
  std::error_code fault;
  for (int attempt = 0; attempt < 3; ++attempt) { // other processes may remove its files at the same time
    std::filesystem::directory_iterator entry(folder, fault);
    bool is_empty = !fault;
    for (; !fault && entry != std::filesystem::directory_iterator(); entry.increment(fault)) {
      if (entry->path().filename() != partial_mark) {
        std::error_code ignored;
        std::filesystem::remove_all(entry->path(), ignored);
        is_empty = is_empty && !ignored;
      }
    }
    if (is_empty && !fault) {
      std::filesystem::remove_all(folder, fault);
      return !fault;
    }
  }
  return !std::filesystem::exists(folder, fault);
}

/// Lock that is held from making an `atomic_folder` until it is open. A program that is about to end takes it for good:
/// then every folder that it has made is open, and it makes none any more.
inline std::mutex making_of_folders;

/// Folder that gets its name only when it is complete. Until then, and after a failure, nothing changes under that
/// name.
///
/// Never replaces a folder that is not empty. Until `commit`, the folder has a mark and this process holds its
/// `folder_lock`. So `remove_abandoned` finds the folders of killed processes.
class atomic_folder {
public:
  /// @throws io_error  if `target` exists and is not an empty folder, or nothing can be created beside it
  explicit atomic_folder(std::filesystem::path target)
      : target_(glt::detail::without_trailing_separator(std::move(target))) {
    check_new_folder(target_);
    temporary_ = glt::detail::make_name_beside(target_, partial_ending, [&](std::filesystem::path const& name) {
      std::error_code fault;
      std::scoped_lock const hold(making_of_folders);
      bool const created = std::filesystem::create_directory(name, fault);
      if (fault && fault != std::errc::file_exists) {
        throw io_error(
            target_.string(), 0,
            glt::detail::message("cannot be created: ", fault.message(), "; choose a folder that can be written"));
      }
      if (created) {
        lock_ = folder_lock(name);
      }
      return created && lock_.outcome() != folder_lock::state::taken;
    });
    auto* const mark = std::fopen((temporary_ / partial_mark).c_str(), "wx"); // one step: never half a mark
    if (mark == nullptr) {
      auto const why = errno;
      remove_marked(temporary_);
      throw io_error(target_.string(), 0, glt::detail::message("cannot be created: ", std::strerror(why)));
    }
    std::fclose(mark);
  }
  atomic_folder(atomic_folder const&) = delete;
  atomic_folder& operator=(atomic_folder const&) = delete;
  ~atomic_folder() {
    if (!committed_ && lock_.names_it(temporary_)) {
      try {
        remove_marked(temporary_);
      } catch (...) { // no memory; the next run removes it
      }
    }
  }

  /// Returns the temporary path to write to.
  [[nodiscard]] std::filesystem::path const& path() const noexcept { return temporary_; }

  /// Makes a folder inside this folder.
  ///
  /// @throws io_error  if it cannot be created
  [[nodiscard]] std::filesystem::path make_folder(std::filesystem::path const& name) const {
    std::error_code fault;
    std::filesystem::create_directory(temporary_ / name, fault);
    if (fault) {
      throw io_error((target_ / name).string(), 0, "cannot be created: " + fault.message());
    }
    return temporary_ / name;
  }

  /// Gives the folder its name after its whole content has reached the disk.
  ///
  /// @throws io_error  if the name was taken meanwhile, the written files were removed meanwhile, or the disk does not
  ///                   take them
  void commit() {
    sync_folder(temporary_);
    if (!lock_.names_it(temporary_)) {
      throw io_error(target_.string(), 0, "cannot be completed: what was written so far was removed meanwhile");
    }
    std::error_code fault;
    std::filesystem::rename(temporary_, target_, fault);
    if (fault) {
      throw io_error(target_.string(), 0, glt::detail::message("cannot be given its name: ", fault.message()));
    }
    committed_ = true;
    std::filesystem::remove(target_ / partial_mark, fault);
    sync_entries(target_.has_parent_path() ? target_.parent_path() : ".");
  }

private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  folder_lock lock_;
  bool committed_ = false;
};

/// The folders beside `target` that an `atomic_folder` has made and marked, of any process; those under way as well.
[[nodiscard]] inline std::vector<std::filesystem::path> list_beside(std::filesystem::path const& target) {
  auto const whole = glt::detail::without_trailing_separator(target);
  auto const start = whole.filename().string() + partial_ending;
  auto const is_ours = [&](std::string const& name) { // out.glt-partial0, out.glt-partial0.removed
    auto const end = name.starts_with(start) ? name.find_first_not_of("0123456789", start.size()) : start.size();
    return end > start.size() && (end == std::string::npos || name[end] == '.');
  };
  auto const parent = whole.has_parent_path() ? whole.parent_path() : std::filesystem::path(".");
  std::vector<std::filesystem::path> found;
  std::error_code fault;
  std::filesystem::directory_iterator entry(parent, fault);
  for (; !fault && entry != std::filesystem::directory_iterator(); entry.increment(fault)) {
    std::error_code ignored;
    if (is_ours(entry->path().filename().string()) && !entry->is_symlink(ignored) && entry->is_directory(ignored) &&
        is_marked(entry->path())) {
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
