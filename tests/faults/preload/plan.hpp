// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

/// What the libraries that inject faults share. They are preloaded into one rank or all, and told by the environment
/// what to do:
///
/// - GLT_FAULT_RANK     the rank that fails; the others go on
/// - GLT_FAULT_NUMBER   which event fails, counted from 1 after arming; 0 counts only
/// - GLT_FAULT_LASTING  1: all events from that one on fail
/// - GLT_FAULT_STOP     1: the process stops there (SIGSTOP) instead of seeing a failure
/// - GLT_FAULT_ARM      mark (default): counting starts when the program calls `glt_fault_arm`; mpi: when it has
///                      started MPI; start: with the program
/// - GLT_FAULT_REPORT   a file name; with ".RANK" behind it, it gets a line "hit" and the places of the calls that led
///                      to the failed event, and at the end of the program "count N"
///
/// Nothing here allocates memory after `prepare`.
namespace glt_fault {

inline long number_of(char const* name, long otherwise) {
  char const* const text = std::getenv(name);
  return text != nullptr ? std::atol(text) : otherwise;
}

/// The rank of this process, as launchers tell it.
inline long own_rank() {
  for (char const* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (std::getenv(name) != nullptr) {
      return number_of(name, 0);
    }
  }
  return 0;
}

/// Counts events and says which of them fail.
class plan {
public:
  /// Reads the environment.
  void prepare() {
    rank_ = own_rank();
    is_chosen_ = number_of("GLT_FAULT_RANK", 0) == rank_;
    number_ = is_chosen_ ? number_of("GLT_FAULT_NUMBER", 0) : 0;
    is_lasting_ = number_of("GLT_FAULT_LASTING", 0) != 0;
    stops_ = number_of("GLT_FAULT_STOP", 0) != 0;
    char const* const arm_at = std::getenv("GLT_FAULT_ARM");
    arm_at_ = arm_at != nullptr ? arm_at[1] : 'a'; // the second letter of mark, mpi, start
    if (char const* const report = std::getenv("GLT_FAULT_REPORT")) {
      std::snprintf(report_.data(), report_.size(), "%s.%ld", report, rank_);
    }
    std::array<void*, 4> warm_up{};
    backtrace(warm_up.data(), static_cast<int>(warm_up.size())); // loads what it needs now
    if (arm_at_ == 't') {
      arm();
    }
  }
  void arm() { is_armed_ = true; }
  void arm_after_mpi() { is_armed_ = is_armed_ || arm_at_ == 'p'; }
  [[nodiscard]] bool is_armed() const { return is_armed_; }

  /// Counts an event; true if it must fail.
  [[nodiscard]] bool fails() {
    if (!is_armed_) {
      return false;
    }
    auto const event = ++count_;
    bool const chosen = number_ > 0 && (is_lasting_ ? event >= number_ : event == number_);
    if (chosen && !has_hit_.exchange(true)) {
      note_hit();
      if (stops_) {
        std::raise(SIGSTOP);
      }
    }
    return chosen && !stops_;
  }

  /// Of a call that is repeated until something has come, as often as time allows: a rank does not stop there.
  [[nodiscard]] bool fails_polling() { return !stops_ && fails(); }

  /// Writes how many events there were.
  void finish() {
    if (is_armed_) {
      std::array<char, 64> line{};
      auto const length = std::snprintf(line.data(), line.size(), "count %ld\n", count_.load());
      append(line.data(), static_cast<std::size_t>(length));
    }
  }

private:
  void append(char const* text, std::size_t length) const {
    if (report_[0] == '\0') {
      return;
    }
    int const file = open(report_.data(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file >= 0) {
      static_cast<void>(!write(file, text, length));
      close(file);
    }
  }

  void note_hit() const {
    append("hit\n", 4);
    std::array<void*, 40> calls{};
    int const depth = backtrace(calls.data(), static_cast<int>(calls.size()));
    for (int i = 0; i < depth; ++i) {
      Dl_info of{};
      if (dladdr(calls[static_cast<std::size_t>(i)], &of) != 0 && of.dli_fname != nullptr) {
        auto const offset =
            static_cast<char const*>(calls[static_cast<std::size_t>(i)]) - static_cast<char const*>(of.dli_fbase) - 1;
        std::array<char, 600> line{};
        auto const length = std::snprintf(line.data(), line.size(), "%s %#tx\n", of.dli_fname, offset);
        append(line.data(), static_cast<std::size_t>(length));
      }
    }
  }

  long rank_ = 0;
  bool is_chosen_ = false;
  long number_ = 0;
  bool is_lasting_ = false;
  bool stops_ = false;
  char arm_at_ = 'a';
  std::array<char, 512> report_{};
  std::atomic<bool> is_armed_{false};
  std::atomic<bool> has_hit_{false};
  std::atomic<long> count_{0};
};

} // namespace glt_fault
