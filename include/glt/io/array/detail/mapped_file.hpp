// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/input_file.hpp>
#include <glt/io/detail/input_watch.hpp>
#include <glt/memory/memory.hpp>

#include <cerrno>
#include <filesystem>

#if defined(__unix__)
#include <sys/mman.h>
#endif

namespace glt::io::detail {

/// Options of mapping a file into memory.
struct map_options {
  bool populate = false;                ///< read all of it now instead of page by page at first use
  bool huge_pages = false;              ///< ask the system for huge pages; a hint that most file systems ignore
  std::shared_ptr<input_watch> watch{}; ///< notes the file, which is then to stay as it is, and guards its pages
};

/// Bytes of a whole file: mapped where the system supports it, else read into memory; neither copied nor moved.
///
/// Writes to the bytes never reach the file. If a mapped file is shortened, reading the missing bytes ends the program,
/// unless the file is watched. Replace files instead of changing them.
class mapped_file {
public:
  /// @throws io_error        if the file does not exist, is not a regular file, or cannot be mapped
  /// @throws std::bad_alloc  if files are read instead of mapped, and memory is short
  /// @cost   one mapping; the file is read at first use, or now if `populate` is set
  explicit mapped_file(std::filesystem::path path, map_options const& options = {}) {
    input_file file(std::move(path));
    path_ = file.path();
    size_ = file.size();
    if (options.watch) {
      options.watch->add(file);
    }
#if defined(__unix__)
    map(file, options);
#else
    read_.resize(size_);
    file.read(read_.data(), size_);
    data_ = read_.data();
#endif
  }
  mapped_file(mapped_file const&) = delete;
  mapped_file& operator=(mapped_file const&) = delete;
#if defined(__unix__)
  ~mapped_file() {
    if (data_ != nullptr) {
      if (watch_) {
        watch_->release(data_);
      }
      ::munmap(data_, static_cast<std::size_t>(size_));
    }
  }
#endif

  [[nodiscard]] std::filesystem::path const& path() const noexcept { return path_; }
  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] std::byte const* data() const noexcept { return data_; }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

private:
#if defined(__unix__)
  void map(input_file const& file, map_options const& options) {
    if (size_ == 0) {
      return;
    }
    int flags = MAP_PRIVATE;
#if defined(MAP_POPULATE)
    flags |= options.populate ? MAP_POPULATE : 0;
#endif
    auto const bytes = static_cast<std::size_t>(size_);
    void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file.descriptor(), 0);
    if (mapped == MAP_FAILED) {
      file.fail(0, glt::detail::message("cannot be mapped into memory: ", std::strerror(errno)));
    }
    data_ = static_cast<std::byte*>(mapped);
    if (options.huge_pages) {
      glt::detail::advise_huge_pages(mapped, bytes);
    }
    if (options.watch) {
      try {
        options.watch->guard(data_, size_);
      } catch (...) {
        ::munmap(mapped, bytes);
        throw;
      }
      watch_ = options.watch;
    }
  }

  std::shared_ptr<input_watch> watch_;
#endif

  std::filesystem::path path_;
  std::byte* data_ = nullptr;
  std::int64_t size_ = 0;
#if !defined(__unix__)
  buffer<device::cpu, std::byte> read_;
#endif
};

} // namespace glt::io::detail
