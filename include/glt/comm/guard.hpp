// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/comm/detail/exchange.hpp>

#include <functional>
#include <ranges>

namespace glt {

namespace detail {

/// Returns the text of the exception that is being handled, without the rank that a `collective_error` names first.
[[nodiscard]] inline std::string_view cause_of_current() noexcept {
  try {
    throw;
  } catch (collective_error const& failure) {
    return failure.cause();
  } catch (std::exception const& failure) {
    return failure.what();
  } catch (...) {
    return {};
  }
}

/// Exit of a rank from the guarded part of a program. All memory is allocated at the start, so that the exit cannot
/// fail.
template <communicator C>
class departure {
public:
  explicit departure(C& comm) : comm_(comm), counts_(static_cast<std::size_t>(comm.size()), 0) {
    headers_.reserve(2 * counts_.size());
    cause_.reserve(cause_bytes);
  }

  /// Runs `work`. If it throws, all ranks throw the same error, unless this rank is lost.
  ///
  /// An error on which only a group of the ranks has agreed is new to the others; calls `on_failure()` before it tells
  /// them.
  template <class Work, class OnFailure>
  std::invoke_result_t<Work&> guard(Work& work, OnFailure on_failure) {
    try {
      return work();
    } catch (agreed_error const& failure) {
      if (all_throw(comm_, failure)) {
        throw;
      }
      whose_ = failure.rank() == world_rank(comm_, comm_.rank()) ? blame::own : blame::passed_on;
      pass_on(on_failure);
    } catch (...) {
      whose_ = blame::own;
      pass_on(on_failure);
    }
  }
  template <class Work>
  std::invoke_result_t<Work&> guard(Work& work) {
    return guard(work, [] {});
  }

  /// Leaves after work that is done.
  ///
  /// @throws error  on this rank alone, if it is lost by an exception that did not get here
  void leave() {
    if (is_lost(comm_)) {
      throw error("this rank has caught, or ended in a destructor, an exception of a collective in which others wait "
                  "for what it did not send; let such exceptions leave the work");
    }
    if (is_incomplete(comm_)) {
      return;
    }
    cause_.clear(); // of work before
    announce();
  }

  /// Joins the next header exchange of the other ranks, at `operation::leave`.
  void announce() { exchange_headers(comm_, {.what = operation::leave}, counts_, 0, cause_, headers_, whose_); }

  /// Reports the exception that is being handled to all ranks; throws an error with that exception nested in it.
  [[noreturn]] void announce_failure(std::string_view cause) {
    cause_.assign((cause.empty() ? "unknown exception" : cause).substr(0, cause_bytes - 1));
    std::optional<agreed_error> told;
    try {
      announce();
    } catch (agreed_error const& error) {
      told = error;
    }
    std::throw_with_nested(told ? *told : agreed(comm_, comm_.rank(), cause_));
  }

private:
  // For an exception that is being handled.
  template <class OnFailure>
  [[noreturn]] void pass_on(OnFailure& on_failure) {
    if (is_lost(comm_) || is_incomplete(comm_)) {
      throw;
    }
    on_failure();
    announce_failure(cause_of_current());
  }

