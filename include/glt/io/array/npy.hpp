// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/detail/atomic_file.hpp>
#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/detail/input_file.hpp>

#include <charconv>
#include <filesystem>

namespace glt::io {

/// Reads a whole array of elements of type T, which must be the file's type. Rows are contiguous and bytes are in this
/// machine's order, whatever the order in the file.
///
/// @throws io_error  if there is no such file, it is not an .npy file, its elements are of another type, or its length
///                   contradicts its shape
/// @cost   one read of the file, and one transposition if it is in Fortran order; the length is checked before memory
///         is allocated
template <detail::npy_element T>
[[nodiscard]] array::typed<T> read_npy(std::filesystem::path const& path) {
  detail::input_file file(path);
  auto header = detail::read_npy_header(file);
  if (detail::native_type(header) != detail::npy_type<T>()) {
    file.fail(0, glt::detail::message("holds elements of type '", header.type, "', not '", detail::npy_type<T>(),
                                      "'; convert it with NumPy's astype"));
  }
  constexpr auto element = static_cast<std::int64_t>(sizeof(T));
  auto const count = detail::count_npy_elements(file, header, element);
  buffer<device::cpu, T> elements(count);
  file.read(elements.data(), count * element);
  detail::make_native(header, count, element, elements);
  return {std::move(header.shape), std::move(elements)};
}

/// Reads an array and checks its number of dimensions.
///
/// @throws io_error  as `read_npy` does, and if the array has another number of dimensions
template <detail::npy_element T>
[[nodiscard]] array::typed<T> read_npy(std::filesystem::path const& path, int dimensions) {
  auto array = read_npy<T>(path);
  if (array.shape.size() != static_cast<std::size_t>(dimensions)) {
    throw io_error(path.string(), 0,
                   glt::detail::message("has the shape ", detail::shape_text(array.shape), "; an array of ", dimensions,
                                        dimensions == 1 ? " dimension" : " dimensions", " belongs here"));
  }
  return array;
}

/// Writes an array in C order; replaces a file of the same name. A failed call leaves no new file.
///
/// @shape  values [product of shape], any contiguous range of the host
/// @throws precondition_error  if the number of values contradicts the shape, or the shape is too long for a
///                             header
/// @throws io_error            if the file cannot be written
template <std::ranges::contiguous_range Range>
  requires detail::npy_element<std::ranges::range_value_t<Range>>
void write_npy(std::filesystem::path const& path, Range const& values, std::span<std::int64_t const> shape) {
  using element = std::ranges::range_value_t<Range>;
  auto const count = static_cast<std::int64_t>(std::ranges::size(values));
  if (detail::count_elements(shape) != count) {
    throw precondition_error(glt::detail::message(path.string(), ": ", count, " values do not make an array of shape ",
                                                  detail::shape_text(shape)));
  }
  auto const head = detail::npy_start(detail::npy_type<element>(), shape);
  if (!head) {
    throw precondition_error(glt::detail::message(path.string(), ": a shape of ", shape.size(),
                                                  " dimensions does not fit an .npy header; give fewer"));
  }
  glt::detail::atomic_file file(path);
  file.write(head->data(), static_cast<std::int64_t>(head->size()));
  file.write(std::ranges::data(values), count * static_cast<std::int64_t>(sizeof(element)));
  file.commit();
}

/// Writes an array of one dimension.
template <std::ranges::contiguous_range Range>
  requires detail::npy_element<std::ranges::range_value_t<Range>>
void write_npy(std::filesystem::path const& path, Range const& values) {
  std::array const shape{static_cast<std::int64_t>(std::ranges::size(values))};
  write_npy(path, values, shape);
}

/// Writes a matrix.
template <class T>
  requires detail::npy_element<std::remove_const_t<T>>
void write_npy(std::filesystem::path const& path, host_matrix<T> values) {
  std::array const shape{values.rows(), values.columns()};
  write_npy(path, values.flat(), shape);
}

} // namespace glt::io

