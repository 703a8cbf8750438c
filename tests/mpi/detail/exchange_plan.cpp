// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/detail/error.hpp>
#include <glt/mpi/detail/exchange.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace glt;

TEST_CASE("slices within the limit are plain bytes, the others one element of a datatype") {
  std::vector<std::int64_t> const sizes{0, 16, 17, 3, 5};
  std::vector<std::int64_t> const offsets{-1, 116, 132, 100, 132};
  detail::mpi_exchange_plan plan;
  plan.set(sizes, offsets, 16);
  CHECK(std::vector(plan.counts(), plan.counts() + 5) == std::vector{0, 16, 1, 1, 5});
  CHECK(std::vector(plan.displacements(), plan.displacements() + 5) == std::vector{0, 0, 0, 0, 16});
  CHECK(plan.types()[0] == MPI_BYTE);
  CHECK(plan.types()[1] == MPI_BYTE);
  CHECK(plan.types()[4] == MPI_BYTE);
  char memory[200];
  CHECK(plan.base(&memory[0]) == &memory[116]);
  for (std::size_t const peer : {2U, 3U}) {
    MPI_Count bytes = 0;
    REQUIRE(MPI_Type_size_x(plan.types()[peer], &bytes) == MPI_SUCCESS);
    CHECK(bytes == sizes[peer]);
    MPI_Count begin = 0;
    MPI_Count extent = 0;
    REQUIRE(MPI_Type_get_true_extent_x(plan.types()[peer], &begin, &extent) == MPI_SUCCESS);
    CHECK(begin == offsets[peer] - offsets[1]);
    CHECK(extent == sizes[peer]);
  }
}

TEST_CASE("datatypes are freed with the next slices, and with the plan") {
  auto const count = [](MPI_Datatype, int, void* freed, void*) {
    ++*static_cast<int*>(freed);
    return MPI_SUCCESS;
  };
  int key = MPI_KEYVAL_INVALID;
  REQUIRE(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, count, &key, nullptr) == MPI_SUCCESS);
  int freed = 0;
  {
    detail::mpi_exchange_plan plan;
    std::vector<std::int64_t> const sizes{16, 17, 40};
    std::vector<std::int64_t> const offsets{0, 16, 33};
    for (int const before : {0, 2}) {
      plan.set(sizes, offsets, 16);
      CHECK(freed == before);
      for (std::size_t const peer : {1U, 2U}) {
        REQUIRE(MPI_Type_set_attr(plan.types()[peer], key, &freed) == MPI_SUCCESS);
      }
    }
  }
  CHECK(freed == 4);
  MPI_Type_free_keyval(&key);
}

TEST_CASE("a side without bytes has no base") {
  std::vector<std::int64_t> const none(3, 0);
  detail::mpi_exchange_plan plan;
  plan.set(none, none, 16);
  char memory = 0;
  CHECK(plan.base(&memory) == nullptr);
}

TEST_CASE("sizes and offsets beyond 32 bits are kept") {
  std::vector<std::int64_t> const sizes{1, (std::int64_t{5} << 30) + 7};
  std::vector<std::int64_t> const offsets{4, std::int64_t{9} << 32};
  detail::mpi_exchange_plan plan;
  plan.set(sizes, offsets, std::int64_t{1} << 30);
  MPI_Count begin = 0;
  MPI_Count extent = 0;
  REQUIRE(MPI_Type_get_true_extent_x(plan.types()[1], &begin, &extent) == MPI_SUCCESS);
  CHECK(begin == offsets[1] - offsets[0]);
  CHECK(extent == sizes[1]);
}
