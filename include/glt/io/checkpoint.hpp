// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/atomic_file.hpp>
#include <glt/dist/loading/checkpoint.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/io/parts/detail/checksum.hpp>

#include <charconv>
#include <filesystem>
#include <system_error>

namespace glt::io {

namespace detail {

inline constexpr std::string_view checkpoint_magic = "glt-checkpoint ";
inline constexpr std::string_view checkpoint_version = "1\n";

// Returns a line per member; the first line names the format and its version, the last one is the checksum.
inline std::string checkpoint_text(dist::loader_checkpoint const& checkpoint) {
  std::string text(checkpoint_magic);
  text += checkpoint_version;
  glt::detail::visit_checkpoint<dist::loader_checkpoint>(
      [&](char const* name, auto member) { text += glt::detail::message(name, ' ', checkpoint.*member, '\n'); });
  return text;
}

inline std::string checksum_line(std::string_view text) {
  checksum sum;
  sum.add(text.data(), std::ssize(text));
  return "checksum " + checksum_text(sum.value()) + '\n';
}

// Reads the lines of `checkpoint_text` after the version; at a fault moves `at` to its place and returns false.
inline bool parse_members(std::string_view text, std::size_t& at, dist::loader_checkpoint& checkpoint) {
  bool is_right = true;
  glt::detail::visit_checkpoint<dist::loader_checkpoint>([&](std::string_view name, auto member) {
    using number = std::remove_reference_t<decltype(checkpoint.*member)>;
    std::conditional_t<std::is_same_v<number, bool>, std::uint8_t, number> value{};
    auto const begin = at + name.size() + 1;
    is_right = is_right && text.substr(at, name.size()) == name && begin < text.size() && text[begin - 1] == ' ';
    if (is_right) {
      auto const* const end = text.data() + text.size();
      auto const [stop, fault] = std::from_chars(text.data() + begin, end, value);
      is_right = fault == std::errc() && stop != end && *stop == '\n' && (!std::is_same_v<number, bool> || value <= 1);
      if (is_right) {
        checkpoint.*member = static_cast<number>(value);
        at = static_cast<std::size_t>(stop - text.data()) + 1;
      }
    }
  });
  return is_right;
}

} // namespace detail

/// Writes a checkpoint as lines of text with a checksum. A file of the same name is replaced only when the new one is
/// complete; a failed call leaves the old file.
///
/// @throws io_error  if the checkpoint cannot be written
inline void save_checkpoint(std::filesystem::path const& path, dist::loader_checkpoint const& checkpoint) {
  auto text = detail::checkpoint_text(checkpoint);
  text += detail::checksum_line(text);
  glt::detail::write_file(path, text);
}

/// Reads a checkpoint that `save_checkpoint` wrote.
///
/// @throws io_error  if there is no such file, it is not a checkpoint, it has another version, or it is damaged
[[nodiscard]] inline dist::loader_checkpoint load_checkpoint(std::filesystem::path const& path) {
  constexpr std::int64_t most_bytes = 4096;
  detail::input_file file(path);
  std::string text(static_cast<std::size_t>(file.size() > most_bytes ? 0 : file.size()), '\0');
  file.read(text.data(), std::ssize(text));
  if (!text.starts_with(detail::checkpoint_magic)) {
    file.fail(0, "is no checkpoint of a loader; give the path of one that save_checkpoint has written");
  }
  auto at = detail::checkpoint_magic.size();
  if (std::string_view(text).substr(at, detail::checkpoint_version.size()) != detail::checkpoint_version) {
    file.fail(std::ssize(detail::checkpoint_magic),
              "is a checkpoint of another version than 1; begin anew, or resume with "
              "the glt that has written it");
  }
  at += detail::checkpoint_version.size();
  dist::loader_checkpoint checkpoint;
  bool const is_right = detail::parse_members(text, at, checkpoint);
  std::string_view const rest(text.data() + at, text.size() - at);
  if (!is_right || rest != detail::checksum_line(std::string_view(text).substr(0, at))) {
    file.fail(static_cast<std::int64_t>(at), "is damaged; resume from an older checkpoint");
  }
  return checkpoint;
}

} // namespace glt::io
