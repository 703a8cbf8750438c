// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <bit>
#include <cstring>
#include <string>
#include <string_view>

namespace glt::io::detail {

/// Bytes of a pickle, taken one piece after the other; text is a view of them.
///
/// @pre    the path and the bytes outlive this object
class pickle_source {
public:
  pickle_source(std::string_view path, host_view<std::byte const> bytes, std::int64_t position)
      : path_(path), bytes_(bytes), position_(position) {}

  [[nodiscard]] std::string_view path() const noexcept { return path_; }
  /// Returns the byte offset of the next piece.
  [[nodiscard]] std::int64_t position() const noexcept { return position_; }
  [[nodiscard]] bool at_end() const noexcept { return position_ == bytes_.size(); }

  /// Takes `count` bytes.
  ///
  /// @throws io_error  if fewer are left
  [[nodiscard]] std::string_view take(std::uint64_t count) {
    auto const left = rest();
    if (count > left.size()) {
      auto const missing = count - left.size();
      throw io_error(std::string(path_), bytes_.size(),
                     glt::detail::message("the pickle ends ", missing, " bytes early; make the file again"));
    }
    position_ += static_cast<std::int64_t>(count);
    return left.substr(0, count);
  }

  /// Takes a little-endian number.
  ///
  /// @throws io_error  if the bytes end before the number does
  template <class T>
  [[nodiscard]] T number() {
    static_assert(std::endian::native == std::endian::little);
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  /// Takes the text up to the next line feed, and the line feed.
  ///
  /// @throws precondition_error  if there is no line feed
  [[nodiscard]] std::string_view line() {
    auto const end = rest().find('\n');
    if (end == std::string_view::npos) {
      throw precondition_error("the pickle ends within a name; make the file again");
    }
    return take(end + 1).substr(0, end);
  }

private:
  [[nodiscard]] std::string_view rest() const noexcept {
    return {reinterpret_cast<char const*>(bytes_.data()) + position_,
            static_cast<std::size_t>(bytes_.size() - position_)};
  }

  std::string_view path_;
  host_view<std::byte const> bytes_;
  std::int64_t position_;
};

} // namespace glt::io::detail
