// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/input_file.hpp>
#include <glt/io/text/detail/text_source.hpp>
#include <glt/outofcore/detail/shuffle_rounds.hpp>

#include <filesystem>

namespace glt::io::detail {

// Returns the beginning of the first line that does not begin before `place`, which is not 0.
inline std::int64_t find_line(input_file& file, std::int64_t place) {
  std::array<char, std::size_t{1} << 12> piece;
  file.seek(std::min(place - 1, file.size()));
  while (file.position() < file.size()) {
    auto const first = file.position();
    auto const size = std::min(std::ssize(piece), file.size() - first);
    file.read(piece.data(), size);
    auto const found = std::string_view(piece.data(), static_cast<std::size_t>(size)).find('\n');
    if (found != std::string_view::npos) {
      return first + static_cast<std::int64_t>(found) + 1;
    }
  }
  return file.size();
}

/// Returns the slice of the lines of a plain file that a rank reads. The bytes from `begin` on are divided evenly, and
/// a line belongs to the rank in whose share it begins.
///
/// @pre    a line begins at `begin`; not checked
/// @throws io_error  if the file cannot be read
/// @cost   the bytes of two lines
[[nodiscard]] inline text_slice slice_lines(std::filesystem::path const& path, std::int64_t begin, int ranks,
                                            int rank) {
  input_file file(path);
  auto const [first, last] = slice_of(std::max<std::int64_t>(file.size() - begin, 0), ranks, rank);
  auto const line_from = [&](std::int64_t place) { return place == 0 ? begin : find_line(file, begin + place); };
  return {line_from(first), line_from(last)};
}

/// Returns the lines that a rank reads, from the position of `source` on: its slice of a plain file. A packed file
/// cannot be cut; rank 0 reads all of it.
///
/// @pre    `source` reads a file; not checked
/// @throws io_error  as `slice_lines`
[[nodiscard]] inline text_source source_of_rank(text_source source, int ranks, int rank) {
  if (source.packed()) {
    return rank == 0 ? std::move(source) : text_source(source.path(), std::string_view());
  }
  auto const begin = source.place(source.unread().data()).offset;
  return text_source(std::filesystem::path(source.path()), slice_lines(source.path(), begin, ranks, rank));
}

/// Returns the rank whose source of `source_of_rank` ends at the end of the text.
[[nodiscard]] inline int rank_at_end(text_source const& source, int ranks) noexcept {
  return source.packed() ? 0 : ranks - 1;
}

} // namespace glt::io::detail
