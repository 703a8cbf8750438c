// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/comm/detail/mailbox.hpp>
#include <glt/mpi/communicator.hpp>
#include <glt/mpi/detail/error.hpp>
#include <glt/mpi/detail/exchange.hpp>
#include <glt/mpi/detail/handle.hpp>
#include <glt/mpi/detail/mailbox_sends.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

using namespace glt;

namespace {

// A communicator of this rank alone, whose messages go in pieces of 700 bytes.
detail::mpi_handle own_handle() {
  MPI_Comm copy = MPI_COMM_NULL;
  REQUIRE(MPI_Comm_dup(MPI_COMM_SELF, &copy) == MPI_SUCCESS);
  return {copy, 700, std::make_shared<detail::mpi_family>(MPI_COMM_SELF, std::chrono::seconds(0))};
}

} // namespace

TEST_CASE("a small message is an envelope, a large one has its bytes behind it") {
  auto const handle = own_handle();
  detail::block_pool pool;
  detail::mpi_mailbox_sends sends;
  CHECK(sends.empty());
  for (std::int64_t const size : {0, 1, 700, 701, 1'000, 1'001, 2'000'000}) {
    CAPTURE(size);
    auto block = pool.take(size);
    std::ranges::fill(block.bytes(), std::byte{9});
    sends.post(handle, 0, -size, block);
    detail::mpi_envelope envelope;
    MPI_Status status;
    REQUIRE(MPI_Recv(&envelope, static_cast<int>(sizeof envelope), MPI_BYTE, 0, detail::mpi_envelope_tag, handle.comm(),
                     &status) == MPI_SUCCESS);
    int length = 0;
    MPI_Get_count(&status, MPI_BYTE, &length);
    CHECK(length == detail::mpi_envelope::head_bytes + (size <= 700 ? size : 0));
    CHECK(envelope.kind == -size);
    CHECK(envelope.bytes == size);
    std::vector<std::byte> received(static_cast<std::size_t>(size));
    if (size <= 700) {
      std::copy_n(envelope.small.data(), size, received.data());
    } else {
      REQUIRE(MPI_Recv(received.data(), static_cast<int>(size), MPI_BYTE, 0, detail::mpi_payload_tag, handle.comm(),
                       MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    CHECK(std::ranges::equal(received, block.bytes()));
    while (!sends.empty()) {
      sends.collect();
    }
    CHECK(block.keeper().use_count() == 1); // it is given back
  }
}

TEST_CASE("bytes that have not gone are left to those who keep them") {
  auto const handle = own_handle();
  detail::block_pool pool;
  detail::orphaned_requests leftovers;
  auto const block = pool.take(3'000'000);
  {
    detail::mpi_mailbox_sends sends;
    sends.post(handle, 0, 2, block);
    sends.leave_to(leftovers);
    CHECK(sends.empty());
  }
  CHECK(block.keeper().use_count() > 1);
  detail::mpi_envelope envelope;
  std::vector<std::byte> received(3'000'000);
  REQUIRE(MPI_Recv(&envelope, static_cast<int>(sizeof envelope), MPI_BYTE, 0, detail::mpi_envelope_tag, handle.comm(),
                   MPI_STATUS_IGNORE) == MPI_SUCCESS);
  REQUIRE(MPI_Recv(received.data(), 3'000'000, MPI_BYTE, 0, detail::mpi_payload_tag, handle.comm(),
                   MPI_STATUS_IGNORE) == MPI_SUCCESS);
  while (leftovers.size() > 0) {
  }
  CHECK(block.keeper().use_count() == 1);
}
