// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/api.hpp>
#include <glt/mpi/exchange_plan.hpp>

#include <cstdint>
#include <vector>

using namespace glt;

TEST_CASE("slices within the limit are plain bytes, the others one element of a datatype") {
  std::vector<std::int64_t> const sizes{16, 0, 17, 3, 0};
  std::vector<std::int64_t> const offsets{16, 900, 0, 17, -1};
  detail::mpi_exchange_plan const plan(sizes, offsets, 16);
  CHECK(std::vector(plan.counts(), plan.counts() + 5) == std::vector{16, 0, 1, 1, 0});
  CHECK(std::vector(plan.displacements(), plan.displacements() + 5) == std::vector{16, 0, 0, 0, 0});
  CHECK(plan.types()[0] == MPI_BYTE);
  CHECK(plan.types()[1] == MPI_BYTE);
  CHECK(plan.types()[4] == MPI_BYTE);
  for (std::size_t const peer : {2U, 3U}) {
    MPI_Count bytes = 0;
    REQUIRE(MPI_Type_size_x(plan.types()[peer], &bytes) == MPI_SUCCESS);
    CHECK(bytes == sizes[peer]);
    MPI_Count begin = 0;
    MPI_Count extent = 0;
    REQUIRE(MPI_Type_get_true_extent_x(plan.types()[peer], &begin, &extent) == MPI_SUCCESS);
    CHECK(begin == offsets[peer]);
    CHECK(extent == sizes[peer]);
  }
}

TEST_CASE("sizes and offsets beyond 32 bits are kept") {
  std::vector<std::int64_t> const sizes{(std::int64_t{5} << 30) + 7};
  std::vector<std::int64_t> const offsets{std::int64_t{9} << 32};
  detail::mpi_exchange_plan const plan(sizes, offsets, std::int64_t{1} << 30);
  MPI_Count begin = 0;
  MPI_Count extent = 0;
  REQUIRE(MPI_Type_get_true_extent_x(plan.types()[0], &begin, &extent) == MPI_SUCCESS);
  CHECK(begin == offsets[0]);
  CHECK(extent == sizes[0]);
}
