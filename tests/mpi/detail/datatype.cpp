// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/communicator.hpp>

#include <cstdint>

namespace {

// Whether MPI finds the larger of two numbers, and they are as large for it as for the compiler.
template <class T>
bool is_known(T low, T high) {
  auto const type = glt::detail::mpi_type_of<T>();
  int bytes = 0;
  MPI_Type_size(type, &bytes);
  MPI_Reduce_local(&low, &high, 1, type, MPI_MAX);
  return bytes == static_cast<int>(sizeof(T)) && low < high;
}

} // namespace

TEST_CASE("MPI reduces numbers of every type as what they are") {
  CHECK(is_known<std::int32_t>(-70'000, 3));
  CHECK(is_known<std::int64_t>(-(std::int64_t{1} << 40), 3));
  CHECK(is_known<float>(-2.5F, -1.5F));
  CHECK(is_known<double>(-1e300, -1.5));
}
