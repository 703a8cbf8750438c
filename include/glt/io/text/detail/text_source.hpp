// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/input_file.hpp>
#include <glt/io/text/detail/gzip_reader.hpp>
#include <glt/memory/memory.hpp>

#include <filesystem>
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

/// Limits on the text that a reader takes.
///
/// @units  bytes of the unpacked text
struct text_limits {
  std::int64_t piece_bytes = std::int64_t{1} << 20; ///< in memory at a time, for every thread
  std::int64_t line_bytes = std::int64_t{1} << 28;  ///< a longer line is refused, up to a piece
  std::int64_t text_bytes = std::int64_t{1} << 44;  ///< a longer text is refused
};

// Counts line ends in [at, end), in blocks whose count fits a byte: compilers turn the loop into vector instructions.
inline std::int64_t count_lines(char const* at, char const* end) noexcept {
  constexpr std::ptrdiff_t block = 128;
  std::int64_t count = 0;
  for (; end - at >= block; at += block) {
    std::uint8_t found = 0;
    for (std::ptrdiff_t i = 0; i < block; ++i) {
      found = static_cast<std::uint8_t>(found + (at[i] == '\n' ? 1 : 0));
    }
    count += found;
  }
  return count + std::count(at, end, '\n');
}

struct text_place {
  std::int64_t offset = 0; ///< in bytes of the unpacked text
  std::int64_t line = 1;
};

/// Returns a piece of text in quotation marks for an error message; bytes that are not printable are escaped.
[[nodiscard]] inline std::string quoted(char const* at, char const* end) {
  std::string made = "\"";
  for (; at != end; ++at) {
    auto const byte = static_cast<unsigned char>(*at);
    if (*at == '"' || *at == '\\') {
      made.append({'\\', *at});
    } else if (byte >= 0x20 && byte < 0x7F) {
      made += *at;
    } else if (*at == '\t') {
      made += "\\t";
    } else {
      constexpr std::string_view hex = "0123456789abcdef";
      made.append({'\\', 'x', hex[byte >> 4], hex[byte & 15]});
    }
  }
  return made + '"';
}

/// Text of a plain or gzip file, a slice of a plain file, or memory, in pieces of whole lines. Knows the line of every
/// byte in memory.
///
/// The first bytes of a file tell whether it is packed. A UTF-8 byte order mark is skipped.
///
/// Concurrent calls: none on one object.
class text_source {
public:
  /// @throws io_error            if there is no such file, it is not a regular file, or it cannot be opened
  /// @throws precondition_error  if a limit is not positive
  explicit text_source(std::filesystem::path const& path, text_limits limits = {})
      : text_source(path.string(), limits, open_text(path)) {}

  /// Opens a slice of a plain file, which begins and ends at line boundaries; see `slice_lines`. Places count from the
  /// start of the slice, but errors count the lines before it as well.
  ///
  /// @pre    the slice is a range of the file; not checked
  /// @throws as for a whole file
  text_source(std::filesystem::path const& path, text_slice slice, text_limits limits = {})
      : text_source(path.string(), limits, plain_text(input_file(path), slice)) {
    offset_ = slice.begin;
  }

  /// Reads a text in memory, which must stay valid; `name` stands for the path in errors.
  ///
  /// @throws precondition_error  if a limit is not positive
  text_source(std::string name, std::string_view text, text_limits limits = {})
      : text_source(std::move(name), limits, memory_text(text)) {}

  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  /// True if the file is packed: offsets and lines then refer to the unpacked text.
  [[nodiscard]] bool packed() const noexcept { return std::holds_alternative<gzip_reader>(input_); }

  /// Returns the bytes of the file; `bytes_read` returns how many of them were read.
  [[nodiscard]] std::int64_t bytes_total() const noexcept {
    return std::visit([](auto const& input) { return input.size(); }, input_);
  }
  [[nodiscard]] std::int64_t bytes_read() const noexcept {
    return std::visit([](auto const& input) { return input.position(); }, input_);
  }

  /// Returns the lines in memory that were not skipped yet; the last line of the text may have no line end.
  [[nodiscard]] std::string_view unread() const noexcept {
    return {text_.data() + at_, static_cast<std::size_t>(lines_end_ - at_)};
  }
  /// @pre    count <= unread().size(); not checked
  void skip(std::size_t count) noexcept { at_ += static_cast<std::int64_t>(count); }