namespace glt::io::detail {

// Conversion of elements of a file to elements in memory.
struct npy_conversion {
  std::string_view stored; // NumPy's name
  std::int64_t stored_size;
  element_type type;
};

inline constexpr std::array<npy_conversion, 14> npy_conversions{{{"|i1", 1, element_type::int8},
                                                                 {"|u1", 1, element_type::uint8},
                                                                 {"|b1", 1, element_type::uint8},
                                                                 {"<i2", 2, element_type::int16},
                                                                 {"<i4", 4, element_type::int32},
                                                                 {"<i8", 8, element_type::int64},
                                                                 {"<f2", 2, element_type::float16},
                                                                 {"<f4", 4, element_type::float32},
                                                                 {"<f8", 8, element_type::float64},
                                                                 {"<V2", 2, element_type::bfloat16},
                                                                 {"|V2", 2, element_type::bfloat16},
                                                                 {"<u2", 2, element_type::int32},
                                                                 {"<u4", 4, element_type::int64},
                                                                 {"<u8", 8, element_type::int64}}};

// Returns the error text for an element type that cannot be read, with the way out.
inline std::string refuse_npy_type(std::string const& type) {
  if (type.find('O') != std::string::npos) {
    return "holds pickled Python objects, which are never executed; save the numbers in them as arrays";
  }
  return "holds elements of type '" + type +
         "'; whole numbers, bool, float16, float32, float64 and bfloat16 can be read, convert it with astype";
}

// Returns the conversion of the elements of an array; fails if there is none.
template <byte_source Source>
npy_conversion const& find_conversion(Source const& source, npy_header const& header) {
  auto const* const found = std::ranges::find(npy_conversions, native_type(header), &npy_conversion::stored);
  if (found == npy_conversions.end()) {
    source.fail(0, refuse_npy_type(header.type));
  }
  return *found;
}

// Widens the stored elements in place, last first, so that none is overwritten before it is read.
template <class Stored, class Wide, class Fail>
void widen(std::byte* bytes, std::int64_t count, Fail const& fail) {
  for (auto i = count; i-- > 0;) {
    Stored stored;
    std::memcpy(&stored, bytes + i * static_cast<std::int64_t>(sizeof(Stored)), sizeof(Stored));
    if (!std::in_range<Wide>(stored)) {
      fail(i, stored);
    }
    auto const wide = static_cast<Wide>(stored);
    std::memcpy(bytes + i * static_cast<std::int64_t>(sizeof(Wide)), &wide, sizeof(Wide));
  }
}

template <byte_source Source>
array read_npy_source(Source& source) {
  auto header = read_npy_header(source);
  auto const& known = find_conversion(source, header);
  auto const count = count_npy_elements(source, header, known.stored_size);
  if (count > std::numeric_limits<std::int64_t>::max() / glt::detail::size_of(known.type)) {
    source.fail(0, "is too long; split it");
  }
  buffer<device::cpu, std::byte> bytes(count * glt::detail::size_of(known.type));
  source.read(bytes.data(), count * known.stored_size);
  make_native(header, count, known.stored_size, bytes);
  auto const fail = [&](std::int64_t i, auto value) {
    source.fail(header.data_offset + (has_columns_first(header) ? 0 : i * known.stored_size),
                glt::detail::message("element ", i, " is ", value, ", which does not fit int64"));
  };
  if (known.stored == "<u2") {
    widen<std::uint16_t, std::int32_t>(bytes.data(), count, fail);
  } else if (known.stored == "<u4") {
    widen<std::uint32_t, std::int64_t>(bytes.data(), count, fail);
  } else if (known.stored == "<u8") {
    widen<std::uint64_t, std::int64_t>(bytes.data(), count, fail);
  }
  if (known.stored == "|b1") {
    return array::of_bool(std::move(header.shape), std::move(bytes));
  }
  return {known.type, std::move(header.shape), std::move(bytes)};
}

/// Reads an .npy file and takes the element type from its header. bool becomes uint8 with `is_bool()`, uint16 becomes
/// int32, uint32 and uint64 become int64.
///
/// Rows are contiguous and bytes are in this machine's order, whatever the order in the file. The two-byte void type,
/// as which NumPy saves ml_dtypes.bfloat16, is read as bfloat16.
///
/// @throws io_error  if there is no such file, it is not an .npy file, its elements are structured, Python objects or
///                   of another type without numbers, its length contradicts its shape, or a uint64 does not fit int64
/// @cost   one read of the file, and one transposition if it is in Fortran order; the length is checked before memory
///         is allocated
[[nodiscard]] inline array read_npy_any(std::filesystem::path const& path) {
  input_file file(path);
  return read_npy_source(file);
}

/// Reads the bytes of an .npy file; errors call the file `name`.
///
/// @throws io_error  as for a path
[[nodiscard]] inline array read_npy_any(host_view<std::byte const> bytes, std::string const& name) {
  memory_source source(bytes, name);
  return read_npy_source(source);
}

/// .npy file that is read in pieces of whole rows; elements are converted as `read_npy_any` does.
///
/// Concurrent calls: none on one object.
class npy_pieces {
public:
  /// @throws io_error  as `read_npy_any`, but for elements
  explicit npy_pieces(std::filesystem::path const& path)
      : file_(path), header_(read_npy_header(file_)), known_(&find_conversion(file_, header_)),
        count_(count_npy_elements(file_, header_, known_->stored_size)) {}

