// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/detail/input_file.hpp>
#include <glt/memory/memory.hpp>

#include <charconv>
#include <filesystem>
#include <system_error>

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

/// A number that an .npy file may hold.
template <class T>
concept npy_element = (std::integral<T> && !std::same_as<T, bool> && !std::is_const_v<T>) || std::same_as<T, float> ||
                      std::same_as<T, double>;

/// Header of an .npy file: element type, shape, order and place of the elements.
struct npy_header {
  std::string type;                ///< NumPy's name of the element type, such as "<f4"
  std::vector<std::int64_t> shape; ///< empty for a single number
  bool fortran_order = false;      ///< columns are contiguous instead of rows
  std::int64_t data_offset = 0;    ///< byte at which the elements begin
};

/// NumPy's name of a type: byte order, kind, size.
template <npy_element T>
[[nodiscard]] std::string npy_type() {
  static_assert(std::endian::native == std::endian::little,
                "glt reads and writes little-endian files on such machines");
  char const kind = std::floating_point<T> ? 'f' : std::unsigned_integral<T> ? 'u' : 'i';
  return {sizeof(T) == 1 ? '|' : '<', kind, static_cast<char>('0' + sizeof(T))};
}

inline constexpr std::string_view npy_magic{"\x93NUMPY", 6};

// Returns the product of the sizes; nothing if a size is negative or the product does not fit 63 bits.
inline std::optional<std::int64_t> count_elements(std::span<std::int64_t const> shape) {
  std::int64_t count = 1;
  bool overflow = false;
  for (auto const size : shape) {
    if (size < 0) {
      return std::nullopt;
    }
    overflow = overflow || (size > 0 && count > std::numeric_limits<std::int64_t>::max() / size);
    count = overflow ? 1 : count * size;
  }
  bool const none = std::ranges::find(shape, 0) != shape.end();
  return none ? std::optional<std::int64_t>(0) : overflow ? std::nullopt : std::optional(count);
}

inline std::string shape_text(std::span<std::int64_t const> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

// Throws if the header at the beginning of an .npy file does not give this type and shape.
void check_npy_start(std::string_view start, std::string_view type, std::span<std::int64_t const> shape);

// Returns the header of an .npy file up to its elements, which start at a multiple of 64 bytes. The header is parsed
// again as a check. Returns nothing if the shape is too long for a header.
inline std::optional<std::string> npy_start(std::string_view type, std::span<std::int64_t const> shape) {
  std::string text =
      glt::detail::message("{'descr': '", type, "', 'fortran_order': False, 'shape': ", shape_text(shape), ", }");
  constexpr std::size_t start = 10;
  text.append(63 - (start + text.size()) % 64, ' ').append("\n");
  if (text.size() > std::numeric_limits<std::uint16_t>::max()) {
    return std::nullopt;
  }
  std::string head(npy_magic);
  head.append({'\1', '\0', static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)});
  head += text;
  check_npy_start(head, type, shape);
  return head;
}

// Parser of the Python dictionary in the header, which may hold strings, True, False and tuples of numbers only. A
// source has the members of `input_file`.
template <class Source>
class npy_dictionary {
public:
  npy_dictionary(Source const& file, std::string_view text, std::int64_t offset)
      : file_(file), text_(text), offset_(offset) {}

  [[nodiscard]] npy_header read() {
    npy_header header;
    bool type = false;
    bool order = false;
    bool shape = false;
    expect("{");
    while (!skip("}")) {
      auto const key = quoted();
      expect(":");
      if (key == "descr" && !type) {
        header.type = quoted();
        type = true;
      } else if (key == "fortran_order" && !order) {
        header.fortran_order = skip("True");
        if (!header.fortran_order) {
          expect("False");
        }
        order = true;
      } else if (key == "shape" && !shape) {
        header.shape = tuple();
        shape = true;
      } else {
        fail("the header has a key '" + key + "' which does not belong there");
      }
      if (!skip(",")) {
        expect("}");
        break;
      }
    }
    if (!type || !order || !shape) {
      fail("the header lacks one of 'descr', 'fortran_order' and 'shape'");
    }
    skip_space();
    if (at_ != text_.size()) {
      fail("the header goes on behind its dictionary");
    }
    return header;
  }

private:
  [[noreturn]] void fail(std::string const& what) const {
    file_.fail(offset_ + static_cast<std::int64_t>(at_), what + "; make the file again with NumPy or write_npy");
  }

