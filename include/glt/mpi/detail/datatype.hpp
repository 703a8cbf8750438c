// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <glt/comm/communicator.hpp>
#include <glt/mpi/detail/api.hpp>

#include <concepts>
#include <cstdint>

namespace glt::detail {

/// Returns MPI's type of a number that can be reduced.
template <reducible T>
[[nodiscard]] MPI_Datatype mpi_type_of() noexcept {
  if constexpr (std::same_as<T, std::int32_t>) {
    return MPI_INT32_T;
  } else if constexpr (std::same_as<T, std::int64_t>) {
    return MPI_INT64_T;
  } else if constexpr (std::same_as<T, float>) {
    return MPI_FLOAT;
  } else {
    static_assert(std::same_as<T, double>);
    return MPI_DOUBLE;
  }
}

} // namespace glt::detail
