// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/io/array/detail/byte_source.hpp>
#include <glt/io/array/detail/npy_header.hpp>
#include <glt/io/array/npy_any.hpp>

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace glt::io::detail {

// Returns the bytes of a NumPy string type such as "|S3" or "<U3"; 0 for other types.
inline std::int64_t npy_string_size(std::string_view type) {
  std::int64_t length = 0;
  if (type.size() < 3 || !(type.starts_with("|S") || type.starts_with("<U"))) {
    return 0;
  }
  auto const [end, fault] = std::from_chars(type.data() + 2, type.data() + type.size(), length);
  constexpr std::int64_t longest = 4096;
  if (fault != std::errc() || end != type.data() + type.size() || length > longest) {
    return 0;
  }
  return type[1] == 'U' ? length * 4 : length;
}

// Reads an array of one string; NumPy pads with zero bytes and stores a letter in 1 or 4 bytes.
template <byte_source Source>
std::string read_npy_string(Source& source) {
  auto const header = read_npy_header(source);
  auto const size = npy_string_size(header.type);
  if (size == 0) {
    source.fail(0, "holds elements of type '" + header.type + "' where a single string belongs");
  }
  if (count_npy_elements(source, header, size) != 1) {
    source.fail(0, "is an array of shape " + shape_text(header.shape) + " where a single string belongs");
  }
  std::string bytes(static_cast<std::size_t>(size), '\0');
  auto const begin = source.position();
  source.read(bytes.data(), size);
  std::size_t const step = header.type[1] == 'U' ? 4 : 1;
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bool const low = i % step == 0;
    if (static_cast<unsigned char>(bytes[i]) > 127 || (!low && bytes[i] != '\0')) {
      source.fail(begin + static_cast<std::int64_t>(i), "has a letter that is not ASCII");
    }
    if (low) {
      text += bytes[i];
    }
  }
  return text.substr(0, text.find('\0'));
}

} // namespace glt::io::detail