  [[nodiscard]] npy_header const& header() const noexcept { return header_; }
  [[nodiscard]] element_type type() const noexcept { return known_->type; }
  [[nodiscard]] std::int64_t num_elements() const noexcept { return count_; }

  /// Calls use(piece, first) for all elements, piece by piece; to be called once.
  ///
  /// @where  memory of a piece
  /// @throws io_error  as `read_npy_any` and `use` would throw for the whole file; an error of `use` about another file
  ///                   stays as it is
  template <class Use>
  void for_each(Use use) {
    bool const in_columns = count_ > 0 && has_columns_first(header_);
    auto const row_size = in_columns ? count_ / header_.shape[0] : 1;
    // If columns are contiguous, a piece is read from one place per column.
    auto const piece_size =
        in_columns ? std::max((std::int64_t{1} << 20) / row_size, std::int64_t{1}) * row_size : std::int64_t{1} << 16;
    for (std::int64_t first = 0; first < count_; first += piece_size) {
      std::array const shape{std::min(piece_size, count_ - first)};
      auto bytes = *npy_start(header_.type, shape);
      auto const begin = bytes.size();
      bytes.resize(begin + static_cast<std::size_t>(shape[0] * known_->stored_size));
      auto* const elements = reinterpret_cast<std::byte*>(bytes.data() + begin);
      if (in_columns) {
        read_rows(first / row_size, shape[0] / row_size, elements);
      } else {
        file_.read(elements, shape[0] * known_->stored_size);
      }
      try {
        use(read_npy_any({reinterpret_cast<std::byte const*>(bytes.data()), std::ssize(bytes)}, file_.path().string()),
            first);
      } catch (io_error const& fault) {
        if (fault.path() != file_.path().string()) {
          throw;
        }
        fail_as_in_whole(fault, first, in_columns);
      }
    }
  }

private:
  // Throws the error of a piece that begins with element `first`, with the place in the whole file.
  [[noreturn]] void fail_as_in_whole(io_error const& fault, std::int64_t first, bool in_columns) const {
    constexpr std::string_view start = "element ";
    auto cause = fault.cause();
    auto place = first;
    if (cause.starts_with(start)) {
      auto const* const number = cause.data() + start.size();
      std::int64_t in_piece = 0;
      auto const* const end = std::from_chars(number, cause.data() + cause.size(), in_piece).ptr;
      place += in_piece;
      cause = glt::detail::message(start, place, std::string_view(end, cause.data() + cause.size()));
    }
    bool const has_byte = fault.offset() != 0;
    file_.fail(has_byte ? header_.data_offset + (in_columns ? 0 : place * known_->stored_size) : 0, cause);
  }

  // Rows of an array whose columns are contiguous.
  void read_rows(std::int64_t first, std::int64_t rows, std::byte* out) {
    auto const size = known_->stored_size;
    auto const columns = count_ / header_.shape[0];
    columns_.resize(static_cast<std::size_t>(rows * columns * size));
    for (std::int64_t column = 0; column < columns; ++column) {
      file_.seek(header_.data_offset + (column * header_.shape[0] + first) * size);
      file_.read(columns_.data() + column * rows * size, rows * size);
    }
    auto shape = header_.shape;
    shape[0] = rows;
    copy_rows(columns_.data(), shape, size, out);
  }

  input_file file_;
  npy_header header_;
  npy_conversion const* known_;
  std::int64_t count_;
  std::vector<std::byte> columns_;
};

} // namespace glt::io::detail
