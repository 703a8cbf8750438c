// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/mpi/detail/abort.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <thread>

#include <unistd.h>

namespace glt::detail {

/// The longest time limit of any communicator of this process, in seconds: MPI_Finalize waits for other ranks as well.
inline std::atomic<double> longest_time_limit = 0;

inline constexpr std::string_view too_late = "a collective call was not completed within its time limit";

/// The longest time that is waited for and told: clocks and texts count in 64 bits, and a limit may be infinite.
inline constexpr std::chrono::duration<double> longest_deadline{1e9};

/// The line of a rank that has waited too long; where it was may follow.
[[nodiscard]] inline last_line waited_in(std::string_view call, std::chrono::duration<double> limit, int rank,
                                         int ranks) noexcept {
  last_line made;
  made << "glt: rank " << rank << " of " << ranks << " has waited "
       << static_cast<std::int64_t>(std::min(limit, longest_deadline).count()) << " s in " << call;
  return made;
}

/// Ends this process, and thereby the job, if it lives longer than a limit: for calls of MPI that only wait. It calls no
/// MPI, in which the process may be.
class mpi_deadline {
public:
  /// @param waited  what is said first, see `waited_in`
  mpi_deadline(std::chrono::duration<double> limit, int rank, int ranks, last_line waited)
      : text_(waited << "\n"
                     << last_words(rank, ranks, too_late).text()),
        thread_([this, limit = std::min(limit, longest_deadline)] {
          std::unique_lock lock(mutex_);
          if (!ended_.wait_for(lock, limit, [this] { return has_ended_; })) {
            text_.write();
            ::_exit(1);
          }
        }) {}
  mpi_deadline(mpi_deadline const&) = delete;
  mpi_deadline& operator=(mpi_deadline const&) = delete;
  ~mpi_deadline() {
    {
      std::scoped_lock const lock(mutex_);
      has_ended_ = true;
    }
    ended_.notify_one();
    thread_.join();
  }

private:
  last_line text_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread thread_; // uses the others
};

} // namespace glt::detail
