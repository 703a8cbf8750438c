// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/core/error.hpp>

#include <concepts>
#include <utility>

namespace glt {

/// What becomes of a program of which one rank can no longer take part in an agreement: it failed where the others
/// already wait for its bytes, so nothing that it could send would reach them as what it is.
enum class lost_rank {
  abort,   ///< end the job on all ranks through `comm.abort_job`, where the communicator has it
  rethrow, ///< throw the failure on that rank alone; the others may wait for ever unless the program ends them
};

/// A communicator that knows whether this rank can still take part in an agreement, and can end the job.
///
/// - `c.mark_lost()`: this rank cannot take part any more, on this communicator and those made from it; allocates
///   nothing and does not throw
/// - `c.is_lost()`: whether it was said
/// - `c.abort_job(cause)`: ends all ranks of the job at once, with a last line that names rank and cause; does not return
///
/// Models: `mpi_comm`; `counting_comm` around it. Threads as ranks need none of it: they notice calls that do not match,
/// and all of them throw.
template <class C>
concept losable = communicator<C> && requires(C& c, C const& view) {
  { c.mark_lost() } noexcept;
  { view.is_lost() } noexcept -> std::same_as<bool>;
};

namespace detail {

/// True if every rank of `comm` throws this error, too.
template <communicator C>
[[nodiscard]] bool all_throw(C const& comm, agreed_error const& error) noexcept {
  return error.num_ranks() >= comm.size();
}

/// Runs the part of a collective in which the other ranks wait for this one's bytes: an exception that leaves it, and
/// that not all ranks throw, loses the rank.
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
