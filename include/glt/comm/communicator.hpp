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

/// Returns the text for the calling rank in messages: "rank 1 of 3", and "rank 5 (1 of 3 in its group)" in a group.
template <communicator C>
[[nodiscard]] std::string own_rank_text(C const& comm) {
  auto const own = comm.rank();
  auto const in_world = world_rank(comm, own);
  return in_world == own ? message("rank ", own, " of ", comm.size())
                         : message("rank ", in_world, " (", own, " of ", comm.size(), " in its group)");
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

inline void check_bytes(std::string_view call, std::int64_t bytes) {
  if (bytes < 0) {
    throw precondition_error(message(call, ": ", bytes, " bytes; pass 0 or more"));
  }
}

inline void check_root(std::string_view call, int root, int ranks) {
  if (root < 0 || root >= ranks) {
    throw precondition_error(message(call, ": root ", root, " is no rank; ranks are 0 to ", ranks - 1));
  }
}

inline void check_peer(std::string_view call, int peer, int ranks) {
  if (peer < 0 || peer >= ranks) {
    throw precondition_error(message(call, ": there is no rank ", peer, "; ranks are 0 to ", ranks - 1));
  }
}

inline void check_length(std::string_view call, std::string_view array, std::size_t size, int ranks) {
  if (size != static_cast<std::size_t>(ranks)) {
    throw precondition_error(
        message(call, ": ", array, " has ", size, " elements; pass one per rank, that is ", ranks));
  }
}

/// Refuses sizes that are not one per rank, negative, or not 0 for the rank itself.
inline void check_sizes(std::string_view call, std::string_view array, std::span<std::int64_t const> sizes, int rank,
                        int ranks) {
  check_length(call, array, sizes.size(), ranks);
  for (std::size_t peer = 0; peer < sizes.size(); ++peer) {
    if (sizes[peer] < 0) {
      throw precondition_error(message(call, ": ", array, "[", peer, "] is ", sizes[peer], "; pass 0 or more bytes"));
    }
  }
  if (auto const own = sizes[static_cast<std::size_t>(rank)]; own != 0) {
    throw precondition_error(message(call, ": ", array, "[", rank, "] is ", own,
                                     ", but that is this rank itself; pass 0 and copy own bytes locally"));
  }
}

/// Refuses arguments that `all_to_all_v` does not accept.
inline void check_exchange(outgoing const& out, incoming const& in, int rank, int ranks) {
  check_sizes("all_to_all_v", "outgoing sizes", out.sizes, rank, ranks);
  check_length("all_to_all_v", "outgoing offsets", out.offsets.size(), ranks);
  check_sizes("all_to_all_v", "incoming sizes", in.sizes, rank, ranks);
  check_length("all_to_all_v", "incoming offsets", in.offsets.size(), ranks);
}

/// Refuses arguments that `all_to_all_replies` does not accept.
inline void check_replies(outgoing const& out, std::span<char const> asked, std::span<char const> answering, int rank,
                          int ranks) {
  constexpr std::string_view call = "all_to_all_replies";
  check_sizes(call, "outgoing sizes", out.sizes, rank, ranks);
  check_length(call, "outgoing offsets", out.offsets.size(), ranks);
  check_length(call, "asked", asked.size(), ranks);
  check_length(call, "answering", answering.size(), ranks);
  auto const self = static_cast<std::size_t>(rank);
  if (asked[self] != 0 || answering[self] != 0) {
    throw precondition_error(message(call, ": rank ", rank, " asks or answers itself; pass 0 for the own rank"));
  }
  for (std::size_t peer = 0; peer < out.sizes.size(); ++peer) {
    if (answering[peer] == 0 && out.sizes[peer] > 0) {
      throw precondition_error(message(call, ": ", out.sizes[peer], " bytes for rank ", peer,
                                       ", which expects no reply; set answering[", peer, "]"));
    }
  }
}

/// Copies bytes; accepts null pointers for 0 bytes.
inline void move_bytes(std::byte* to, std::byte const* from, std::int64_t bytes) noexcept {
  if (bytes > 0) {
    std::memmove(to, from, static_cast<std::size_t>(bytes));
  }
}

} // namespace detail

/// Action after a rank failed while the others already wait for its bytes. Such a rank cannot take part in an agreement
/// any more: the others would take its message for those bytes.
enum class lost_rank {
  abort,   ///< end the job on all ranks through `comm.abort_job`, where the communicator has it
  rethrow, ///< throw the failure on that rank alone; the others may wait for ever unless the program ends them
};

namespace detail {

/// A communicator that knows whether this rank can still take part in an agreement, and can end the job.
///
/// - `c.mark_lost()`: this rank cannot take part any more, on this communicator and on communicators made from it;
///   allocates nothing and does not throw
/// - `c.is_lost()`: true after `mark_lost`
/// - `c.abort_job(cause)`: ends all ranks of the job at once, with a last line that names rank and cause; does not
///   return
///
/// Models: `mpi_comm`; `counting_comm` around it. Ranks that are threads do not need it: they notice calls that do not
/// match, and all of them throw.
template <class C>
concept losable = communicator<C> && requires(C& c, C const& view) {
  { c.mark_lost() } noexcept;
  { view.is_lost() } noexcept -> std::same_as<bool>;
};

/// Returns true if every rank of `comm` throws this error, too.
template <communicator C>
[[nodiscard]] bool all_throw(C const& comm, agreed_error const& error) noexcept {
  return error.num_ranks() >= comm.size();
}

/// Runs the part of a collective in which the other ranks wait for this rank's bytes. If `work` throws an error that
/// not all ranks throw, marks this rank as lost.
template <communicator C, class Work>
decltype(auto) committed(C& comm, Work&& work) {
  auto const lose = [&]() noexcept {
    if constexpr (losable<C>) {
      comm.mark_lost();
    }
  };
  try {
    return std::forward<Work>(work)();
  } catch (agreed_error const& error) {
    if (!all_throw(comm, error)) {
      lose();
    }
    throw;
  } catch (...) {
    lose();
    throw;
  }
}

/// True if a rank of `comm` has died and the others live on: they agree on nothing any more.
template <communicator C>
[[nodiscard]] bool is_incomplete(C const& comm) noexcept {
  if constexpr (requires { comm.is_incomplete(); }) {
    return comm.is_incomplete();
  } else {
    return false;
  }
}

template <communicator C>
[[nodiscard]] bool is_lost(C const& comm) noexcept {
  if constexpr (losable<C>) {
    return comm.is_lost();
  } else {
    return false;
  }
}

} // namespace detail

} // namespace glt
