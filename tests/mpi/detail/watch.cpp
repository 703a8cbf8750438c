// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/comm/counting.hpp>
#include <glt/comm/detail/agreement.hpp>
#include <glt/core/error.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/detail/handle.hpp>

#include "support/errors.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

using namespace glt;
using namespace glt_test;

// What happens after the limit ends the job: see mpi.time_limit_* and support/stuck_rank.cpp.
TEST_CASE("calls within their time limit do what they do without one") {
  counting_comm comm(mpi_comm::world({.block_bytes = 64, .time_limit = std::chrono::seconds(60)}));
  auto const ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::int64_t> const counts(ranks, comm.rank());
  std::vector<detail::call_header> headers;
  detail::exchange_headers(comm, {.what = detail::operation::walk, .step = 3}, counts, 0, {}, headers);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    CHECK(headers[rank].count == static_cast<std::int64_t>(rank));
  }
  std::vector<double> sums(100, 1 + comm.rank());
  comm.all_reduce(std::span(sums), reduction::max);
  CHECK(sums == std::vector<double>(100, comm.size()));
  auto parts = comm.split(comm.rank() % 2, 0);
  parts.barrier();
  std::int64_t number = parts.rank() == 0 ? 7 : 0;
  parts.broadcast(reinterpret_cast<std::byte*>(&number), 8, 0);
  CHECK(number == 7);
}

TEST_CASE("a time limit is a number of seconds") {
  for (double const odd : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(names(thrown<precondition_error>(
                    [&] { static_cast<void>(mpi_comm::world({.time_limit = std::chrono::duration<double>(odd)})); }),
                "time_limit"));
  }
}
