// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/communicator.hpp>
#include <glt/mpi/detail/error.hpp>
#include <glt/mpi/detail/handle.hpp>
#include <glt/mpi/detail/replies.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

using namespace glt;

TEST_CASE("a reply goes in pieces of which only the last is shorter than the limit") {
  MPI_Comm copy = MPI_COMM_NULL;
  REQUIRE(MPI_Comm_dup(MPI_COMM_SELF, &copy) == MPI_SUCCESS);
  detail::mpi_handle handle(copy, 8, std::make_shared<detail::mpi_family>(copy, detail::mpi_watch::seconds(0)));
  for (std::int64_t const bytes : {0, 1, 7, 8, 9, 16, 23}) {
    std::vector<std::byte> reply;
    for (std::int64_t i = 0; i < bytes; ++i) {
      reply.push_back(static_cast<std::byte>(i));
    }
    detail::mpi_reply_sends sends(handle);
    sends.send(0, reply.data(), bytes);
    CHECK(std::ssize(handle.requests()) == bytes / 8 + 1);
    std::vector<std::byte> received{std::byte{0xAA}}; // what is there already stays
    CHECK(detail::receive_reply(handle, 0, received, 1) == bytes);
    sends.wait();
    CHECK(handle.requests().empty());
    reply.insert(reply.begin(), std::byte{0xAA});
    CHECK(received == reply);
  }
}
