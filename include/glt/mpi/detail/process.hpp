// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/mpi/detail/error.hpp>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <span>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace glt::detail {

/// Identity of a process, by which others on its machine see whether it lives; all zero if the system does not tell.
struct mpi_process {
  std::uint64_t machine = 0; ///< fingerprint of its boot and of the container
  std::int64_t number = 0;
  std::uint64_t start = 0; ///< start time in clock ticks: process numbers are reused

  friend bool operator==(mpi_process const&, mpi_process const&) = default;
};

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
  /// Returns the text with a zero at its end; only before `write`.
  [[nodiscard]] char const* c_str() const noexcept { return line_.data(); }
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

/// The beginning of a file of /proc, read without memory. Nothing but a descriptor may be short.
class proc_text {
public:
  explicit proc_text(char const* path) noexcept {
    int const file = ::open(path, O_RDONLY | O_CLOEXEC);
    auto const size = file < 0 ? -1 : ::read(file, text_.data(), text_.size());
    error_ = size < 0 ? errno : 0;
    size_ = size < 0 ? 0 : static_cast<std::size_t>(size);
    if (file >= 0) {
      ::close(file);
    }
  }
  /// The errno that says why it cannot be read, or 0.
  [[nodiscard]] int error() const noexcept { return error_; }
  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), size_}; }

private:
  std::array<char, 1024> text_{};
  std::size_t size_ = 0;
  int error_ = 0;
};

struct process_status {
  char state = 'X'; ///< T: stopped; Z or X: it has ended
  std::uint64_t start = 0;

  [[nodiscard]] bool has_ended() const noexcept { return state == 'Z' || state == 'X'; }
};

/// Returns the state and the start time of a process of this machine; nothing if the system cannot tell, such as where
/// this process may open no more files.
[[nodiscard]] inline std::optional<process_status> status_of_process(std::int64_t number) noexcept {
  last_line path;
  path << "/proc/" << number << "/stat";
  proc_text const file(path.c_str());
  if (file.error() != 0) {
    return file.error() == ENOENT || file.error() == ESRCH ? std::optional(process_status()) : std::nullopt;
  }
  auto const line = file.text();
  auto const after_name = line.rfind(')'); // names may contain any character
  if (after_name == std::string_view::npos || line.size() < after_name + 3) {
    return std::nullopt;
  }
  process_status found{.state = line[after_name + 2]};
  constexpr int start_field = 22;
  auto at = after_name + 2;
  for (int field = 3; field < start_field && at != std::string_view::npos; ++field) {
    at = line.find(' ', at + 1);
  }
  if (at != std::string_view::npos) {
    std::from_chars(line.data() + at + 1, line.data() + line.size(), found.start);
  }
  return found;
}

[[nodiscard]] inline mpi_process own_process() noexcept {
  proc_text const boot("/proc/sys/kernel/random/boot_id");
  struct ::stat container{};
  if (boot.text().empty() || ::stat("/proc/self/ns/pid", &container) != 0) {
    return {};
  }
  std::uint64_t machine = container.st_ino;
  for (char const letter : boot.text()) {
    machine = (machine ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  }
  auto const status = status_of_process(::getpid());
  return {.machine = machine, .number = ::getpid(), .start = status ? status->start : 0};
}

/// Returns the status of a process of the machine of `own`; nothing if it runs elsewhere, or the system cannot tell.
[[nodiscard]] inline std::optional<process_status> status_beside(mpi_process const& other,
                                                                 mpi_process const& own) noexcept {
  bool const is_beside = other.machine != 0 && other.machine == own.machine && other.start != 0;
  return is_beside ? status_of_process(other.number) : std::nullopt;
}

/// Returns true if a process of the machine of `own` has ended; false if it lives, runs elsewhere, or the system cannot
/// tell.
[[nodiscard]] inline bool has_died(mpi_process const& other, mpi_process const& own) noexcept {
  auto const status = status_beside(other, own);
  return status && (status->has_ended() || status->start != other.start);
}

/// Returns true if a process of the machine of `own` is stopped, as by SIGSTOP or a debugger.
[[nodiscard]] inline bool is_stopped(mpi_process const& other, mpi_process const& own) noexcept {
  auto const status = status_beside(other, own);
  return status && status->start == other.start && (status->state == 'T' || status->state == 't');
}

/// Returns true if the running MPI takes pointers into memory of CUDA GPUs; false if MPI cannot tell.
[[nodiscard]] inline bool mpi_is_device_aware() noexcept {
#if defined(MPIX_CUDA_AWARE_SUPPORT) // of Open MPI: the macro is about the build, the call about this run
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA) // of MPICH
  int supported = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported) == MPI_SUCCESS && supported != 0;
#else
  return false;
#endif
}

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

/// Processes of all ranks of the program, if one of its communicators has a time limit. A rank that is within MPI cannot
/// ask the others, but it can look at ranks of its machine.
inline std::vector<mpi_process> world_processes;

/// Writes a line for every rank whose process is stopped, and adds their numbers to `why`; needs no memory.
inline void write_stopped(std::span<mpi_process const> processes, int own, last_line& why) noexcept {
  bool is_first = true;
  for (std::size_t rank = 0; rank < processes.size(); ++rank) {
    if (is_stopped(processes[rank], processes[static_cast<std::size_t>(own)])) {
      (last_line() << "glt: rank " << rank << " does not answer: its process " << processes[rank].number
                   << " is stopped")
          .write();
      why << (is_first ? "; no answer of rank " : ", ") << rank;
      is_first = false;
    }
  }
}

/// Timer that ends this process, and so the job, after a limit: for calls of MPI that only block. It does not call MPI,
/// because the process may be inside a call.
class mpi_deadline {
public:
  /// @param waited     first line of the text, see `waited_in`
  /// @param processes  the processes of all ranks, of which stopped ones are named; may be empty
  mpi_deadline(std::chrono::duration<double> limit, int rank, int ranks, last_line waited,
               std::span<mpi_process const> processes = {})
      : mpi_deadline(limit, [=]() mutable noexcept {
          last_line why;
          waited.write();
          why << too_late;
          write_stopped(processes, rank, why);
          last_words(rank, ranks, why.text()).write();
        }) {}
  /// @param text  all that is said
  mpi_deadline(std::chrono::duration<double> limit, last_line text)
      : mpi_deadline(limit, [=]() mutable noexcept { text.write(); }) {}
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
  template <std::invocable Say>
  mpi_deadline(std::chrono::duration<double> limit, Say say)
      : thread_([this, say, limit = std::min(limit, longest_deadline)]() mutable {
          std::unique_lock lock(mutex_);
          if (!ended_.wait_for(lock, limit, [this] { return has_ended_; })) {
            say();
            ::_exit(1);
          }
        }) {}

  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread thread_; // uses the other members
};

} // namespace glt::detail