  void skip_space() { at_ = std::min(text_.find_first_not_of(" \n", at_), text_.size()); }

  bool skip(std::string_view word) {
    skip_space();
    bool const found = text_.substr(at_).starts_with(word);
    at_ += found ? word.size() : 0;
    return found;
  }

  void expect(std::string_view word) {
    if (!skip(word)) {
      fail(glt::detail::message("the header has no ", word, " here"));
    }
  }

  std::string quoted() {
    skip_space();
    auto const quote = at_ < text_.size() ? text_[at_] : '\0';
    auto const end = text_.find(quote, at_ + 1);
    if ((quote != '\'' && quote != '"') || end == std::string_view::npos) {
      fail("the header has no string here (structured types are not supported)");
    }
    auto const found = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return std::string(found);
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> sizes;
    expect("(");
    while (!skip(")")) {
      skip_space();
      std::int64_t size = -1;
      auto const [end, fault] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      if (fault != std::errc() || size < 0) {
        fail("the shape has no size of 0 or more here");
      }
      at_ = static_cast<std::size_t>(end - text_.data());
      sizes.push_back(size);
      if (!skip(",")) {
        expect(")");
        break;
      }
    }
    return sizes;
  }

  Source const& file_;
  std::string_view text_;
  std::int64_t offset_;
  std::size_t at_ = 0;
};

template <class Source>
npy_header read_npy_header(Source& file) {
  unsigned char start[8];
  if (file.size() < 12) {
    file.fail(0, glt::detail::message("has ", file.size(), " bytes, too few for an .npy file; make it again"));
  }
  file.read(start, 8);
  if (!std::equal(npy_magic.begin(), npy_magic.end(), reinterpret_cast<char const*>(start))) {
    file.fail(0, "does not begin as an .npy file; make it with NumPy or write_npy");
  }
  int const version = start[6];
  if (version < 1 || version > 3) {
    file.fail(6, glt::detail::message("is of .npy version ", version, "; versions 1 to 3 can be read"));
  }
  unsigned char length_bytes[4] = {};
  file.read(length_bytes, version == 1 ? 2 : 4);
  std::int64_t length = 0;
  for (int i = 3; i >= 0; --i) {
    length = length * 256 + length_bytes[i];
  }
  if (length > file.size() - file.position()) {
    file.fail(8, glt::detail::message("its header has ", length, " bytes, more than the file; make it again"));
  }
  std::string text(static_cast<std::size_t>(length), ' ');
  auto const text_offset = file.position();
  file.read(text.data(), length);
  auto header = npy_dictionary<Source>(file, text, text_offset).read();
  header.data_offset = file.position();
  return header;
}

inline void check_npy_start(std::string_view start, std::string_view type, std::span<std::int64_t const> shape) {
  memory_source source({reinterpret_cast<std::byte const*>(start.data()), std::ssize(start)}, "header of an .npy file");
  auto const header = read_npy_header(source);
  if (header.type != type || !std::ranges::equal(header.shape, shape) || header.fortran_order ||
      header.data_offset != std::ssize(start)) {
    source.fail(0, "does not say what was meant; the array is not written");
  }
}

/// Reads the header of an .npy file, but no elements.
///
/// @throws io_error  if there is no such file, or it is not an .npy file
/// @source NumPy Enhancement Proposal 1, "A simple file format for NumPy arrays"
[[nodiscard]] inline npy_header read_npy_header(std::filesystem::path const& path) {
  input_file file(path);
  return read_npy_header(file);
}

[[nodiscard]] inline bool is_big_endian(npy_header const& header) {
  return header.type.starts_with('>');
}

/// Returns NumPy's name of the element type in the byte order of this machine.
[[nodiscard]] inline std::string native_type(npy_header const& header) {
  return is_big_endian(header) ? "<" + header.type.substr(1) : header.type;
}

