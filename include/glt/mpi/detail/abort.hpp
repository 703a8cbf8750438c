// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/mpi/detail/api.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <csignal>
#include <cstddef>
#include <string_view>
#include <unistd.h>

namespace glt::detail {

/// Line of text that allocates no memory; longer text is cut.
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
  [[nodiscard]] std::string_view text() const noexcept { return {line_.data(), size_}; }
  /// Writes the line to the standard error, as one piece.
  void write() noexcept {
    line_[size_] = '\n';
    if (::write(STDERR_FILENO, line_.data(), size_ + 1) < 0) {
      return; // there is no reader
    }
  }

private:
  std::array<char, 1024> line_{};
  std::size_t size_ = 0;
};

/// Returns whether Open MPI's launcher started this process. That launcher ends a job as soon as one process ends
/// without MPI_Finalize. After MPI_Abort, the launcher of Open MPI 4.1.4 crashed or hung in 6 of 112 jobs that glt
/// ended so.
[[nodiscard]] inline bool launched_by_open_mpi() noexcept {
#ifdef OPEN_MPI
  std::array<char, 16> ranks{};
  int found = 0;
  return MPI_Info_get(MPI_INFO_ENV, "ompi_np", static_cast<int>(ranks.size()) - 1, ranks.data(), &found) ==
             MPI_SUCCESS &&
         found != 0;
#else
  return false;
#endif
}

/// Returns the last line of a rank that ends a job.
[[nodiscard]] inline last_line last_words(int rank, int ranks, std::string_view cause) noexcept {
  last_line made;
  made << "glt: rank " << rank << " of " << ranks << " cannot go on, and all ranks end: " << cause;
  return made;
}

/// Ends this process by SIGALRM after so many seconds; needs no memory.
inline void end_by_signal_after(unsigned int seconds) noexcept {
  ::sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, SIGALRM);
  ::signal(SIGALRM, SIG_DFL);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::alarm(seconds);
}

/// Ends all processes of the job at once; needs no memory.
[[noreturn]] inline void end_job(MPI_Comm comm, int status) noexcept {
  if (!launched_by_open_mpi()) {
    end_by_signal_after(2); // without memory MPI_Abort of MPICH 4.0.2 never returns
    ::usleep(100000);       // its launcher drops late output
    MPI_Abort(comm, status);
  }
  ::_exit(status == 0 ? 1 : status);
}

/// Writes which rank ends the job and why, and ends it; needs no memory.
[[noreturn]] inline void abort_job(MPI_Comm comm, int rank, int ranks, std::string_view cause) noexcept {
  last_words(rank, ranks, cause).write();
  end_job(comm, 1);
}

/// Rank of this process, and number of ranks.
struct mpi_place {
  int rank = 0;
  int ranks = 0;
};
[[nodiscard]] inline mpi_place place_in(MPI_Comm comm) noexcept {
  mpi_place found;
  MPI_Comm_rank(comm, &found.rank);
  MPI_Comm_size(comm, &found.ranks);
  return found;
}

[[noreturn]] inline void abort_job(MPI_Comm comm, std::string_view cause) noexcept {
  auto const [rank, ranks] = place_in(comm);
  abort_job(comm, rank, ranks, cause);
}

} // namespace glt::detail
