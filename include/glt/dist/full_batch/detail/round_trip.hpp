// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/dist/full_batch/detail/rotation.hpp>
#include <glt/dist/full_batch/report.hpp>

namespace glt::detail {

/// Sizes of the largest blocks of a rotation.
struct block_sizes {
  std::int64_t outgoing = 0;
  std::int64_t incoming = 0;

  void include(step_bytes const& bytes) noexcept {
    outgoing = std::max(outgoing, bytes.to_next + bytes.to_previous);
    incoming = std::max(incoming, bytes.from_next + bytes.from_previous);
  }
};

/// Reserves memory for the blocks of a round trip, so that no step can fail for lack of memory.
///
/// @pre    `has_replies`
template <class Rotation>
void reserve_round_trip(Rotation& passes, block_sizes sent, block_sizes returned) {
  passes.reserve(sent.outgoing, sent.incoming);
  passes.replies().reserve(returned.outgoing, returned.incoming);
  auto& peak = passes.report().peak_remote_bytes;
  peak = std::max(peak, sent.incoming * (passes.depth() + 1) + returned.incoming);
}

/// Runs a rotation in which every block gets a reply.
///
/// At step k, `fill(k, block)` writes the blocks for both peers. `serve(k, received, reply)` reads the blocks from the
/// peers and writes the replies; `use(k, reply)` reads the replies from the peers. Reply k travels while this rank
/// waits for block k + 1. `own()` runs while the first blocks travel. Returns the failure of this rank, on which all
/// ranks must agree.
///
/// @pre    both rotations have memory for the largest blocks; `has_replies`
/// @comm   collective; 2(R − 1) exchanges with two peers each
template <class Rotation, class Bytes, class ReplyBytes, class Fill, class Serve, class Use, class Own>
[[nodiscard]] std::string run_round_trip(Rotation& passes, Bytes bytes_of, ReplyBytes reply_bytes_of, Fill fill,
                                         Serve serve, Use use, Own own) {
  auto& replies = passes.replies();
  auto const end_reply = [&](std::int64_t k) {
    if (k > 0) {
      replies.finish(k);
      replies.attempt([&] { use(k, replies.received(k)); });
    }
  };
  passes.run_steps(
      [&](std::int64_t k) { passes.start(k, bytes_of(k), [&](std::byte* block) { fill(k, block); }); }, own,
      [&](std::int64_t k) {
        end_reply(k - 1);
        replies.start(k, reply_bytes_of(k), [&](std::byte* reply) { serve(k, passes.received(k), reply); });
      });
  end_reply(passes.size() - 1);
  auto& total = passes.report();
  auto const back = std::exchange(replies.report(), {});
  total.messages += back.messages;
  total.bytes += back.bytes;
  total.seconds_waiting += back.seconds_waiting;
  auto const failure = passes.take_failure();
  auto const reply_failure = replies.take_failure();
  return failure.empty() ? reply_failure : failure;
}

} // namespace glt::detail
