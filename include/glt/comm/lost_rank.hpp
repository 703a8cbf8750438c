// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>

namespace glt {

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