  C& comm_;
  std::vector<std::int64_t> counts_;
  std::vector<call_header> headers_;
  std::string cause_;
  blame whose_ = blame::own;
};

/// Runs the work of a rank and leaves, done or failed.
template <communicator C, class Work>
std::invoke_result_t<Work&> run_and_leave(C& comm, Work& work) {
  std::optional<departure<C>> end;
  committed(comm, [&] { end.emplace(comm); }); // the others wait at the end of this rank's work
  if constexpr (std::is_void_v<std::invoke_result_t<Work&>>) {
    end->guard(work);
    end->leave();
  } else {
    decltype(auto) result = end->guard(work);
    end->leave();
    return result;
  }
}

/// Ends the job if this rank is lost and `when_lost` asks for it.
template <communicator C>
void end_if_lost(C& comm, lost_rank when_lost, char const* cause) noexcept {
  if constexpr (requires { comm.abort_job(cause); }) {
    if (is_lost(comm) && when_lost == lost_rank::abort) {
      comm.abort_job(cause);
    }
  }
}

} // namespace detail

/// Runs `work` on every rank; if it throws on one rank, all ranks throw. Call it before other collectives of a program,
/// so that every rank takes part in them.
///
/// @comm   collective; one header exchange after the work
/// @throws collective_error  on every rank, if `work` throws on one of them
template <communicator C, std::invocable Work>
void run_together(C& comm, Work&& work) {
  detail::exchange_values(detail::host_comm(comm), {.what = detail::operation::user},
                          detail::failure_of(std::ref(work)));
}

/// Reduces values over all ranks, in place. If a rank has failed elsewhere, all ranks throw the same error; with
/// `comm.all_reduce` they would wait for that rank.
///
///     std::array<double, 2> counts{right, all};
///     glt::reduce_over_ranks(comm, counts, glt::reduction::sum);
///
/// @shape  values: as many on every rank
/// @comm   collective; one header exchange and one reduction
/// @throws collective_error  on every rank, if a rank has failed, is at another call, or has another number of values
template <communicator C, std::ranges::contiguous_range Values>
  requires detail::reducible<std::ranges::range_value_t<Values>>
void reduce_over_ranks(C& comm, Values&& values, reduction op) {
  std::span const reduced(values);
  auto& host = detail::host_comm(comm);
  auto const headers = detail::exchange_values(host, {.what = detail::operation::user, .hop = -1}, {},
                                               static_cast<std::int64_t>(reduced.size()));
  detail::check_same(host, headers, &detail::call_header::value, [](std::int64_t own, std::int64_t first) {
    return detail::message("reduces ", own, " values while rank 0 reduces ", first, "; pass as many on all ranks");
  });
  host.all_reduce(std::span<std::ranges::range_value_t<Values>>(reduced), op);
}

/// Reduces one value over all ranks: `auto const largest = glt::reduce_over_ranks(comm, own, glt::reduction::max);`
///
/// @comm   collective; one header exchange and one reduction
/// @throws collective_error  on every rank, if a rank has failed, or is at another call
template <communicator C, detail::reducible T>
[[nodiscard]] T reduce_over_ranks(C& comm, T value, reduction op) {
  reduce_over_ranks(comm, std::span<T>(&value, 1), op);
  return value;
}

/// Returns the values of all ranks on every rank: numbers, structures of numbers, texts, vectors of these of any
/// length, or reports of loaders.
///
///     for (auto const& report : glt::gather_over_ranks(comm, loader.report())) { … }
///
/// @shape  → [R], by rank
/// @comm   collective; one header exchange, and one variable exchange of the packed value to every rank
/// @throws collective_error  on every rank, if a rank has failed, or is at another call
template <communicator C, class T>
[[nodiscard]] std::vector<T> gather_over_ranks(C& comm, T const& own) {
  std::vector<std::byte> packed;
  auto const failure = detail::failure_of([&] { packed = detail::packed_bytes(own); });
  std::vector<T> all;
  detail::call_site const site{.what = detail::operation::user, .hop = -2}; // of no other call
  for (auto const& block : detail::gather_lists(detail::host_comm(comm), site, failure, packed)) {
    detail::unpacker(block, nullptr).get(all.emplace_back());
  }
  return all;
}

/// Runs `work` on every rank and returns its result. If it throws on one rank, all ranks throw.
///
/// One guard around the whole of a parallel program is enough. Every collective operation of the library begins with a
/// header exchange. A rank that throws between two of them joins the next one as failed; a rank that is done joins it
/// as leaving. So all ranks throw the same `collective_error`, and none waits for a rank that has left. On the rank
/// that failed, the error carries the original as `std::nested_exception`.
///
/// A rank that fails between a header exchange and sending its bytes, or whose MPI failed, is *lost*: it cannot join.
/// By default it then ends the job on all ranks, with a last line that names the rank and the cause.
///
/// @comm   collective; adds one header exchange at the end
/// @pre    before a collective of `work` that is not part of glt, the same ranks call `run_together`, or use
///         `reduce_over_ranks`; not checked
/// @throws collective_error  on every rank, if `work` throws on one of them, or if a rank is done while another one
///         calls
/// @throws the exception of `work`  on a lost rank alone, if `when_lost` says so or the communicator cannot end the job
template <communicator C, class Work>
std::invoke_result_t<Work&> run_collectively(C comm, Work work, lost_rank when_lost = lost_rank::abort) {
  try {
    return detail::run_and_leave(comm, work);
  } catch (std::exception const& failure) {
    detail::end_if_lost(comm, when_lost, failure.what());
    throw;
  } catch (...) {
    detail::end_if_lost(comm, when_lost, "unknown exception");
    throw;
  }
}

} // namespace glt
