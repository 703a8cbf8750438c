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

/// Longest time limit of any communicator of this process, in seconds: MPI_Finalize also waits for other ranks.
inline std::atomic<double> longest_time_limit = 0;

inline constexpr std::string_view too_late = "a collective call was not completed within its time limit";

/// Longest limit of a wait and of its text: clocks and texts count in 64 bits, and a limit may be infinite.
inline constexpr std::chrono::duration<double> longest_deadline{1e9};

/// Returns the line of a rank that has waited too long; its place in the program may follow.
[[nodiscard]] inline last_line waited_in(std::string_view call, std::chrono::duration<double> limit, int rank,
                                         int ranks) noexcept {
  last_line made;
  made << "glt: rank " << rank << " of " << ranks << " has waited "
       << static_cast<std::int64_t>(std::min(limit, longest_deadline).count()) << " s in " << call;
  return made;
}

/// Timer that ends this process, and so the job, after a limit: for calls of MPI that only block. It does not call MPI,
/// because the process may be inside a call.
class mpi_deadline {
public:
  /// @param waited  first line of the text, see `waited_in`
  mpi_deadline(std::chrono::duration<double> limit, int rank, int ranks, last_line waited)
      : mpi_deadline(limit, waited << "\n"
                                   << last_words(rank, ranks, too_late).text()) {}
  /// @param text  all that is said
  mpi_deadline(std::chrono::duration<double> limit, last_line text)
      : text_(text), thread_([this, limit = std::min(limit, longest_deadline)] {
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
  std::thread thread_; // uses the other members
};

} // namespace glt::detail
