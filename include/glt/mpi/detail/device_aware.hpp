// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/mpi/detail/api.hpp>

#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace glt::detail {

/// Returns true if the running MPI takes pointers into memory of CUDA GPUs; false if MPI cannot tell.
[[nodiscard]] inline bool mpi_is_device_aware() noexcept {
#if defined(MPIX_CUDA_AWARE_SUPPORT) // of Open MPI: the macro is about the build, the call about this run
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA) // of MPICH
  int supported = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported) == MPI_SUCCESS && supported != 0;
#else
  return false;
#endif
}

} // namespace glt::detail
