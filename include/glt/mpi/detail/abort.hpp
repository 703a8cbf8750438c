// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/mpi/detail/api.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace glt::detail {

/// A line put together without memory from elsewhere; what is too long is cut.
class last_line {
public:
  last_line& operator<<(std::string_view text) noexcept {
    auto const room = std::min(text.size(), line_.size() - 1 - size_);
    std::copy_n(text.begin(), room, line_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += room;
    return *this;
  }
  last_line& operator<<(std::integral auto number) noexcept {
    std::array<char, 24> digits{};
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return *this << std::string_view(digits.data(), end);
  }
  /// Writes it to the standard error, as one piece.
  void write() noexcept {
    line_[size_] = '\n';
    if (::write(STDERR_FILENO, line_.data(), size_ + 1) < 0) {
      return; // nobody is there to read it
    }
  }

private:
  std::array<char, 1024> line_{};
  std::size_t size_ = 0;
};

/// Says which rank ends the job and why, and ends it; needs no memory.
[[noreturn]] inline void abort_job(MPI_Comm comm, int rank, int ranks, std::string_view cause) noexcept {
  (last_line() << "glt: rank " << rank << " of " << ranks << " cannot go on, and all ranks end: " << cause)
      .write();
  MPI_Abort(comm, 1);
  std::abort();
}

} // namespace glt::detail
