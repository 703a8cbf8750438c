// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>
#include <glt/mpi/detail/api.hpp>

namespace glt {

/// Error of a failed call of the MPI library; carries the name of the call, MPI's code and MPI's text.
///
/// Messages under way on the communicator are lost; other ranks may wait for them until the program is aborted.
class mpi_error : public error {
public:
  mpi_error(std::string call, int code, std::string const& text,
            std::source_location where = std::source_location::current())
      : error(detail::message(call, " failed with code ", code, ": ", text), where), call_(std::move(call)),
        code_(code) {}

  [[nodiscard]] std::string const& call() const noexcept { return call_; }
  [[nodiscard]] int code() const noexcept { return code_; }

private:
  std::string call_;
  int code_;
};

namespace detail {

/// Throws if an MPI call did not return MPI_SUCCESS.
///
/// @throws mpi_error  if `code` is not MPI_SUCCESS
inline void check_mpi(int code, std::string_view call, std::source_location where = std::source_location::current()) {
  if (code == MPI_SUCCESS) {
    return;
  }
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) {
    length = 0;
  }
  throw mpi_error(std::string(call), code, std::string(text.data(), static_cast<std::size_t>(length)), where);
}

/// Returns true between MPI_Init and MPI_Finalize: then destructors may call MPI.
[[nodiscard]] inline bool mpi_is_running() noexcept {
  int initialized = 0;
  int finalized = 0;
  return MPI_Initialized(&initialized) == MPI_SUCCESS && initialized != 0 && MPI_Finalized(&finalized) == MPI_SUCCESS &&
         finalized == 0;
}

} // namespace detail

} // namespace glt
