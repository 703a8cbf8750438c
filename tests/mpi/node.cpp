// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <glt/mpi/node.hpp>

#include "support/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

using glt::mpi_comm;
using glt::mpi_node;

namespace {

void fill_nothing(std::span<std::byte>) {}

} // namespace

TEST_CASE("the ranks of one machine know each other, on any communicator") {
  auto comm = mpi_comm::world();
  mpi_node const node(comm);
  CHECK(std::ssize(node.neighbors()) == comm.size());
  auto reversed = comm.split(0, -comm.rank());
  mpi_node other(reversed);
  auto const blocks = other.share(1, [&](std::span<std::byte> block) { block[0] = std::byte(reversed.rank()); });
  for (int rank = 0; rank < reversed.size(); ++rank) {
    CHECK((*blocks.of_rank[static_cast<std::size_t>(rank)])[0] == std::byte(rank));
  }
  reversed.barrier();
}

TEST_CASE("ranks of several communicators on one machine share within their own one") {
  auto comm = mpi_comm::world();
  auto half = comm.split(comm.rank() % 2, 0);
  mpi_node node(half);
  CHECK(std::ssize(node.neighbors()) == half.size());
  auto const blocks = node.share(1, [&](std::span<std::byte> block) { block[0] = std::byte(comm.rank()); });
  for (int rank = 0; rank < half.size(); ++rank) {
    CHECK((*blocks.of_rank[static_cast<std::size_t>(rank)])[0] == std::byte(2 * rank + comm.rank() % 2));
  }
  half.barrier();
}

TEST_CASE("a window goes when all ranks have let go of it, not before") {
  auto comm = mpi_comm::world();
  mpi_node node(comm);
  std::size_t const each = comm.size() > 1 ? 1 : 0; // a single rank needs no window
  std::optional first(node.share(100, fill_nothing));
  CHECK(node.num_windows() == each);
  if (comm.rank() == 0) {
    first.reset();
  }
  auto const second = node.share(0, fill_nothing);
  CHECK(node.num_windows() == (comm.size() > 1 ? 2 : 0));
  first.reset();
  node.reclaim();
  CHECK(node.num_windows() == each);
  auto const third = node.share(5000, fill_nothing);
  CHECK(node.num_windows() == 2 * each);
}

TEST_CASE("blocks larger than what is allowed, or than what is free for windows, become ordinary memory on all ranks") {
  auto comm = mpi_comm::world();
  auto const last = comm.size() - 1;
  auto const name = "rank " + std::to_string(last);
  mpi_node limited(comm, {.max_bytes = comm.rank() == last ? 99 : 100});
  auto const small = limited.share(99, fill_nothing);
  CHECK(small.reason.empty());
  auto const large = limited.share(100, fill_nothing);
  mpi_node full(comm, {.window_folder = comm.rank() == last ? "/proc" : "/nowhere"}); // /proc has no room
  auto const none = full.share(100, fill_nothing);
  if (comm.size() > 1) {
    CHECK(glt_test::names(large.reason, name, "100 bytes", "the 99 that"));
    CHECK(glt_test::names(none.reason, name, "/proc has 0 free"));
    CHECK(full.num_windows() == 0);
  }
  for (auto const* blocks : {&large, &none}) {
    for (int rank = 0; rank < comm.size(); ++rank) {
      CHECK(blocks->of_rank[static_cast<std::size_t>(rank)].has_value() == (rank == comm.rank()));
    }
  }
}
