// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/array/npy.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/detail/input_watch.hpp>

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
  bool random = false;                  ///< read single pages at first use and nothing ahead of them
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
    if (options.random) {
      static_cast<void>(::madvise(mapped, bytes, MADV_RANDOM));
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

// In the order of `element_type`. NumPy has no bfloat16; its bits are stored as unsigned numbers.
inline constexpr std::array<std::string_view, 9> npy_names{"|i1", "|u1", "<i2", "<i4", "<i8",
                                                           "<f2", "<u2", "<f4", "<f8"};

inline constexpr std::string_view npy_name_of(element_type type) noexcept {
  return npy_names[static_cast<std::size_t>(type)];
}

inline memory_source source_of(mapped_file const& file) {
  return {{file.data(), file.size()}, file.path().string()};
}

// Refuses arrays whose rows and bytes are in another order than in memory.
inline void check_order(memory_source const& source, npy_header const& header) {
  if (has_columns_first(header) || is_big_endian(header)) {
    source.fail(0, std::string("is ") + (is_big_endian(header) ? "big-endian" : "in Fortran order") +
                       ", and cannot stay in its file; read it by io::read_npy, or save numpy.ascontiguousarray(a, "
                       "a.dtype.newbyteorder('<'))");
  }
}

// The array of a mapped .npy file, whose header was read and is row by row, as elements of a type of the same size.
inline array map_elements(std::shared_ptr<mapped_file> file, npy_header header, element_type type) {
  auto const source = source_of(*file);
  auto const available = count_npy_elements(source, header, glt::detail::size_of(type)) * glt::detail::size_of(type);
  auto* const first = file->data() + header.data_offset;
  if (header.data_offset % glt::detail::size_of(type) == 0) {
    return {type, std::move(header.shape), buffer<device::cpu, std::byte>::adopt(first, available, std::move(file))};
  }
  buffer<device::cpu, std::byte> copied(available);
  glt::detail::copy_bytes(copied.data(), first, available);
  return {type, std::move(header.shape), std::move(copied)};
}

/// Maps an .npy file whose elements are of a known type; bfloat16 is stored as uint16. Writes to the array never reach
/// the file.
///
/// @throws io_error  if there is no such file, it is not an .npy file, its elements are of another type, big-endian
///                   or in Fortran order, or its length contradicts its shape
/// @cost   as `mapped_file`; one copy more if the elements are not aligned, which no writer produces
[[nodiscard]] inline array map_npy(std::filesystem::path const& path, element_type type,
                                   map_options const& options = {}) {
  auto file = std::make_shared<mapped_file>(path, options);
  auto source = source_of(*file);
  auto header = read_npy_header(source);
  check_order(source, header);
  if (header.type != npy_name_of(type)) {
    source.fail(0, glt::detail::message("holds elements of type '", header.type, "', not '", npy_name_of(type),
                                        "'; convert it with NumPy's astype"));
  }
  return map_elements(std::move(file), std::move(header), type);
}

/// Maps an .npy file and takes the element type from its header.
///
/// @throws io_error  as `read_npy_any`, and if the type must be converted, checked or reordered when it is read
/// @cost   as `map_npy`
[[nodiscard]] inline array map_npy_any(std::filesystem::path const& path, map_options const& options = {}) {
  auto file = std::make_shared<mapped_file>(path, options);
  auto source = source_of(*file);
  auto header = read_npy_header(source);
  check_order(source, header);
  auto const& known = find_conversion(source, header);
  if (known.stored_size != glt::detail::size_of(known.type) || known.stored == "<u8") {
    source.fail(0, glt::detail::message("holds elements of type '", header.type,
                                        "', which cannot stay in their file: they are read as ",
                                        glt::detail::name_of(known.type), "; convert it with NumPy's astype"));
  }
  return map_elements(std::move(file), std::move(header), known.type);
}

} // namespace glt::io::detail
