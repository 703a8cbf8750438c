// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>

namespace glt_test {

/// The text as one gzip member.
inline std::string gzip(std::string const& text, int level = 6) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2");
  }
  std::string made(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  auto copy = text; // zlib's input is not const
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(made.data());
  stream.avail_out = static_cast<uInt>(made.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) {
    throw std::runtime_error("deflate");
  }
  made.resize(stream.total_out);
  deflateEnd(&stream);
  return made;
}

} // namespace glt_test