  /// Makes sure that `unread` has lines; returns false at the end of the text. Reads about `pieces` pieces at a time,
  /// in place of the lines that were skipped.
  ///
  /// @throws io_error  if the file cannot be read or unpacked, or a limit is exceeded
  bool load(int pieces = 1) {
    if (at_ < lines_end_) {
      return true;
    }
    drop_lines();
    while (lines_end_ == 0 && !(ended_ && filled_ == 0)) {
      auto const searched = filled_;
      if (!ended_) {
        read_more(pieces * limits_.piece_bytes);
      }
      auto const fresh =
          std::string_view(text_.data(), static_cast<std::size_t>(filled_)).substr(static_cast<std::size_t>(searched));
      auto const last = fresh.rfind('\n');
      if (last != std::string_view::npos) {
        lines_end_ = searched + static_cast<std::int64_t>(last) + 1;
      } else if (ended_) {
        lines_end_ = filled_;
      } else if (filled_ > limits_.line_bytes) {
        fail(text_.data(), glt::detail::message("the line has more than ", limits_.line_bytes,
                                                " bytes; check that this is a text file"));
      }
    }
    if (offset_ == 0 && unread().starts_with("\xEF\xBB\xBF")) {
      at_ = 3;
    }
    return at_ < lines_end_ || (lines_end_ > 0 && load(pieces));
  }

  /// Returns the place of a byte in memory.
  ///
  /// @pre    `at` points into the lines in memory, or to their end; not checked
  [[nodiscard]] text_place place(char const* at) const noexcept {
    return {offset_ + (at - text_.data()), first_line_ + count_lines(text_.data(), at)};
  }
  /// Returns the place after the lines in memory.
  [[nodiscard]] text_place end_place() const noexcept { return place(text_.data() + lines_end_); }

  /// Throws an `io_error` that names the line of a byte in memory and quotes the text there; at a line end, the text
  /// before it.
  [[noreturn]] void fail(char const* at, std::string const& what) const {
    constexpr std::ptrdiff_t shown = 40;
    auto const* const end = text_.data() + filled_;
    auto const* stop = std::find(at, at + std::min(shown, end - at), '\n');
    bool const goes_on = stop != end && *stop != '\n';
    stop -= stop > at && stop[-1] == '\r' ? 1 : 0;
    std::string quote = ", at " + quoted(at, stop) + (goes_on ? "…" : "");
    if (stop == at) {
      auto const* start = at;
      while (start > text_.data() && start[-1] != '\n' && at - start < shown) {
        --start;
      }
      quote = start == at ? ", which is empty" : ", at its end behind " + quoted(start, at);
    }
    fail(place(at), quote + ": " + what);
  }
  /// Throws an `io_error` that names the line.
  [[noreturn]] void fail(text_place where, std::string const& what) const {
    throw io_error(
        path_, where.offset,
        glt::detail::message("line ", lines_before() + where.line, packed() ? " of the unpacked text" : "", what));
  }

private:
  text_source(std::string path, text_limits limits, text_input input)
      : path_(std::move(path)), limits_(limits), input_(std::move(input)) {
    if (std::min({limits.piece_bytes, limits.line_bytes, limits.text_bytes}) < 1) {
      throw precondition_error("text_limits has a limit below 1; give positive ones");
    }
  }

  // Counts the line ends of the file before the slice.
  [[nodiscard]] std::int64_t lines_before() const {
    auto const* const plain = std::get_if<plain_text>(&input_);
    std::int64_t count = 0;
    if (plain != nullptr && plain->slice().begin > 0) {
      input_file file(plain->file().path());
      std::array<char, std::size_t{1} << 16> piece;
      while (file.position() < plain->slice().begin) {
        auto const size = std::min(std::ssize(piece), plain->slice().begin - file.position());
        file.read(piece.data(), size);
        count += count_lines(piece.data(), piece.data() + size);
      }
    }
    return count;
  }

  void drop_lines() {
    auto const next = end_place();
    offset_ = next.offset;
    first_line_ = next.line;
    if (filled_ > lines_end_) {
      std::memmove(text_.data(), text_.data() + lines_end_, static_cast<std::size_t>(filled_ - lines_end_));
    }
    filled_ -= lines_end_;
    at_ = 0;
    lines_end_ = 0;
  }

  void read_more(std::int64_t wanted) {
    if (!packed()) {
      wanted = std::min(wanted, bytes_total() - bytes_read());
    }
    if (wanted > 0) {
      text_.resize(filled_);
      text_.resize(filled_ + wanted);
    }
    auto const got = std::visit([&](auto& input) { return input.read_some(text_.data() + filled_, wanted); }, input_);
    ended_ = got == 0;
    filled_ += got;
    if (offset_ + filled_ > limits_.text_bytes) {
      throw io_error(path_, limits_.text_bytes,
                     glt::detail::message("has more than ", limits_.text_bytes,
                                          " bytes of text; raise text_limits::text_bytes if it should"));
    }
  }

  std::string path_;
  text_limits limits_;
  text_input input_;
  buffer<device::cpu, char> text_; // whole lines up to lines_end_, then the beginning of one up to filled_
  std::int64_t at_ = 0;
  std::int64_t lines_end_ = 0;
  std::int64_t filled_ = 0;
  std::int64_t offset_ = 0;     // of text_ in the whole text
  std::int64_t first_line_ = 1; // that text_ begins with
  bool ended_ = false;
};

} // namespace glt::io::detail
