// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/bytes.hpp>
#include <glt/core/error.hpp>
#include <glt/core/message.hpp>
#include <glt/core/view.hpp>
#include <glt/io/mapped_file.hpp>
#include <glt/memory/buffer.hpp>
#include <glt/memory/policy.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

namespace glt::io {

/// An array that grows in a file, because it may not fit memory, and is used as a buffer when it is complete.
///
/// The file goes away with the buffer, or with this object if nobody took it.
template <bytes_copyable T>
class scratch_array {
public:
  /// @throws io_error  if the file cannot be created
  explicit scratch_array(std::filesystem::path path)
      : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb"), std::fclose) {
    if (!file_) {
      fail("created");
    }
  }
  scratch_array(scratch_array&&) = default;
  scratch_array& operator=(scratch_array&&) = delete;
  ~scratch_array() {
    if (file_) {
      std::error_code ignored;
      std::filesystem::remove(path_, ignored);
    }
  }

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// Writes elements from a place on, which may be anywhere; what was never written is 0.
  ///
  /// @throws io_error  if the elements cannot be written
  void put(std::int64_t first, host_view<T const> elements) {
    if (first != position_ &&
        std::fseek(file_.get(), static_cast<long>(first * static_cast<std::int64_t>(sizeof(T))), SEEK_SET) != 0) {
      fail("written");
    }
    auto const count = static_cast<std::size_t>(elements.size());
    if (count > 0 && std::fwrite(elements.data(), sizeof(T), count, file_.get()) != count) {
      fail("written");
    }
    position_ = first + elements.size();
    size_ = std::max(size_, position_);
  }

  /// Writes elements behind the last one.
  ///
  /// @throws io_error  if the elements cannot be written
  void append(host_view<T const> elements) { put(size_, elements); }

  /// The elements, mapped from the file; the system keeps in memory what it has room for.
  ///
  /// @throws io_error  if the last elements cannot be written, or the file cannot be mapped
  [[nodiscard]] buffer<device::cpu, T> take() && {
    if (std::fflush(file_.get()) != 0) {
      fail("written");
    }
    auto const mapped = std::make_shared<mapped_file>(path_);
    file_.reset();
    std::error_code ignored;
    std::filesystem::remove(path_, ignored); // the mapping keeps its bytes
    return buffer<device::cpu, T>::adopt(reinterpret_cast<T*>(mapped->data()), size_, mapped);
  }

private:
  [[noreturn]] void fail(char const* action) const {
    throw io_error(
        path_.string(), size_ * static_cast<std::int64_t>(sizeof(T)),
        glt::detail::message("cannot be ", action, ": ", std::strerror(errno),
                             "; arrays that do not fit memory wait here: make room or choose another folder"));
  }

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::int64_t size_ = 0;
  std::int64_t position_ = 0; // where the file would write next
};

} // namespace glt::io
