// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/message.hpp>
#include <glt/core/error.hpp>
#include <glt/io/detail/folder_lock.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#if defined(__unix__)
#include <fcntl.h>
#include <unistd.h>
#endif

namespace glt::io::detail {

// Finds a free name beside `target`. `take(name)` returns true if it created the entry, false if the name is taken.
template <class Take>
std::filesystem::path make_name_beside(std::filesystem::path const& target, Take take) {
  for (int i = 0;; ++i) {
    std::filesystem::path name = target.string() + ".partial" + std::to_string(i);
    if (take(name)) {
      return name;
    }
  }
}

// Removes trailing separators, which would put the temporary name into the target itself.
inline std::filesystem::path without_trailing_separator(std::filesystem::path path) {
  return path.has_filename() ? path : path.parent_path();
}

// Calls `wait` with the descriptor of a file or folder; throws if the content cannot be written to the disk.
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

/// File that appears under its name only when it is complete; before that, and after a failure, there is none.
class atomic_file {
public:
  /// @throws io_error  if nothing can be created beside `target`
  explicit atomic_file(std::filesystem::path target) : target_(std::move(target)) {
    temporary_ = make_name_beside(target_, [&](std::filesystem::path const& name) {
      file_ = std::fopen(name.c_str(), "wbx");
      if (file_ == nullptr && errno != EEXIST) {
        throw io_error(
            target_.string(), 0,
            glt::detail::message("cannot be created: ", std::strerror(errno), "; choose a folder that can be written"));
      }
      return file_ != nullptr;
    });
  }
  atomic_file(atomic_file const&) = delete;
  atomic_file& operator=(atomic_file const&) = delete;
  ~atomic_file() {
    if (file_ != nullptr) {
      std::fclose(file_);
    }
    if (!committed_) {
      std::error_code ignored;
      std::filesystem::remove(temporary_, ignored);
    }
  }

  /// @throws io_error  if the bytes cannot be written
  void write(void const* bytes, std::int64_t count) {
    if (count > 0 && std::fwrite(bytes, 1, static_cast<std::size_t>(count), file_) != static_cast<std::size_t>(count)) {
      fail("written");
    }
    written_ += count;
  }

  /// Gives the file its name and replaces an older file of that name.
  ///
  /// @throws io_error  if the last bytes cannot be written, the file's length differs from the bytes written, or the
  ///                   name cannot be given
  void commit() {
    if (std::fclose(std::exchange(file_, nullptr)) != 0) {
      fail("written");
    }
    std::error_code fault;
    auto const bytes = std::filesystem::file_size(temporary_, fault);
    if (fault || bytes != static_cast<std::uintmax_t>(written_)) {
      throw io_error(target_.string(), fault ? 0 : static_cast<std::int64_t>(bytes),
                     glt::detail::message("is not as it was written, ", written_,
                                          " bytes: ", fault ? fault.message() : "it has another length"));
    }
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
      fail("given its name");
    }
    committed_ = true;
  }

private:
  [[noreturn]] void fail(char const* action) const {
    throw io_error(target_.string(), written_, glt::detail::message("cannot be ", action, ": ", std::strerror(errno)));
  }

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  std::FILE* file_ = nullptr;
  std::int64_t written_ = 0;
  bool committed_ = false;
};

/// Checks that a file or folder can be created under this name; for long jobs, which then fail at the start.
///
/// @throws io_error  if the name is empty or too long, or its parent folder does not exist
inline void check_place(std::filesystem::path const& path) {
  auto const whole = without_trailing_separator(path);
  if (whole.empty()) {
    throw io_error(path.string(), 0, "cannot be created: the name is empty; choose one");
  }
  auto const parent = whole.has_parent_path() ? whole.parent_path() : std::filesystem::path(".");
  std::error_code fault;
  if (!std::filesystem::is_directory(parent, fault)) {
    throw io_error(path.string(), 0,
                   "cannot be created: " + parent.string() + " is no folder; make it, or choose another");
  }
  constexpr std::size_t longest = 255 - 32; // the file systems' limit, less room for temporary names
  if (whole.filename().string().size() > longest) {
    throw io_error(parent.string(), 0,
                   glt::detail::message("cannot have a file of a name of ", whole.filename().string().size(),
                                        " bytes; choose one of ", longest, " or fewer"));
  }
}

/// Checks the same for a new folder.
///
/// @throws io_error  as `check_place`, and if `folder` exists and is not an empty folder
inline void check_new_folder(std::filesystem::path const& folder) {
  check_place(folder);
  std::error_code fault;
  if (std::filesystem::exists(folder, fault) &&
      !(std::filesystem::is_directory(folder, fault) && std::filesystem::is_empty(folder, fault))) {
    throw io_error(folder.string(), 0, "is there already and not an empty folder; remove it or choose another");
  }
}

/// Folder that appears under its name only when it is complete; before that, and after a failure, there is none.
///
/// Never replaces a folder that is not empty. Until `commit` the process holds a `folder_lock` of the folder, so that
/// `remove_abandoned` can find the folders of killed processes.
class atomic_folder {
public:
  /// @throws io_error  if `target` exists and is not an empty folder, or nothing can be created beside it
  explicit atomic_folder(std::filesystem::path target) : target_(without_trailing_separator(std::move(target))) {
    check_new_folder(target_);
    std::error_code fault;
    temporary_ = make_name_beside(target_, [&](std::filesystem::path const& name) {
      bool const created = std::filesystem::create_directory(name, fault);
      if (fault) {
        throw io_error(
            target_.string(), 0,
            glt::detail::message("cannot be created: ", fault.message(), "; choose a folder that can be written"));
      }
      if (created) {
        lock_ = folder_lock(name);
      }
      return created && lock_.outcome() != folder_lock::state::taken; // by a process that removes abandoned folders
    });
  }
  atomic_folder(atomic_folder const&) = delete;
  atomic_folder& operator=(atomic_folder const&) = delete;
  ~atomic_folder() {
    if (!committed_) {
      std::error_code ignored;
      std::filesystem::remove_all(temporary_, ignored);
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
    sync_entries(target_.has_parent_path() ? target_.parent_path() : ".");
  }

private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  folder_lock lock_;
  bool committed_ = false;
};

} // namespace glt::io::detail
