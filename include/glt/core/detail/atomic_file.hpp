// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace glt::detail {

/// Makes a free name beside `target`, with an ending and a number; `take(name)` returns true if it created the entry,
/// false if the name is taken.
template <class Take>
std::filesystem::path make_name_beside(std::filesystem::path const& target, char const* ending, Take take) {
  for (int i = 0;; ++i) {
    std::filesystem::path name = target.string() + ending + std::to_string(i);
    if (take(name)) {
      return name;
    }
  }
}

/// Drops trailing separators, which would put a temporary name into the target itself.
[[nodiscard]] inline std::filesystem::path without_trailing_separator(std::filesystem::path path) {
  return path.has_filename() ? path : path.parent_path();
}

/// Checks early the name of a file or folder that a long job makes at its end.
///
/// @throws io_error  if the name is empty, too long, `.` or `..`, or if its folder does not exist
inline void check_place(std::filesystem::path const& path) {
  auto const whole = without_trailing_separator(path);
  auto const fail = [&](std::string const& why) { throw io_error(path.string(), 0, "cannot be created: " + why); };
  if (whole.empty()) {
    fail("the name is empty; choose one");
  }
  auto const name = whole.filename();
  if (name.empty() || name == "." || name == "..") {
    fail("it is a folder that cannot be replaced; choose another name");
  }
  auto const parent = whole.has_parent_path() ? whole.parent_path() : std::filesystem::path(".");
  std::error_code fault;
  if (!std::filesystem::is_directory(parent, fault)) {
    fail(parent.string() + " is no folder; make it, or choose another");
  }
  constexpr std::size_t longest = 255 - 32; // limit of file systems, less room for temporary names
  if (name.string().size() > longest) {
    throw io_error(parent.string(), 0,
                   message("cannot have a file of a name of ", name.string().size(), " bytes; choose one of ", longest,
                           " or fewer"));
  }
}

/// Refuses a symbolic link as the name of a new file or folder.
///
/// @throws io_error  if `path` is a symbolic link
inline void check_no_link(std::filesystem::path const& path) {
  std::error_code fault;
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(path, fault))) {
    throw io_error(path.string(), 0,
                   "cannot be created: it is a symbolic link, which is not followed; remove it, or give the name that "
                   "it stands for");
  }
}

/// Checks the name of a file that will be made or replaced.
///
/// @throws io_error  as `check_place`, or if a folder, device, link or other entry that is no regular file has the name
inline void check_new_file(std::filesystem::path const& path) {
  check_place(path);
  check_no_link(path);
  std::error_code fault;
  auto const type = std::filesystem::symlink_status(path, fault).type();
  auto const fail = [&](std::string_view what) {
    throw io_error(path.string(), 0, message("cannot be created: it is ", what, "; choose another name"));
  };
  if (!path.has_filename() || type == std::filesystem::file_type::directory) {
    fail("a folder");
  }
  if (type != std::filesystem::file_type::regular && type != std::filesystem::file_type::not_found &&
      type != std::filesystem::file_type::none) {
    fail("there and no regular file");
  }
}

/// File that gets its name only when it is complete. Until then, and after a failure, nothing changes under that name.
///
/// Replaces regular files only. Follows no link, neither at the name nor at the temporary name beside it.
class atomic_file {
public:
  /// @throws io_error  as `check_new_file`, or if nothing can be created beside `target`
  explicit atomic_file(std::filesystem::path target) : target_(std::move(target)) {
    check_new_file(target_);
    temporary_ = make_name_beside(target_, ".partial", [&](std::filesystem::path const& name) {
      file_ = std::fopen(name.c_str(), "wbx");
      if (file_ == nullptr && errno != EEXIST) {
        throw io_error(target_.string(), 0,
                       message("cannot be created: ", std::strerror(errno), "; choose a folder that can be written"));
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

  /// Gives the file its name; replaces a file of that name.
  ///
  /// @throws io_error  if the last bytes cannot be written, the file is not as long as the bytes written to it, or the
  ///                   name cannot be given
  void commit() {
    if (std::fclose(std::exchange(file_, nullptr)) != 0) {
      fail("written");
    }
    std::error_code fault;
    auto const bytes = std::filesystem::file_size(temporary_, fault);
    if (fault || bytes != static_cast<std::uintmax_t>(written_)) {
      throw io_error(target_.string(), fault ? 0 : static_cast<std::int64_t>(bytes),
                     message("is not as it was written, ", written_,
                             " bytes: ", fault ? fault.message() : "it has another length"));
    }
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
      fail("given its name");
    }
    committed_ = true;
  }

private:
  [[noreturn]] void fail(char const* action) const {
    throw io_error(target_.string(), written_, message("cannot be ", action, ": ", std::strerror(errno)));
  }

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  std::FILE* file_ = nullptr;
  std::int64_t written_ = 0;
  bool committed_ = false;
};

/// Writes a whole file at once.
///
/// @throws io_error  as `atomic_file`
inline void write_file(std::filesystem::path const& path, std::string_view bytes) {
  atomic_file file(path);
  file.write(bytes.data(), static_cast<std::int64_t>(bytes.size()));
  file.commit();
}

} // namespace glt::detail
