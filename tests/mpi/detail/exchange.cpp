// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/detail/exchange.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

using namespace glt;

TEST_CASE("an exchange that has come to its end is used again") {
  detail::mpi_exchange_pool pool;
  auto first = pool.take();
  auto second = pool.take();
  auto const* const address = first.get();
  CHECK(address != second.get());
  std::vector<std::int64_t> const none{0};
  first->start(MPI_COMM_SELF, 16, {nullptr, none, none}, {nullptr, none, none});
  CHECK(MPI_Wait(&first->request(), MPI_STATUS_IGNORE) == MPI_SUCCESS);
  pool.give_back(std::move(first));
  first = pool.take();
  CHECK(first.get() == address);
  first->run(MPI_COMM_SELF, 16, {nullptr, none, none}, {nullptr, none, none});
  pool.give_back(std::move(first));
  pool.give_back(std::move(second));
}
