// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

namespace glt {

/// Operation by which `all_reduce` combines the values of the ranks.
enum class reduction { sum, min, max };

namespace detail {

/// Number types that may be reduced over ranks.
template <class T>
concept reducible =
    std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> || std::same_as<T, float> || std::same_as<T, double>;

} // namespace detail

/// Bytes that this rank sends to every rank: `sizes[p]` bytes from `data + offsets[p]` on go to rank p.
struct outgoing {
  std::byte const* data = nullptr;
  std::span<std::int64_t const> sizes;   ///< [R], in bytes
  std::span<std::int64_t const> offsets; ///< [R], in bytes
};

/// Bytes that this rank receives: `sizes[p]` bytes of rank p are written from `data + offsets[p]` on.
struct incoming {
  std::byte* data = nullptr;
  std::span<std::int64_t const> sizes;   ///< [R], in bytes; equals the size that rank p sends
  std::span<std::int64_t const> offsets; ///< [R], in bytes
};

/// Replies whose sizes only their senders knew. The reply of rank p is `sizes[p]` bytes from `data + offsets[p]` on.
///
/// Reuse it: `data` keeps its memory, and may be longer than the replies.
struct reply_buffer {
  std::vector<std::byte> data;
  std::vector<std::int64_t> sizes;   ///< [R], in bytes
  std::vector<std::int64_t> offsets; ///< [R], in bytes

