// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>

#include <chrono>
#include <map>
#include <mutex>
#include <new>

namespace glt::detail {

/// An alarm for ranks that wait for something other than a collective, such as a GPU: another rank has failed.
///
/// - `a.raise()`: tells all other ranks, which need not take part; does not wait
/// - `a.raised()`: true if another rank has raised it, or has left; does not wait
/// - `a.settle(raisers)`: takes in the signals that are still on their way, and resets the alarm; called when all ranks
///   know which ranks have raised it ([R], nonzero for a raiser)
template <class A>
concept failure_alarm = std::movable<A> && requires(A& a, std::span<char const> raisers) {
  a.raise();
  { a.raised() } -> std::same_as<bool>;
  a.settle(raisers);
};

/// A communicator with an alarm beside its messages: `c.make_alarm()`, one at a time.
///
/// Models: `serial_comm`, `threads_comm`, `mpi_comm`, `counting_comm` around any of them.
template <class C>
concept alarming = communicator<C> && requires(C& c) {
  { c.make_alarm() } -> failure_alarm;
};

/// Bytes that live as long as a handle keeps them; a small copyable handle.
///
/// Arrays in it may be adopted with `keeper()`. An empty block may have no address.
class byte_block {
public:
  byte_block() noexcept = default;
  /// Makes a block of existing bytes; they are 64-byte aligned if arrays are to be adopted from them.
  byte_block(std::shared_ptr<std::byte> keeper, std::int64_t size) noexcept : keeper_(std::move(keeper)), size_(size) {}

  [[nodiscard]] std::byte* data() const noexcept { return keeper_.get(); }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {data(), static_cast<std::size_t>(size_)}; }
  [[nodiscard]] std::shared_ptr<std::byte> const& keeper() const noexcept { return keeper_; }

private:
  std::shared_ptr<std::byte> keeper_;
  std::int64_t size_ = 0;
};

/// Pool of reusable blocks of bytes; a handle, whose copies share the blocks.
///
/// A block returns to the pool when its last keeper releases it, on any thread; the handle may be gone by then. The
/// pool holds at most `idle_bytes` of unused blocks; it frees the rest.
///
/// Concurrent calls: any.
class block_pool {
public:
  static constexpr std::int64_t default_idle_bytes = std::int64_t{256} << 20;

  explicit block_pool(std::int64_t idle_bytes = default_idle_bytes)
      : idle_(std::make_shared<idle_blocks>(idle_bytes)) {}

  /// Returns a block of `bytes` uninitialised bytes, 64-byte aligned; reuses an idle block of up to twice the size.
  ///
  /// @throws precondition_error  if bytes is negative
  /// @throws std::bad_alloc  if there is no memory for it
  /// @cost   an allocation of some bytes, besides the allocation of a new block
  [[nodiscard]] byte_block take(std::int64_t bytes) {
    check_bytes("block_pool", bytes);
    auto const [data, capacity] = idle_->take(bytes);
    return {std::shared_ptr<std::byte>(
                data, [idle = idle_, room = capacity](std::byte* block) noexcept { idle->give_back(block, room); }),
            bytes};
  }

private:
  class idle_blocks {
  public:
    explicit idle_blocks(std::int64_t limit) noexcept : limit_(limit) {}
    idle_blocks(idle_blocks const&) = delete;
    idle_blocks& operator=(idle_blocks const&) = delete;
    ~idle_blocks() {
      for (auto& [capacity, first] : first_) {
        while (first != nullptr) {
          free(pop(first));
        }
      }
    }

    std::pair<std::byte*, std::int64_t> take(std::int64_t bytes) {
      auto const needed = rounded(bytes);
      {
        std::scoped_lock const hold(lock_);
        first_.try_emplace(needed, nullptr); // here, for `give_back` must not fail
        for (auto found = first_.lower_bound(needed); found != first_.end() && found->first / 2 <= needed; ++found) {
          if (found->second != nullptr) {
            bytes_ -= found->first;
            return {pop(found->second), found->first};
          }
        }
      }
      return {static_cast<std::byte*>(::operator new(static_cast<std::size_t>(needed), alignment)), needed};
    }

