// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/communicator.hpp>
#include <glt/mpi/detail/replies.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

using namespace glt;

TEST_CASE("a request outlives its communicator, and completes when it is replaced or destroyed") {
  static_assert(!std::is_copy_constructible_v<detail::mpi_request>);
  std::optional comm(mpi_comm::world({.block_bytes = 16}));
  auto const ranks = static_cast<std::size_t>(comm->size());
  auto const rank = static_cast<std::size_t>(comm->rank());
  std::vector<std::byte> sent(100, static_cast<std::byte>(rank));
  std::vector<std::byte> first(100);
  std::vector<std::byte> second(100);
  std::vector<std::int64_t> out(ranks, 0);
  std::vector<std::int64_t> in(ranks, 0);
  std::vector<std::int64_t> const offsets(ranks, 0);
  std::vector<std::byte> expected(100);
  if (ranks > 1) {
    out[(rank + 1) % ranks] = 100;
    in[(rank + ranks - 1) % ranks] = 100;
    expected.assign(100, static_cast<std::byte>((rank + ranks - 1) % ranks));
  }
  {
    auto request = comm->start_all_to_all_v({sent.data(), out, offsets}, {first.data(), in, offsets});
    request = comm->start_all_to_all_v({sent.data(), out, offsets}, {second.data(), in, offsets});
    CHECK(first == expected);
    comm.reset();
  }
  CHECK(second == expected);
}