  [[nodiscard]] std::span<std::byte const> from(int rank) const {
    auto const p = static_cast<std::size_t>(rank);
    return {data.data() + offsets[p], static_cast<std::size_t>(sizes[p])};
  }
};

/// R ranks that exchange bytes by collective calls; every rank makes the same calls in the same order.
///
/// Models: `serial_comm`, `threads_comm`, `mpi_comm`, `counting_comm` around any of them; `nccl_comm`, and
/// `dist::device_comm` around any, for memory of GPUs.
/// A model is a handle: copying it never communicates; `split` and `duplicate` are collectives.
///
/// - `c.rank()`, `c.size()`: which rank this is, in [0, R), and R
/// - `c.all_to_all(send, receive, bytes)`: every rank sends as many bytes to every other one.
///   `send`, `receive`: R slices of `bytes` bytes each, slice p for and from rank p, this rank included;
///   `bytes`: 0 or more, the same on all ranks
/// - `c.all_to_all_v(out, in)`: exchanges slices whose sizes both sides know.
///   `out.sizes[p]`: bytes for rank p, 0 for this rank, from `out.data + out.offsets[p]` on;
///   `in.sizes[p]`: bytes that rank p sends to this one, 0 for this rank, to `in.data + in.offsets[p]` on; slices of
///   `in` do not overlap
/// - `c.start_all_to_all_v(out, in)`: the same, and returns a request. The bytes stay untouched until its `wait()` has
///   returned; the arrays of sizes and offsets may change at once. One request at a time; its destructor waits
/// - `c.all_to_all_replies(out, asked, answering, replies)`: exchanges replies whose sizes only the sender knows:
///   ragged replies to earlier requests.
///   `out`: the replies of this rank, `out.sizes[p]` bytes for rank p; 0 if it owes rank p none;
///   `asked` [R]: nonzero if this rank has sent rank p a request, so that a reply of p will arrive; 0 for this rank;
///   `answering` [R]: nonzero if rank p has sent this rank a request, so that p waits for `out.sizes[p]` bytes, 0 or
///   more; `answering[p]` here equals `asked` of this rank there;
///   `replies`: written; its sizes become known on arrival, and are 0 where nothing was asked; its memory is reused
/// - `c.all_reduce(values, op)`: combines `values` of all ranks element by element, in place; as many on every rank
/// - `c.broadcast(data, bytes, root)`: `bytes` bytes of rank `root` are written to `data` of all others; `bytes` and
///   `root` are the same on all ranks
/// - `c.barrier()`: returns when all ranks have called it
/// - `c.split(color, order)`: a communicator of the ranks with the same `color`, which may be any number; they are
///   numbered by (`order`, rank)
/// - `c.duplicate()`: the same ranks, with separate traffic
///
/// A model may also have `c.world_rank(rank)`, `c.set_name(name)` and `c.name()`. Errors then name a rank by its number
/// in the communicator from which all others were split, and a group by its name. `duplicate` keeps the name.
///
/// All but `start_all_to_all_v` block until the result is there. Bytes to send and bytes to receive never overlap. A
/// rank's arguments are checked before it sends anything (precondition_error). Spans of size R are indexed by rank. All
/// arrays are ordinary memory. Only the bytes of `all_to_all_v` and `start_all_to_all_v` may lie elsewhere: see
/// `carries`.
///
/// Concurrent calls: none on a handle and its copies; another thread works on a `duplicate()`.
template <class C>
concept communicator =
    std::copyable<C> && requires(C& c, C const& view, std::byte const* send, std::byte* receive, std::int64_t bytes,
                                 outgoing out, incoming in, reply_buffer& replies, std::span<char const> mask,
                                 std::span<double> doubles, std::span<std::int64_t> integers, std::span<float> floats) {
      { view.rank() } -> std::same_as<int>;
      { view.size() } -> std::same_as<int>;
      c.all_to_all(send, receive, bytes);
      c.all_to_all_v(out, in);
      c.start_all_to_all_v(out, in).wait();
      c.all_to_all_replies(out, mask, mask, replies);
      c.all_reduce(doubles, reduction::sum);
      c.all_reduce(integers, reduction::max);
      c.all_reduce(floats, reduction::sum);
      c.broadcast(receive, bytes, 0);
      c.barrier();
      { c.split(0, 0) } -> std::same_as<C>;
      { c.duplicate() } -> std::same_as<C>;
    };

namespace detail {

template <class C>
[[nodiscard]] constexpr bool carries_space(memory_space space) noexcept {
  if constexpr (requires { C::carries(space); }) {
    return C::carries(space);
  } else {
    return host_accessible(space);
  }
}

} // namespace detail

/// The bytes of `all_to_all_v` and `start_all_to_all_v` may lie in memory of this space.
///
/// A model states it by `C::carries(space)`, static and constexpr. A model without `carries` carries all memory that
/// the host can reach. The bytes are read and written at once: finish enqueued work on them before the call. Two models
/// do not need that: `dist::device_comm` waits for the work, and `nccl_comm` queues up behind it.
template <class C, memory_space Space>
concept carries = communicator<C> && detail::carries_space<std::remove_cv_t<C>>(Space);

namespace detail {

/// Returns the communicator of the same ranks that carries ordinary memory: `comm.host()` if there is one, else `comm`.
template <communicator C>
[[nodiscard]] auto& host_comm(C& comm) noexcept {
  if constexpr (requires { comm.host(); }) {
    return host_comm(comm.host());
  } else {
    return comm;
  }
}

/// Returns the number that messages use for a rank of `comm`, which may be a group: its rank in the world. Returns
/// `rank` if the model has no `world_rank`.
template <communicator C>
[[nodiscard]] int world_rank(C const& comm, int rank) {
  if constexpr (requires { comm.host(); }) {
    return world_rank(comm.host(), rank);
  } else if constexpr (requires { comm.world_rank(rank); }) {
    return comm.world_rank(rank);
  } else {
    return rank;
  }
}

/// Returns the text before the cause of a rank's failure: "servers-1: " for rank 1 of a group that `set_name` has named
/// "servers"; nothing for a group without a name.
template <communicator C>
[[nodiscard]] std::string group_prefix(C const& comm, int rank) {
  if constexpr (requires { comm.host(); }) {
    return group_prefix(comm.host(), rank);
  } else if constexpr (requires { comm.name(); }) {
    std::string_view const name = comm.name();
    constexpr std::size_t most = 64; // room for the cause
    return name.empty() ? std::string() : message(name.substr(0, most), name.size() > most ? "…" : "", '-', rank, ": ");
  } else {
    return {};
  }
}

} // namespace detail

} // namespace glt