    void give_back(std::byte* block, std::int64_t capacity) noexcept {
      {
        std::scoped_lock const hold(lock_);
        if (bytes_ + capacity <= limit_) {
          auto& first = first_.find(capacity)->second;
          first = ::new (block) link{first};
          bytes_ += capacity;
          return;
        }
      }
      free(block);
    }

  private:
    // Link in the list of idle blocks; written into the block itself.
    struct link {
      link* next;
    };

    static constexpr std::align_val_t alignment{64};

    // Up to a quarter more, so that a block can be reused for similar sizes.
    static std::int64_t rounded(std::int64_t bytes) noexcept {
      auto const wanted = static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 64));
      auto const step = std::max<std::uint64_t>(std::bit_floor(wanted) / 4, 64);
      return static_cast<std::int64_t>((wanted + step - 1) / step * step);
    }
    static std::byte* pop(link*& first) noexcept {
      auto* const block = first;
      first = block->next;
      return reinterpret_cast<std::byte*>(block);
    }
    static void free(std::byte* block) noexcept { ::operator delete(block, alignment); }

    std::mutex lock_;
    std::map<std::int64_t, link*> first_; // idle blocks by their capacity
    std::int64_t bytes_ = 0;              // of all of them
    std::int64_t limit_;
  };

  std::shared_ptr<idle_blocks> idle_;
};

struct mailbox_message {
  int source = 0;        ///< the rank that sent it
  std::int64_t kind = 0; ///< its meaning, on which sender and receiver agree
  byte_block bytes;      ///< 64-byte aligned if it comes from another process or from `make_block`
};

/// Longest time that a rank waits for a message.
using mailbox_limit = std::chrono::duration<double>;

inline constexpr mailbox_limit for_ever{std::numeric_limits<double>::infinity()};

/// One rank's end of the messages between the ranks of a communicator. A receiver need not know which rank sends next.
///
/// Messages of one sender to one receiver arrive in the order in which they were sent, whatever their sizes.
///
/// - `m.make_block(bytes)`: a block for a message, from the pool of this mailbox; its bytes are uninitialised
/// - `m.send(to, kind, block)`: sends a block, and keeps it until it has gone; do not write to the block after the
///   call. Does not wait for the receiver, which may be this rank
/// - `m.receive(limit)`: the next message of any rank, or nothing after `limit` seconds; 0 or less does not wait. With
///   one rank, it does not wait either, for no other rank could send
/// - `m.receive_from(source, limit)`: the next message of one rank
/// - `m.flush()`: returns when all sent messages have been handed over; takes in arriving messages meanwhile
/// - `m.close()`: states that every message to or from this rank has been received, so that the channel of the messages
///   can be reused; without it, MPI keeps the channel until the end of the program
///
/// Between processes, large messages move on only while both ranks are in calls of MPI. A rank that also does other
/// work calls `receive` or `flush` now and then.
///
/// The destructor does not wait: messages that are still on their way may be lost. A number that is not a rank of the
/// communicator is refused (precondition_error).
///
/// Concurrent calls: none on one object; another thread makes a separate mailbox.
template <class M>
concept mailbox =
    std::movable<M> && requires(M& m, int rank, std::int64_t number, byte_block block, mailbox_limit limit) {
      { m.make_block(number) } -> std::same_as<byte_block>;
      m.send(rank, number, std::move(block));
      { m.receive(limit) } -> std::same_as<std::optional<mailbox_message>>;
      { m.receive_from(rank, limit) } -> std::same_as<std::optional<mailbox_message>>;
      m.flush();
      m.close();
    };

/// A communicator with mailboxes beside its collectives: `c.make_mailbox()`, collective, as many as are needed.
///
/// Models: `serial_comm`, `threads_comm`, `mpi_comm`, `counting_comm` around any of them.
template <class C>
concept mailing = communicator<C> && requires(C& c) {
  { c.make_mailbox() } -> mailbox;
};

/// Takes the first message of a rank out of a queue in order of arrival; of any rank if `source` is negative.
template <class Queue>
[[nodiscard]] std::optional<mailbox_message> take_message(Queue& queue, int source) {
  for (auto found = queue.begin(); found != queue.end(); ++found) {
    if (source < 0 || found->source == source) {
      std::optional<mailbox_message> taken(std::move(*found));
      queue.erase(found);
      return taken;
    }
  }
  return std::nullopt;
}

} // namespace glt::detail
