// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/block_pool.hpp>

#include <chrono>

namespace glt::detail {

/// A message between two ranks.
struct mailbox_message {
  int source = 0;        ///< the rank that sent it
  std::int64_t kind = 0; ///< its meaning, on which sender and receiver agree
  byte_block bytes;      ///< 64-byte aligned if it comes from another process or from `make_block`
};

/// Longest time that a rank waits for a message.
using mailbox_limit = std::chrono::duration<double>;

/// Limit without an end.
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
