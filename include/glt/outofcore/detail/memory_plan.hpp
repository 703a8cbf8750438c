// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/detail/mapped_file.hpp>
#include <glt/io/raw_data.hpp>
#include <glt/sample/hotness/hotness.hpp>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace glt::io::detail {

/// Division of a rank's memory limit, to partition a graph larger than memory.
struct memory_plan {
  std::int64_t for_vertices = 0; ///< arrays of one element per vertex of the graph
  std::int64_t for_edges = 0;    ///< three quarters of the remaining memory: pieces of the edge list and of features

  static constexpr std::int64_t bytes_a_vertex = 32;
  static constexpr std::int64_t least_left = std::int64_t{16} << 20; ///< a quarter of it for the program itself

  /// Returns the number of items, held three times each, that fit in a quarter of `for_edges`; at least 1.
  [[nodiscard]] std::int64_t items_a_round(std::int64_t item_bytes) const noexcept {
    auto const items = for_edges / 4 / (3 * item_bytes);
    return items > 0 ? items : 1;
  }
};

/// Divides a memory limit; the work needs `more_a_vertex` bytes a vertex more than usual.
///
/// @units  bytes of this process, mapped files and its code aside
/// @throws precondition_error  naming the smallest sufficient limit, if this one is too small
[[nodiscard]] inline detail::memory_plan plan_memory(std::int64_t num_vertices, std::int64_t memory_bytes,
                                                     std::int64_t more_a_vertex = 0) {
  constexpr auto most = std::int64_t{1} << 62; // more than any memory
  auto const a_vertex = memory_plan::bytes_a_vertex + more_a_vertex;
  detail::memory_plan plan{.for_vertices = num_vertices > most / a_vertex ? most : a_vertex * num_vertices};
  auto const left = memory_bytes - plan.for_vertices;
  plan.for_edges = left / 4 * 3;
  if (left < memory_plan::least_left) {
    throw precondition_error(glt::detail::message("memory limit of ", memory_bytes, " bytes for ", num_vertices,
                                                  " vertices; allow ", plan.for_vertices + memory_plan::least_left,
                                                  " bytes or more"));
  }
  return plan;
}

/// Options of estimating the hotness of a graph whose edges stay on disk.
struct hotness_estimate_options {
  hotness_options hotness{};
  memory_plan plan{};
  device::cpu policy{}; ///< threads of a rank
  task_progress::callback on_progress{};
};

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
