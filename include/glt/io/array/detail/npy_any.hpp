// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/io/array/array.hpp>
#include <glt/io/array/detail/byte_source.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/array/detail/npy_layout.hpp>
#include <glt/io/detail/input_file.hpp>
#include <glt/memory/memory.hpp>

#include <filesystem>

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

// Returns the number of elements if the bytes hold exactly that many of `size` each; throws otherwise.
template <byte_source Source>
std::int64_t count_npy_elements(Source const& source, npy_header const& header, std::int64_t size) {
  auto const count = count_elements(header.shape);
  auto const available = source.size() - source.position();
  if (!count || *count > available / size) {
    source.fail(source.size(),
                glt::detail::message("ends after ", available, " bytes of data, too few for an array of shape ",
                                     shape_text(header.shape), "; make it again"));
  }
  if (*count * size != available) {
    source.fail(source.position() + *count * size,
                glt::detail::message("goes on for ", available - *count * size, " bytes behind an array of shape ",
                                     shape_text(header.shape), "; make it again"));
  }
  return *count;
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

} // namespace glt::io::detail
