// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/core/core.hpp>

// The C interface of MPI without the C++ bindings that some versions add to it.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#if !__has_include(<mpi.h>)
#include <missing for glt::mpi: MPI: link glt::mpi of find_package(glt COMPONENTS mpi), or compile by mpicxx> // an error that ends the compilation
#endif

#include <atomic>
#include <mpi.h>
#include <mutex>

namespace glt::detail {

[[nodiscard]] inline std::string mpi_error_text(int code) {
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) {
    length = 0;
  }
  return {text.data(), static_cast<std::size_t>(length)};
}

/// Throws if an MPI call did not return MPI_SUCCESS.
///
/// @throws library_error  if `code` is not MPI_SUCCESS
inline void check_mpi(int code, std::string_view call, std::source_location where = std::source_location::current()) {
  if (code != MPI_SUCCESS) {
    throw library_error(std::string(call), code, mpi_error_text(code), where);
  }
}

/// Returns true between MPI_Init and MPI_Finalize: then destructors may call MPI.
[[nodiscard]] inline bool mpi_is_running() noexcept {
  int initialized = 0;
  int finalized = 0;
  return MPI_Initialized(&initialized) == MPI_SUCCESS && initialized != 0 && MPI_Finalized(&finalized) == MPI_SUCCESS &&
         finalized == 0;
}

/// Lock that lets one thread of this process at a time call MPI, if MPI was started as `mpi_threads::serialized`;
/// otherwise it does nothing.
///
/// Calls that wait for other ranks must not keep it: they start a request and test it, turn by turn. Making and freeing
/// communicators has no such form.
class serial_guard {
public:
  serial_guard() {
    if (is_needed()) {
      hold_ = std::unique_lock(of_process().lock);
    }
  }

  [[nodiscard]] static bool is_needed() noexcept { return of_process().needed.load(std::memory_order_relaxed); }

  /// Asks MPI, which is running, for its thread level.
  static void ask() noexcept {
    int level = MPI_THREAD_MULTIPLE;
    of_process().needed = MPI_Query_thread(&level) == MPI_SUCCESS && level == MPI_THREAD_SERIALIZED;
  }

private:
  struct state {
    std::recursive_mutex lock; // communicators are freed within calls
    std::atomic<bool> needed = false;
  };
  static state& of_process() noexcept {
    static state all;
    return all;
  }

  std::unique_lock<std::recursive_mutex> hold_;
};

} // namespace glt::detail
