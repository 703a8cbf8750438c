// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/node_memory.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <span>
#include <utility>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace glt::detail {

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
