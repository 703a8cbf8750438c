// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/input_file.hpp>
#include <glt/io/detail/libraries.hpp>

#include <charconv>
#include <filesystem>
#include <new>
#include <system_error>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace glt::io::detail {

/// XXH3 checksum of 64 bits over bytes that come piece by piece; finds accidents, not forgeries.
///
/// @source Yann Collet, xxHash, XXH3_64bits with the default secret and seed 0
class checksum {
public:
  checksum() : state_(XXH3_createState()) {
    if (state_ == nullptr) {
      throw std::bad_alloc();
    }
    XXH3_64bits_reset(state_.get());
  }

  /// @shape  bytes [count]
  void add(void const* bytes, std::int64_t count) noexcept {
    if (count > 0) {
      XXH3_64bits_update(state_.get(), bytes, static_cast<std::size_t>(count));
    }
  }

  /// Returns the checksum of all bytes added so far.
  [[nodiscard]] std::uint64_t value() const noexcept { return XXH3_64bits_digest(state_.get()); }

private:
  struct release {
    void operator()(XXH3_state_t* state) const noexcept { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, release> state_;
};

/// Returns a checksum as 16 hexadecimal digits, as `xxhsum -H3` prints it.
[[nodiscard]] inline std::string checksum_text(std::uint64_t sum) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text(16, '0');
  for (auto place = text.rbegin(); place != text.rend(); ++place, sum >>= 4) {
    *place = digits[sum & 15];
  }
  return text;
}

/// Parses the text of `checksum_text`; returns nothing for other texts.
[[nodiscard]] inline std::optional<std::uint64_t> parse_checksum(std::string_view text) noexcept {
  std::uint64_t sum = 0;
  bool const digits = text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (digits) {
    std::from_chars(text.data(), text.data() + text.size(), sum, 16);
  }
  return digits ? std::optional(sum) : std::nullopt;
}

/// Returns the checksum of a whole file.
///
/// @throws io_error  if there is no such file, or it cannot be read
/// @cost   one read of the file, a mebibyte at a time
[[nodiscard]] inline std::uint64_t checksum_of_file(std::filesystem::path const& path) {
  input_file file(path);
  checksum sum;
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min<std::int64_t>(file.size(), 1 << 20)));
  while (file.position() < file.size()) {
    auto const count = std::min(file.size() - file.position(), static_cast<std::int64_t>(piece.size()));
    file.read(piece.data(), count);
    sum.add(piece.data(), count);
  }
  return sum.value();
}

} // namespace glt::io::detail
