// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/comm.hpp>

namespace glt::detail {

/// Calls of NCCL and of a stream that a `basic_nccl_comm` needs; copyable, one per communicator.
///
/// Models: `nccl_api`; tests have one that fails where they want.
///
/// - `l.make_id()`: the id by which the ranks of a communicator find each other
/// - `l.start(ranks, rank, id)`: begins to make a communicator and returns it
/// - `l.ready(comm)`: false while NCCL is at work on the last call
/// - `l.begin_group()`, `l.send(comm, data, bytes, peer)`, `l.receive(comm, data, bytes, peer)`, `l.end_group()`:
///   messages that travel at the same time, enqueued on the stream
/// - `l.reduce(comm, data, count, reduction)`: a reduction in place, enqueued on the stream
/// - `l.mark()`, `l.done()`: marks the end of the enqueued work; true if the GPU has passed the mark
/// - `l.abort(comm)`: ends everything under way and frees the communicator; waits for no rank, never throws
///
/// All but `abort` throw if they fail, and none waits for other ranks.
template <class L>
concept nccl_layer = std::copyable<L> && std::is_trivially_copyable_v<typename L::id_type> &&
                     requires(L& l, typename L::comm_type comm, typename L::id_type id, std::byte const* sent,
                              std::byte* received, std::int64_t bytes, float* values) {
                       { l.make_id() } -> std::same_as<typename L::id_type>;
                       { l.start(2, 0, id) } -> std::same_as<typename L::comm_type>;
                       { l.ready(comm) } -> std::same_as<bool>;
                       l.begin_group();
                       l.send(comm, sent, bytes, 0);
                       l.receive(comm, received, bytes, 0);
                       l.end_group();
                       l.reduce(comm, values, bytes, reduction::sum);
                       l.mark();
                       { l.done() } -> std::same_as<bool>;
                       { l.abort(comm) } noexcept;
                     };

} // namespace glt::detail
