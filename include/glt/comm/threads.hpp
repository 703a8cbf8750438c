// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/detail/threads_board.hpp>
#include <glt/comm/threads_comm.hpp>

#include <thread>

namespace glt {

namespace detail {

/// Result of one thread.
struct threads_outcome {
  std::exception_ptr thrown;
  bool original = false; ///< not an error that all ranks share
};

/// Calls `work` as one rank and tells the other ranks how it ended.
template <class Work>
threads_outcome run_thread(std::shared_ptr<threads_board> const& world, threads_family& family, int rank, Work& work) {
  try {
    work(threads_comm(world, rank));
    family.leave(rank);
    return {};
  } catch (collective_error const& failure) {
    family.fail(failure.rank(), failure.cause());
    return {std::current_exception(), false};
  } catch (std::exception const& failure) {
    family.fail(rank, failure.what());
    return {std::current_exception(), true};
  } catch (...) {
    family.fail(rank, "unknown exception");
    return {std::current_exception(), true};
  }
}

} // namespace detail

/// Calls `work(threads_comm)` on `ranks` new threads, one per rank, and returns when all have ended.
///
/// If a rank throws, the others throw a `collective_error` with its rank (as numbered here) and its text, where they
/// wait or call next. This also holds on communicators that were split from this one. A rank that returns while others
/// still wait for it has the same effect.
///
/// @throws the exception of the lowest rank that threw another error than a collective_error; if there is none, the
///         exception of the lowest rank
/// @throws precondition_error  if ranks < 1
template <class Work>
void run_threads(int ranks, Work work) {
  if (ranks < 1) {
    throw precondition_error(detail::message("run_threads: ", ranks, " ranks; pass 1 or more"));
  }
  auto const family = std::make_shared<detail::threads_family>(ranks);
  std::vector<int> threads(static_cast<std::size_t>(ranks));
  std::iota(threads.begin(), threads.end(), 0);
  auto const world = std::make_shared<detail::threads_board>(family, threads);
  std::vector<detail::threads_outcome> outcomes(threads.size());
  {
    std::vector<std::jthread> running;
    running.reserve(threads.size());
    for (int const rank : threads) {
      try {
        running.emplace_back(
            [&, rank] { outcomes[static_cast<std::size_t>(rank)] = detail::run_thread(world, *family, rank, work); });
      } catch (...) { // no more threads: the running ranks must not wait for this one
        family->fail(rank, "could not be started");
        throw;
      }
    }
  }
  auto failed = std::ranges::find_if(outcomes, &detail::threads_outcome::original);
  if (failed == outcomes.end()) {
    failed = std::ranges::find_if(outcomes, [](auto const& outcome) { return outcome.thrown != nullptr; });
  }
  if (failed != outcomes.end()) {
    std::rethrow_exception(failed->thrown);
  }
}

} // namespace glt
