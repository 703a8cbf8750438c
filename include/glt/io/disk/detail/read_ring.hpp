// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

#include <atomic>
#include <cerrno>

#if defined(__linux__) && __has_include(<linux/io_uring.h>)
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace glt::io::detail {

#if defined(__linux__) && __has_include(<linux/io_uring.h>) && defined(__NR_io_uring_setup)

/// Queue of reads that the kernel works on at the same time, over system calls alone.
///
/// Concurrent calls: none on one object.
///
/// @source Axboe, "Efficient IO with io_uring", 2019; man io_uring_setup(2), io_uring_enter(2)
class read_ring {
public:
  /// Makes a queue for `depth` reads; `works()` is false where the kernel refuses.
  explicit read_ring(int depth) noexcept {
    ::io_uring_params params{};
    auto const made = ::syscall(__NR_io_uring_setup, depth, &params);
    if (made < 0) {
      return;
    }
    descriptor_ = static_cast<int>(made);
    rings_bytes_ = std::max(params.sq_off.array + params.sq_entries * sizeof(unsigned),
                            params.cq_off.cqes + params.cq_entries * sizeof(::io_uring_cqe));
    entries_bytes_ = params.sq_entries * sizeof(::io_uring_sqe);
    if ((params.features & IORING_FEAT_SINGLE_MMAP) != 0) { // Linux 5.4 and later
      rings_ = map(rings_bytes_, IORING_OFF_SQ_RING);
      entries_ = map(entries_bytes_, IORING_OFF_SQES);
    }
    if (!works()) {
      return;
    }
    asked_tail_ = at<unsigned>(params.sq_off.tail);
    asked_mask_ = *at<unsigned>(params.sq_off.ring_mask);
    asked_ = at<unsigned>(params.sq_off.array);
    done_head_ = at<unsigned>(params.cq_off.head);
    done_tail_ = at<unsigned>(params.cq_off.tail);
    done_mask_ = *at<unsigned>(params.cq_off.ring_mask);
    done_ = at<::io_uring_cqe>(params.cq_off.cqes);
  }
  read_ring(read_ring const&) = delete;
  read_ring& operator=(read_ring const&) = delete;
  ~read_ring() {
    if (entries_ != MAP_FAILED) {
      ::munmap(entries_, entries_bytes_);
    }
    if (rings_ != MAP_FAILED) {
      ::munmap(rings_, rings_bytes_);
    }
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }

  [[nodiscard]] bool works() const noexcept { return rings_ != MAP_FAILED && entries_ != MAP_FAILED; }

  /// Adds a read for the next `submit`.
  ///
  /// @pre    works(), and fewer than `depth` reads are under way; not checked
  void add(int file, std::byte* to, std::int64_t bytes, std::int64_t offset, std::uint64_t name) noexcept {
    auto const tail = *asked_tail_; // only this thread writes it
    auto const place = tail & asked_mask_;
    auto& entry = static_cast<::io_uring_sqe*>(entries_)[place];
    entry = {};
    entry.opcode = IORING_OP_READ;
    entry.fd = file;
    entry.addr = reinterpret_cast<std::uintptr_t>(to);
    entry.len = static_cast<unsigned>(bytes);
    entry.off = static_cast<std::uint64_t>(offset);
    entry.user_data = name;
    asked_[place] = place;
    std::atomic_ref(*asked_tail_).store(tail + 1, std::memory_order_release);
    ++added_;
  }

  /// Hands the added reads to the kernel and waits until one is done. Returns the number of added reads that the kernel
  /// does not take: the last ones, which are forgotten.
  int submit(bool under_way) noexcept {
    while (added_ > 0 || under_way) {
      auto const taken = ::syscall(__NR_io_uring_enter, descriptor_, added_, 1, IORING_ENTER_GETEVENTS, nullptr, 0);
      if (taken >= 0) {
        added_ -= static_cast<int>(taken);
        under_way = under_way || taken > 0;
        if (added_ == 0) {
          return 0;
        }
      } else if (errno != EINTR && added_ > 0) {
        auto const refused = added_;
        std::atomic_ref(*asked_tail_).store(*asked_tail_ - static_cast<unsigned>(added_), std::memory_order_release);
        added_ = 0;
        return refused;
      }
    }
    return 0;
  }

  /// Calls done(name, result) for every read that is done; the result is its bytes, or a negative error.
  template <class Done>
  void take(Done done) {
    auto head = *done_head_; // only this thread writes it
    while (head != std::atomic_ref(*done_tail_).load(std::memory_order_acquire)) {
      auto const entry = done_[head & done_mask_];
      std::atomic_ref(*done_head_).store(++head, std::memory_order_release);
      done(entry.user_data, std::int64_t{entry.res});
    }
  }

private:
  [[nodiscard]] void* map(std::size_t bytes, std::uint64_t where) const noexcept {
    return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor_,
                  static_cast<::off_t>(where));
  }
  template <class T>
  [[nodiscard]] T* at(unsigned offset) const noexcept {
    return reinterpret_cast<T*>(static_cast<std::byte*>(rings_) + offset);
  }

  int descriptor_ = -1;
  void* rings_ = MAP_FAILED;
  void* entries_ = MAP_FAILED;
  std::size_t rings_bytes_ = 0;
  std::size_t entries_bytes_ = 0;
  unsigned* asked_tail_ = nullptr;
  unsigned* asked_ = nullptr;
  unsigned asked_mask_ = 0;
  unsigned* done_head_ = nullptr;
  unsigned* done_tail_ = nullptr;
  unsigned done_mask_ = 0;
  ::io_uring_cqe* done_ = nullptr;
  int added_ = 0;
};

#else

class read_ring { // where there is none
public:
  explicit read_ring(int) noexcept {}
  [[nodiscard]] bool works() const noexcept { return false; }
  void add(int, std::byte*, std::int64_t, std::int64_t, std::uint64_t) noexcept {}
  int submit(bool) noexcept { return 0; }
  template <class Done>
  void take(Done) {}
};

#endif

} // namespace glt::io::detail
