// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/agreement.hpp>
#include <glt/comm/communicator.hpp>
#include <glt/core/error.hpp>

#include <exception>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace glt {

namespace detail {

/// Joins the next header exchange of the other ranks, at `operation::leave`.
template <communicator C>
void leave(C& comm, std::string const& failure) {
  std::vector<std::int64_t> const counts(static_cast<std::size_t>(comm.size()), 0);
  std::vector<call_header> headers(counts.size());
  exchange_headers(comm, {.what = operation::leave}, counts, 0, failure, headers);
}

/// Reports the exception that is being handled to all ranks; the one thrown here carries it as nested
/// exception.
template <communicator C>
[[noreturn]] void leave_failed(C& comm, std::string const& failure) {
  collective_error agreed(comm.rank(), failure.empty() ? "unknown exception" : failure);
  try {
    leave(comm, agreed.cause());
  } catch (collective_error const& error) {
    agreed = error;
  }
  std::throw_with_nested(agreed);
}

} // namespace detail

/// Runs `work` on every rank so that an exception on one of them reaches all of them, and returns its result.
///
/// One guard around the whole of a parallel program is enough: every collective operation of the library
/// begins with a header exchange; a rank that throws anywhere between them joins the next one as failed, and
/// a rank that is done joins it as leaving. So all ranks throw the same `collective_error` instead of waiting
/// for one that went away. On the rank that failed it carries the original as `std::nested_exception`.
///
/// One case is beyond it: memory that runs out between a header exchange and its payload, for buffers whose
/// size only the other ranks knew. Threads notice that as well; MPI processes do not, so on `std::bad_alloc`
/// end them with `mpi_environment::abort`.
///
/// @comm   collective; adds one header exchange at the end
/// @pre    collectives of `work` that are not the library's own are preceded by an `exchange_headers` of the
///         same ranks, and a `collective_error` that leaves `work` was thrown on every rank of `comm`; not
///         checked
/// @throws collective_error  on every rank, if `work` throws on one of them, or if a rank is done while
///                           another one calls
template <communicator C, class Work>
std::invoke_result_t<Work&> run_collectively(C comm, Work work) {
  auto const guarded = [&]() -> std::invoke_result_t<Work&> {
    try {
      return work();
    } catch (collective_error const&) {
      throw; // all ranks know
    } catch (std::exception const& failure) {
      detail::leave_failed(comm, failure.what());
    } catch (...) {
      detail::leave_failed(comm, {});
    }
  };
  if constexpr (std::is_void_v<std::invoke_result_t<Work&>>) {
    guarded();
    detail::leave(comm, {});
  } else {
    decltype(auto) result = guarded();
    detail::leave(comm, {});
    return result;
  }
}

} // namespace glt
