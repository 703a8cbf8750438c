// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/file_state.hpp>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace glt::io::detail {

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
      fail(0, glt::detail::message("cannot be opened for reading: ", std::strerror(errno)));
    }
    opened_ = state();
    size_ = opened_.size;
  }

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  /// Returns the byte offset of the next `read`.
  [[nodiscard]] std::int64_t position() const noexcept { return position_; }

#if defined(__unix__)
  /// Returns the system's descriptor of the open file.
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
