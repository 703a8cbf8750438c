// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>

#if defined(__unix__)
#include <sys/stat.h>
#endif

namespace glt::io::detail {

/// State of a file as the system reports it; differs if the file was changed or replaced by another one.
///
/// Times have the resolution of the file system's clock; writes through a shared mapping may not change them.
///
/// @units  times in nanoseconds since 1970
struct file_state {
  std::uint64_t device = 0;
  std::uint64_t number = 0; ///< of the file on the device
  std::int64_t size = 0;
  std::int64_t written = 0; ///< when its bytes were last changed
  std::int64_t changed = 0; ///< when its bytes, owner, permissions or names were last changed

  friend bool operator==(file_state const&, file_state const&) = default;

  /// True if the bytes of the same file are unchanged; owner, permissions and names are ignored.
  [[nodiscard]] bool same_bytes(file_state const& other) const noexcept {
    return size == other.size && written == other.written;
  }
};

#if defined(__unix__)
[[nodiscard]] inline file_state state_of(struct ::stat const& from) noexcept {
  auto const time = [](struct ::timespec const& at) { return std::int64_t{at.tv_sec} * 1000000000 + at.tv_nsec; };
  return {from.st_dev, from.st_ino, from.st_size, time(from.st_mtim), time(from.st_ctim)};
}

/// Returns the state of an open file; none if the system does not report it.
[[nodiscard]] inline std::optional<file_state> state_of(int descriptor) {
  struct ::stat found{};
  return ::fstat(descriptor, &found) == 0 ? std::optional(state_of(found)) : std::nullopt;
}
#endif

/// Returns the state of the file of this name; none if it does not exist or cannot be reached.
[[nodiscard]] inline std::optional<file_state> state_of(std::filesystem::path const& path) {
#if defined(__unix__)
  struct ::stat found{};
  return ::stat(path.c_str(), &found) == 0 ? std::optional(state_of(found)) : std::nullopt;
#else
  std::error_code fault;
  auto const size = std::filesystem::file_size(path, fault);
  auto const time = fault ? std::filesystem::file_time_type() : std::filesystem::last_write_time(path, fault);
  std::int64_t const written = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
  return fault ? std::nullopt
               : std::optional(
                     file_state{.size = static_cast<std::int64_t>(size), .written = written, .changed = written});
#endif
}

/// True if a file was changed so recently that another change now might not show in its times.
[[nodiscard]] inline bool is_fresh(file_state const& state) {
  constexpr std::int64_t step = 20000000; // of clocks of file systems, at most
  auto const now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  return now - state.changed < step && state.changed - now < step;
}

/// Describes the change of a file between two different states; without the second, the file cannot be reached.
[[nodiscard]] inline std::string describe_change(file_state const& before, std::optional<file_state> const& now) {
  if (!now) {
    return "it is not there any more";
  }
  if (now->device != before.device || now->number != before.number) {
    return "another file has its name";
  }
  if (now->size != before.size) {
    return glt::detail::message("it has ", now->size, " bytes instead of ", before.size);
  }
  return now->written != before.written ? "it was written to" : "its owner, permissions or names were changed";
}

/// Returns why a file was not opened, by `errno`, and a way out: `otherwise`, if open files are not too many.
[[nodiscard]] inline std::string why_not_opened(std::string_view otherwise = "") {
  return glt::detail::message(std::strerror(errno),
                              errno == EMFILE ? "; raise the limit of open files (ulimit -n)" : otherwise);
}

/// Regular file open for reading; every fault is an `io_error` with path and byte offset. A change before the last byte
/// is read is a fault.
class input_file {
public:
  /// @throws io_error  if there is no such file, it is not a regular file, or it cannot be opened
  explicit input_file(std::filesystem::path path) : path_(std::move(path)) {
    std::error_code fault;
    auto const status = std::filesystem::status(path_, fault);
    if (status.type() == std::filesystem::file_type::not_found) {
      fail(0, "there is no such file; check the path");
    }
    if (status.type() != std::filesystem::file_type::regular) {
      fail(0, fault ? "cannot be reached: " + fault.message() : "is not a regular file; give the path of one");
    }
    file_.reset(std::fopen(path_.c_str(), "rb"));
    if (!file_) {
      fail(0, "cannot be opened for reading: " + why_not_opened());
    }
    opened_ = state();
    size_ = opened_.size;
  }

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  /// Returns the byte offset of the next `read`.
  [[nodiscard]] std::int64_t position() const noexcept { return position_; }

#if defined(__unix__)
  [[nodiscard]] int descriptor() const noexcept { return ::fileno(file_.get()); }
#endif

  /// Returns the present state of the open file.
  ///
  /// @throws io_error  if the system does not report the state
  [[nodiscard]] file_state state() const {
#if defined(__unix__)
    auto const found = state_of(descriptor());
#else
    auto const found = state_of(path_);
#endif
    if (!found) {
      fail(position_, glt::detail::message("does not tell its size: ", std::strerror(errno)));
    }
    return *found;
  }

  /// Reads exactly `count` bytes.
  ///
  /// @throws io_error  if the file ends before; at its last byte, if it was changed since it was opened
  void read(void* out, std::int64_t count) {
    if (count == 0) {
      return;
    }
    auto const got = static_cast<std::int64_t>(std::fread(out, 1, static_cast<std::size_t>(count), file_.get()));
    if (got < count) {
      fail(position_ + got, std::ferror(file_.get()) != 0
                                ? glt::detail::message("cannot be read: ", std::strerror(errno))
                                : glt::detail::message("the file ends ", count - got, " bytes early; make it again"));
    }
    position_ += count;
    if (position_ == size_) {
      if (auto const now = state(); !now.same_bytes(opened_)) {
        fail(position_, "was changed while it was read: " + describe_change(opened_, now) +
                            "; leave it alone until it is read, and start again");
      }
    }
  }

  /// Moves to a place in the file.
  ///
  /// @throws io_error  if the system cannot move there
  void seek(std::int64_t position) {
    if (std::fseek(file_.get(), static_cast<long>(position), SEEK_SET) != 0) {
      fail(position, glt::detail::message("cannot be read from here: ", std::strerror(errno)));
    }
    position_ = position;
  }

  [[noreturn]] void fail(std::int64_t offset, std::string const& what) const {
    throw io_error(path_.string(), offset, what);
  }

private:
  struct close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, close> file_;
  file_state opened_;
  std::int64_t size_ = 0;
  std::int64_t position_ = 0;
};

} // namespace glt::io::detail
