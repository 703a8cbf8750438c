// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/mailbox.hpp>
#include <glt/comm/node_memory.hpp>
#include <glt/mpi/detail/error.hpp>
#include <glt/mpi/detail/handle.hpp>

#include <atomic>
#include <chrono>
#include <climits>
#include <ctime>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace glt::detail {

/// Alarm between MPI processes: an empty message to every other rank. See `failure_alarm`.
class mpi_alarm {
public:
  /// @comm   none
  explicit mpi_alarm(std::shared_ptr<mpi_handle const> handle) : handle_(std::move(handle)) {
    sent_.reserve(static_cast<std::size_t>(handle_->size()));
  }
  mpi_alarm(mpi_alarm&&) noexcept = default;
  mpi_alarm& operator=(mpi_alarm&& other) noexcept {
    forget();
    handle_ = std::move(other.handle_);
    sent_ = std::move(other.sent_);
    is_raised_ = other.is_raised_;
    return *this;
  }
  ~mpi_alarm() { forget(); }

  /// @throws library_error  if MPI reports a failure
  void raise() {
    serial_guard const turn;
    for (int peer = 0; peer < handle_->size() && !is_raised_; ++peer) {
      if (peer != handle_->rank()) {
        MPI_Request request = MPI_REQUEST_NULL;
        check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, peer, tag, handle_->comm(), &request), "MPI_Isend");
        sent_.push_back(request);
      }
    }
    is_raised_ = true;
  }

  /// @throws library_error  if MPI reports a failure
  [[nodiscard]] bool raised() {
    serial_guard const turn;
    int found = 0;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, handle_->comm(), &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
    return found != 0;
  }

  /// @throws library_error  if MPI reports a failure
  void settle(std::span<char const> raisers) {
    serial_guard const turn; // all messages have been sent: this waits for no rank
    for (int peer = 0; peer < handle_->size(); ++peer) {
      if (peer != handle_->rank() && raisers[static_cast<std::size_t>(peer)] != 0) {
        check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, peer, tag, handle_->comm(), MPI_STATUS_IGNORE), "MPI_Recv");
      }
    }
    for (auto& request : sent_) {
      check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    }
    sent_.clear();
    is_raised_ = false;
  }

private:
  static constexpr int tag = 2; // replies use tag 1

  void forget() noexcept {
    serial_guard const turn;
    for (auto& request : sent_) {
      if (request != MPI_REQUEST_NULL && mpi_is_running()) {
        MPI_Request_free(&request);
      }
    }
    sent_.clear();
  }

  std::shared_ptr<mpi_handle const> handle_;
  std::vector<MPI_Request> sent_; // by this rank
  bool is_raised_ = false;
};

static_assert(failure_alarm<mpi_alarm>);

/// Doorbell: lets a rank sleep until another rank of its machine has sent it a message. Each rank has a counter in
/// shared memory, on which the kernel can wait.
class doorbell {
public:
  using seconds = std::chrono::duration<double>;

  /// Bytes that every rank shares for it.
  static constexpr std::int64_t bytes = 64;
  /// Sets the counter of a block to zero.
  static void clear(std::span<std::byte> block) noexcept { std::ranges::fill(block, std::byte{0}); }

  doorbell() = default;
  explicit doorbell(node_blocks blocks) : blocks_(std::move(blocks)) {
#if defined(__linux__)
    hears_all_ = !blocks_.of_rank.empty() &&
                 std::ranges::all_of(blocks_.of_rank, [](auto const& block) { return block.has_value(); });
#endif
  }

  /// Returns true if all ranks ring, so that a rank may sleep.
  [[nodiscard]] bool hears_all() const noexcept { return hears_all_; }
  /// Returns how often other ranks rang for this rank.
  [[nodiscard]] std::uint32_t heard() const noexcept { return hears_all_ ? rings(blocks_.own.data()).load() : 0; }

  /// Tells a rank that a message has been sent to it.
  void ring(int rank) const noexcept {
    if (hears_all_) {
      auto* const block = const_cast<std::byte*>(blocks_.of_rank[static_cast<std::size_t>(rank)]->data());
      rings(block).fetch_add(1);
      if (sleepers(block).load() > 0) {
        wake_all(block);
      }
    }
  }
  /// Sleeps until it has rung more often than `heard`, at most for `limit`.
  void wait(std::uint32_t heard, seconds limit) const noexcept {
    auto const nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(limit).count();
    std::timespec const at_most{0, std::clamp(static_cast<long>(nanoseconds), 1L, 999'999'999L)};
    auto* const block = blocks_.own.data();
    sleepers(block).fetch_add(1);
    sleep(block, heard, at_most);
    sleepers(block).fetch_sub(1);
  }

private:
  using counter = std::atomic_ref<std::uint32_t>;
  static_assert(counter::is_always_lock_free); // processes do not share a lock

  static counter rings(std::byte* block) noexcept { return counter(*reinterpret_cast<std::uint32_t*>(block)); }
  static counter sleepers(std::byte* block) noexcept { return counter(*(reinterpret_cast<std::uint32_t*>(block) + 1)); }
  // The result does not matter: the rank looks again.
  static void sleep([[maybe_unused]] std::byte* block, [[maybe_unused]] std::uint32_t value,
                    [[maybe_unused]] std::timespec const& limit) noexcept {
#if defined(__linux__)
    static_cast<void>(::syscall(SYS_futex, block, FUTEX_WAIT, value, &limit, nullptr, 0));
#endif
  }
  static void wake_all([[maybe_unused]] std::byte* block) noexcept {
#if defined(__linux__)
    static_cast<void>(::syscall(SYS_futex, block, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0));
#endif
  }

  node_blocks blocks_;
  bool hears_all_ = false;
};

} // namespace glt::detail
