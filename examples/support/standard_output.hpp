// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/error.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace example {

/// Hands over what was printed so far.
///
/// @throws glt::io_error  if something of it could not be written, such as on a full disk
inline void flush_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw glt::io_error("standard output", 0,
                        std::string("cannot be written: ") +
                            (errno != 0 ? std::strerror(errno) : "some of it was lost") +
                            "; make room, or send it elsewhere");
  }
}

} // namespace example