/// True if rows must be put together from columns: the array is in Fortran order and has two sides above 1.
[[nodiscard]] inline bool has_columns_first(npy_header const& header) {
  return header.fortran_order && std::ranges::count_if(header.shape, [](auto side) { return side > 1; }) > 1;
}

inline void reverse_elements(std::byte* bytes, std::int64_t count, std::int64_t element_bytes) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::reverse(bytes + i * element_bytes, bytes + (i + 1) * element_bytes);
  }
}

// Transposes as `copy_rows` does, for one element size; works on blocks of rows so that the output stays in a cache.
template <std::size_t Size>
void copy_rows_of(std::byte const* columns_first, std::span<std::int64_t const> shape, std::byte* rows_first) {
  constexpr std::int64_t block_bytes = std::int64_t{1} << 18;
  auto const rows = shape[0];
  std::int64_t columns = 1;
  for (auto const side : shape.subspan(1)) {
    columns *= side;
  }
  constexpr auto size = static_cast<std::int64_t>(Size);
  auto const block = std::max<std::int64_t>(block_bytes / (columns * size), 16);
  std::vector<std::int64_t> index(shape.size()); // of a column; the first side is ignored
  for (std::int64_t first = 0; first < rows; first += block) {
    auto const last = std::min(first + block, rows);
    std::ranges::fill(index, 0);
    for (std::int64_t column = 0; column < columns; ++column) {
      std::int64_t stored = 0; // its number where the second side varies fastest
      for (auto side = shape.size(); side-- > 1;) {
        stored = stored * shape[side] + index[side];
      }
      auto const* from = columns_first + (stored * rows + first) * size;
      auto* to = rows_first + (first * columns + column) * size;
      for (auto row = first; row < last; ++row, from += size, to += columns * size) {
        std::memcpy(to, from, Size);
      }
      for (auto side = shape.size(); side-- > 1 && ++index[side] == shape[side];) {
        index[side] = 0;
      }
    }
  }
}

/// Copies an array in Fortran order to one of the same shape in C order.
///
/// @pre    elements have 1, 2, 4 or 8 bytes, and there are some; not checked
inline void copy_rows(std::byte const* columns_first, std::span<std::int64_t const> shape, std::int64_t element_bytes,
                      std::byte* rows_first) {
  switch (element_bytes) {
  case 1:
    return copy_rows_of<1>(columns_first, shape, rows_first);
  case 2:
    return copy_rows_of<2>(columns_first, shape, rows_first);
  case 4:
    return copy_rows_of<4>(columns_first, shape, rows_first);
  default:
    return copy_rows_of<8>(columns_first, shape, rows_first);
  }
}

/// Converts the elements of a file to the order in memory: rows contiguous, lowest byte first.
///
/// @shape  bytes: the bytes of the file first, and any room behind them
/// @where  memory of the array once more while it is transposed
template <class Element>
void make_native(npy_header const& header, std::int64_t count, std::int64_t stored_bytes,
                 buffer<device::cpu, Element>& elements) {
  auto* const bytes = reinterpret_cast<std::byte*>(elements.data());
  if (is_big_endian(header)) {
    reverse_elements(bytes, count, stored_bytes);
  }
  if (count > 0 && has_columns_first(header)) {
    buffer<device::cpu, Element> rows(elements.size());
    copy_rows(bytes, header.shape, stored_bytes, reinterpret_cast<std::byte*>(rows.data()));
    elements = std::move(rows);
  }
}

// Returns the number of elements if the bytes behind a header hold exactly that many of `size` each; throws otherwise.
template <byte_source Source>
std::int64_t count_npy_elements(Source const& source, npy_header const& header, std::int64_t size) {
  auto const count = count_elements(header.shape);
  auto const available = source.size() - header.data_offset;
  if (!count || *count > available / size) {
    source.fail(source.size(),
                glt::detail::message("ends after ", available, " bytes of data, too few for an array of shape ",
                                     shape_text(header.shape), "; make it again"));
  }
  if (*count * size != available) {
    source.fail(header.data_offset + *count * size,
                glt::detail::message("goes on for ", available - *count * size, " bytes behind an array of shape ",
                                     shape_text(header.shape), "; make it again"));
  }
  return *count;
}

} // namespace glt::io::detail
