// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/detail/mapped_file.hpp>
#include <glt/memory/memory.hpp>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace glt::io::detail {

/// Array that grows in a file instead of memory, and becomes a buffer when it is complete.
///
/// The file is removed with the buffer, or with this object if `take` was not called. It is open only during writes, so
/// that there may be any number of arrays.
template <bytes_copyable T>
class scratch_array {
public:
  static constexpr std::int64_t usual_bytes = std::int64_t{1} << 16;

  /// @where  `waiting_bytes` of memory for elements that follow each other, until `flush` or `take`
  /// @throws io_error  if the file cannot be created
  explicit scratch_array(std::filesystem::path path, std::int64_t waiting_bytes = usual_bytes)
      : path_(new std::filesystem::path(std::move(path))),
        limit_(
            static_cast<std::size_t>(std::max<std::int64_t>(waiting_bytes / static_cast<std::int64_t>(sizeof(T)), 1))) {
    static_cast<void>(open("wb", "created"));
  }

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// Writes elements at any place; elements that were never written are 0.
  ///
  /// @throws io_error  if the elements cannot be written
  void write(std::int64_t first, host_view<T const> elements) {
    if (first != first_waiting_ + std::ssize(waiting_)) {
      write_waiting();
      first_waiting_ = first;
    }
    for (std::int64_t done = 0; done < elements.size();) {
      auto const room = static_cast<std::int64_t>(limit_ - waiting_.size());
      auto const piece = elements.subview(done, std::min(room, elements.size() - done));
      waiting_.insert(waiting_.end(), piece.begin(), piece.end());
      done += piece.size();
      if (waiting_.size() == limit_) {
        write_waiting();
      }
    }
    size_ = std::max(size_, first + elements.size());
  }

  /// Writes elements after the last one.
  ///
  /// @throws io_error  if the elements cannot be written
  void append(host_view<T const> elements) { write(size_, elements); }

  /// Writes the waiting elements and frees their memory.
  ///
  /// @throws io_error  if they cannot be written
  void flush() {
    write_waiting();
    waiting_ = {};
  }

  /// Returns the elements mapped from the file; the system keeps in memory as many as there is room for.
  ///
  /// @throws io_error  if the last elements cannot be written, or the file cannot be mapped
  [[nodiscard]] buffer<device::cpu, T> take() && {
    flush();
    auto const mapped = std::make_shared<mapped_file>(*path_);
    path_.reset(); // the mapping keeps the bytes
    return buffer<device::cpu, T>::adopt(reinterpret_cast<T*>(mapped->data()), size_, mapped);
  }

private:
  struct remove_file {
    void operator()(std::filesystem::path const* path) const noexcept {
      std::error_code ignored;
      std::filesystem::remove(*path, ignored);
      delete path;
    }
  };
  using open_file = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

  [[nodiscard]] open_file open(char const* mode, char const* action) const {
    open_file file(std::fopen(path_->c_str(), mode), std::fclose);
    if (!file) {
      fail(action);
    }
    return file;
  }

  void write_waiting() {
    if (!waiting_.empty()) {
      auto file = open("rb+", "written");
      auto const offset = first_waiting_ * static_cast<std::int64_t>(sizeof(T));
      if (std::fseek(file.get(), static_cast<long>(offset), SEEK_SET) != 0 ||
          std::fwrite(waiting_.data(), sizeof(T), waiting_.size(), file.get()) != waiting_.size() ||
          std::fclose(file.release()) != 0) {
        fail("written");
      }
      first_waiting_ += std::ssize(waiting_);
      waiting_.clear();
    }
  }

  [[noreturn]] void fail(char const* action) const {
    throw io_error(
        path_->string(), first_waiting_ * static_cast<std::int64_t>(sizeof(T)),
        glt::detail::message("cannot be ", action, ": ", std::strerror(errno),
                             "; arrays that do not fit memory wait here: make room or choose another folder"));
  }

  std::unique_ptr<std::filesystem::path const, remove_file> path_;
  std::size_t limit_;
  std::vector<T> waiting_;
  std::int64_t first_waiting_ = 0; // place of the waiting elements
  std::int64_t size_ = 0;
};

} // namespace glt::io::detail
