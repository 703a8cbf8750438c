// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/graph/hetero_schema.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/detail/libraries.hpp>

#include <charconv>
#include <filesystem>
#include <new>
#include <system_error>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace glt::io::detail {

inline constexpr char const* manifest_file_name = "manifest.json";

// Encodes a name for a file name: all bytes but letters, digits, - and _ become %XX. Different names stay different,
// and none leads to another folder.
inline std::string encoded_name(std::string_view name) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (char const letter : name) {
    auto const byte = static_cast<unsigned char>(letter);
    bool const plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '-' || letter == '_';
    if (plain) {
      encoded += letter;
    } else {
      encoded += {'%', digits[byte / 16], digits[byte % 16]};
    }
  }
  return encoded;
}

inline std::string part_folder(int part) {
  return "part-" + std::to_string(part);
}

inline std::string node_folder(std::string_view type) {
  return encoded_name(type);
}

inline std::string edge_folder(hetero_schema::edge_type const& type) {
  return encoded_name(type.source) + "." + encoded_name(type.name) + "." + encoded_name(type.destination);
}

// Returns the file of a feature, whose name must not clash with other arrays of the folder, hot rows and link splits.
inline std::string feature_file(std::string_view name) {
  constexpr std::array<std::string_view, 12> taken{"original", "labels",  "times",    "train",   "valid", "test",
                                                   "offsets",  "sources", "edge_ids", "weights", "halo",  "hot_ids"};
  bool clashes = name.starts_with("feature-") || name.starts_with("hot-") || name.starts_with("links-");
  for (auto const other : taken) {
    clashes = clashes || name == other;
  }
  return (clashes ? "feature-" : "") + encoded_name(name) + ".npy";
}

inline std::string hot_feature_file(std::string_view name) {
  return "hot-" + encoded_name(name) + ".npy";
}

inline std::string links_file(std::string_view split, bool negatives) {
  return "links-" + encoded_name(split) + (negatives ? ".negatives.npy" : ".edges.npy");
}

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
