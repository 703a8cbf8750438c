// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>

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

} // namespace glt::detail
