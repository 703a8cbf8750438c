// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt::io::detail {

/// Source of a known number of bytes, which are read once from begin to end; `input_file` is one.
///
/// `read` returns exactly `count` bytes or throws; `fail` throws an `io_error` that names the place.
template <class Source>
concept byte_source = requires(Source source, Source const constant, void* out, std::int64_t count) {
  { constant.size() } -> std::same_as<std::int64_t>;
  { constant.position() } -> std::same_as<std::int64_t>;
  source.read(out, count);
  constant.fail(count, std::string());
};

/// Bytes in memory that are read like a file.
class memory_source {
public:
  /// Reads the bytes; errors use `name` in place of a path.
  memory_source(host_view<std::byte const> bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  [[nodiscard]] std::int64_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] std::int64_t position() const noexcept { return position_; }

  /// @throws io_error  if the bytes end before
  void read(void* out, std::int64_t count) {
    if (count > size() - position_) {
      fail(size(), glt::detail::message("ends ", count - (size() - position_), " bytes early; make it again"));
    }
    if (count > 0) {
      std::memcpy(out, bytes_.data() + position_, static_cast<std::size_t>(count));
    }
    position_ += count;
  }

  [[noreturn]] void fail(std::int64_t offset, std::string const& what) const { throw io_error(name_, offset, what); }

private:
  host_view<std::byte const> bytes_;
  std::string name_;
  std::int64_t position_ = 0;
};

} // namespace glt::io::detail
