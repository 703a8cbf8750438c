// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/input_file.hpp>
#include <glt/io/text/detail/gzip_reader.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

namespace glt::io::detail {

/// Range of bytes of a plain file.
struct text_slice {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Text in memory that is read like a file.
class memory_text {
public:
  explicit memory_text(std::string_view text) : text_(text) {}

  std::int64_t read_some(char* out, std::int64_t count) {
    auto const got = text_.substr(static_cast<std::size_t>(at_), static_cast<std::size_t>(count));
    std::copy(got.begin(), got.end(), out);
    at_ += std::ssize(got);
    return std::ssize(got);
  }
  [[nodiscard]] std::int64_t position() const noexcept { return at_; }
  [[nodiscard]] std::int64_t size() const noexcept { return std::ssize(text_); }

private:
  std::string_view text_;
  std::int64_t at_ = 0;
};

/// Slice of a plain file, or all of it; positions count from the start of the slice.
class plain_text {
public:
  plain_text(input_file whole, text_slice part) : file_(std::move(whole)), slice_(part) { file_.seek(slice_.begin); }
  explicit plain_text(input_file whole) : file_(std::move(whole)), slice_{0, file_.size()} {}

  std::int64_t read_some(char* out, std::int64_t count) {
    count = std::min(count, slice_.end - file_.position());
    file_.read(out, count);
    return count;
  }
  [[nodiscard]] std::int64_t position() const noexcept { return file_.position() - slice_.begin; }
  [[nodiscard]] std::int64_t size() const noexcept { return slice_.end - slice_.begin; }
  [[nodiscard]] input_file const& file() const noexcept { return file_; }
  [[nodiscard]] text_slice slice() const noexcept { return slice_; }

private:
  input_file file_;
  text_slice slice_;
};

/// Source of a text: `read_some`, `position` and `size`, the last two in bytes of the file or memory.
using text_input = std::variant<memory_text, plain_text, gzip_reader>;

/// Opens a plain or packed file; its first bytes tell which.
[[nodiscard]] inline text_input open_text(std::filesystem::path const& path) {
  std::array<char, 2> first{};
  input_file probe(path);
  probe.read(first.data(), std::min<std::int64_t>(probe.size(), 2));
  if (gzip_reader::is_gzip({first.data(), first.size()})) {
    return gzip_reader(input_file(path));
  }
  return plain_text(input_file(path));
}

} // namespace glt::io::detail
